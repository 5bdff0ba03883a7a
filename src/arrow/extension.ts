import { Field, type FieldOptions } from './schema.ts';
import type { DataType } from './type.ts';

const nameKey = 'ARROW:extension:name';
const metadataKey = 'ARROW:extension:metadata';

/** An extension type as the format carries it: a name and a text of the type's own beside the storage type. */
export interface Extension {
  readonly name: string;
  readonly metadata: string;
}

/** The extension type of a field, if it has one (columnar format, "Extension types"). */
export function extensionOf(field: Field): Extension | undefined {
  const name = field.metadata.get(nameKey);
  return name === undefined ? undefined : { name, metadata: field.metadata.get(metadataKey) ?? '' };
}

/** A field of an extension type over a storage type. */
export function extensionField(
  name: string,
  storage: DataType,
  extension: Extension,
  options: FieldOptions = {},
): Field {
  const field = new Field(name, storage, options);
  return field.withMetadata([...field.metadata, [nameKey, extension.name], [metadataKey, extension.metadata]]);
}

/** A field of the canonical extension `arrow.uuid`: 16 bytes, big-endian. */
export function uuidField(name: string, options?: FieldOptions): Field {
  return extensionField(
    name,
    { kind: 'fixed-size-binary', byteWidth: 16 },
    { name: 'arrow.uuid', metadata: '' },
    options,
  );
}

/**
 * A field of the canonical extension `arrow.opaque`: a type of another system that Arrow has no type for, named with
 * the system it comes from.
 */
export function opaqueField(
  name: string,
  storage: DataType,
  typeName: string,
  vendorName: string,
  options?: FieldOptions,
): Field {
  const metadata = JSON.stringify({ type_name: typeName, vendor_name: vendorName });
  return extensionField(name, storage, { name: 'arrow.opaque', metadata }, options);
}
