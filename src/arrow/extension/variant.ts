import { extensionField } from '../extension.ts';
import { Field, type FieldOptions } from '../schema.ts';
import type { DataType } from '../type.ts';
import { binary, struct } from '../type-factory.ts';
import { defineExtension, type ExtensionType } from './define.ts';
import { expectEmpty } from './parameter.ts';
import { readVariant } from './variant-value.ts';

/**
 * `arrow.parquet.variant` over a struct of `metadata` and `value`. Values are what {@link readVariant} makes of the bytes.
 * A shredded value (one that stands in `typed_value`) is refused: leave the extension out and read its parts.
 */
export const parquetVariantExtension: ExtensionType<unknown> = /* @__PURE__ */ defineExtension<unknown>({
  name: 'arrow.parquet.variant',
  storage: isVariant,
  deserialize: expectEmpty,
  decode(stored) {
    const { metadata, value, typed_value: typed } = stored as Readonly<Record<string, unknown>>;
    if (typed !== null && typed !== undefined) throw new TypeError('the value is shredded, which is not supported');
    if (!(metadata instanceof Uint8Array) || !(value instanceof Uint8Array)) throw new TypeError('there is no value');
    return readVariant(metadata, value);
  },
});

/** A field of `arrow.parquet.variant`, not shredded. A builder takes `{ metadata, value }`, both encoded. */
export function parquetVariantField(name: string, options?: FieldOptions): Field {
  const storage = struct(['metadata', 'value'].map((part) => new Field(part, binary(), { nullable: false })));
  return extensionField(name, storage, { name: 'arrow.parquet.variant', metadata: '' }, options);
}

function isVariant(type: DataType): boolean {
  if (type.kind !== 'struct') return false;
  const part = (name: string): Field | undefined => type.children.find((child) => child.name === name);
  const value = part('value');
  return (
    isBytes(part('metadata')?.type) &&
    (value !== undefined || part('typed_value') !== undefined) &&
    (value === undefined || isBytes(value.type))
  );
}

/** Bytes of any layout. The metadata may be encoded by a dictionary or by runs. */
function isBytes(type: DataType | undefined): boolean {
  if (type?.kind === 'dictionary') return isBytes(type.value);
  return type !== undefined && /^(binary|run-end-encoded)/.test(type.kind);
}
