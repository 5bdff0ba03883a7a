import { extensionField } from '../extension.ts';
import type { Field, FieldOptions } from '../schema.ts';
import type { DataType, Utf8Type, Utf8ViewType } from '../type.ts';
import { int8, utf8 } from '../type-factory.ts';
import { defineExtension, type ExtensionType } from './define.ts';
import { expectEmpty, parseObject } from './parameter.ts';

/** `arrow.uuid` over 16 bytes. Values are lower-case text with hyphens, also where this is not given. */
export const uuidExtension: ExtensionType<string> = /* @__PURE__ */ defineExtension<string>({
  name: 'arrow.uuid',
  storage: (type) => type.kind === 'fixed-size-binary' && type.byteWidth === 16,
});

/** `arrow.bool8` over int8. Values are booleans: every number but 0 is true. */
export const bool8Extension: ExtensionType<boolean> = /* @__PURE__ */ defineExtension<boolean>({
  name: 'arrow.bool8',
  storage: (type) => type.kind === 'int' && type.bitWidth === 8 && type.signed,
  deserialize: expectEmpty,
  decode: (value) => value !== 0,
  encode: (value) => (typeof value === 'boolean' ? Number(value) : value),
});

/** A field of `arrow.bool8`: a boolean a byte. */
export function bool8Field(name: string, options?: FieldOptions): Field {
  return extensionField(name, int8(), { name: 'arrow.bool8', metadata: '' }, options);
}

/**
 * `arrow.json` over text. Values are what `JSON.parse` makes of the text, so that its numbers become doubles; who needs
 * all digits leaves the extension out and has the text.
 */
export const jsonExtension: ExtensionType<unknown> = /* @__PURE__ */ defineExtension<unknown>({
  name: 'arrow.json',
  storage: isText,
  deserialize(metadata) {
    if (metadata !== '') parseObject(metadata);
    return undefined;
  },
  decode: (value) => JSON.parse(value as string),
  encode(value) {
    const text = JSON.stringify(value);
    if (text === undefined) throw new TypeError('is nothing that JSON has');
    return text;
  },
});

/** A field of `arrow.json`: JSON texts over utf8, unless told otherwise. */
export function jsonField(name: string, storage: Utf8Type | Utf8ViewType = utf8(), options?: FieldOptions): Field {
  return extensionField(name, storage, { name: 'arrow.json', metadata: '' }, options);
}

function isText(type: DataType): boolean {
  return type.kind.startsWith('utf8');
}

/** Which type of which system an `arrow.opaque` stands for. */
export interface OpaqueParameters {
  readonly typeName: string;
  readonly vendorName: string;
}

/** `arrow.opaque` over any type: a type of another system. Values are the storage's. */
export const opaqueExtension: ExtensionType<unknown, OpaqueParameters> = /* @__PURE__ */ defineExtension<
  unknown,
  OpaqueParameters
>({
  name: 'arrow.opaque',
  serialize: ({ typeName, vendorName }) => JSON.stringify({ type_name: typeName, vendor_name: vendorName }),
  deserialize(metadata) {
    const { type_name: typeName, vendor_name: vendorName } = parseObject(metadata);
    if (typeof typeName === 'string' && typeof vendorName === 'string') return { typeName, vendorName };
    throw new TypeError('type_name and vendor_name must be texts');
  },
});
