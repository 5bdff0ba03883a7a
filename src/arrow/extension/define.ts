import { RecurveError } from '../../error.ts';
import type { Column } from '../column.ts';
import { type Extension, extensionOf } from '../extension.ts';
import type { Field } from '../schema.ts';
import { type DataType, typeToString } from '../type.ts';
import type { ReadContext, ValueExtension, ValueOptions } from '../value.ts';

/** What an extension type is: values of type `V` over a storage type, with parameters of type `P` that every column has. */
export interface ExtensionDefinition<V = unknown, P = undefined> {
  /** As it stands in the field's metadata, such as `example.point`. */
  readonly name: string;
  /** Whether a storage type is one that the extension stands on. Default: any is. */
  storage?(type: DataType): boolean;
  /** The parameters as the text that the field's metadata carry. Default: the empty text. */
  serialize?(parameters: P): string;
  /** The parameters of a field, from that text; throws for a text that it does not take. Default: undefined. */
  deserialize?(metadata: string, storage: DataType): P;
  /** A value from the storage's value, as `at` gives it, which is never null; throws for one that is none. Default: as it is. */
  decode?(value: unknown, parameters: P, options: ValueOptions): V;
  /** What a builder of the storage type takes, from a value; throws for one that is none. Default: as it is. */
  encode?(value: V, parameters: P): unknown;
}

/** A definition at work. See {@link defineExtension}. */
export interface ExtensionType<V = unknown, P = undefined> extends ValueExtension {
  /** The name and text for {@link extensionField}. Throws INVALID_ARGUMENT for a storage type that it cannot stand on. */
  describe(storage: DataType, parameters: P): Extension;
  /** A field's parameters. Throws INVALID_DATA, naming the column, for a field that is not of this type, whole and well. */
  parametersOf(field: Field): P;
  reader(field: Field, column: Column, context: ReadContext): (index: number) => V | null;
}

/**
 * Makes an extension type that can be given to all that converts values: `toArray({ extensions: [point] })`, likewise
 * `rows`, `convertColumn` and the views, at every level of nesting, and to builders. Nothing is registered: without it the
 * same column gives its storage's values, and its metadata pass through whole.
 *
 * What a hook throws comes as INVALID_DATA, with the column, the row and the hook's error as `cause`. Over a dictionary the
 * hooks see the dictionary's type and values.
 */
export function defineExtension<V, P = undefined>(definition: ExtensionDefinition<V, P>): ExtensionType<V, P> {
  const { name } = definition;
  if (typeof name !== 'string' || name === '') {
    throw new RecurveError('INVALID_ARGUMENT', `an extension needs a name, not ${JSON.stringify(name)}`);
  }
  const fits = (type: DataType): boolean => definition.storage?.(type) ?? true;

  const parametersOf = (field: Field): P => {
    const found = extensionOf(field);
    const column = `column ${JSON.stringify(field.name)}`;
    const storage = field.type.kind === 'dictionary' ? field.type.value : field.type;
    if (found?.name !== name) throw new RecurveError('INVALID_DATA', `${column} is not of the extension type ${name}`);
    return guard(
      () => `${column}: ${name} with metadata ${JSON.stringify(found.metadata)}`,
      () => {
        if (!fits(storage)) throw new TypeError(`does not stand on ${typeToString(storage)}`);
        return definition.deserialize?.(found.metadata, storage) as P;
      },
    );
  };

  return {
    name,
    parametersOf,
    describe(storage, parameters) {
      if (!fits(storage)) {
        throw new RecurveError('INVALID_ARGUMENT', `${name} does not stand on ${typeToString(storage)}`);
      }
      const metadata = definition.serialize?.(parameters) ?? '';
      // What the type would refuse to read is not written.
      if (definition.deserialize) {
        guard(
          () => name,
          () => definition.deserialize?.(metadata, storage),
          'INVALID_ARGUMENT',
        );
      }
      return { name, metadata };
    },
    reader(field, column, context) {
      const parameters = parametersOf(field);
      return (index) => {
        const value = column.at(index);
        if (value === null || !definition.decode) return value as V | null;
        return guard(
          () => `${context.place()}: ${name}`,
          () => definition.decode?.(value, parameters, context) as V,
        );
      };
    },
    writer(field) {
      const parameters = parametersOf(field);
      return (value) => (definition.encode ? definition.encode(value as V, parameters) : value);
    },
  };
}

function guard<T>(place: () => string, hook: () => T, status: 'INVALID_DATA' | 'INVALID_ARGUMENT' = 'INVALID_DATA'): T {
  try {
    return hook();
  } catch (cause) {
    const [why] = `${cause instanceof Error ? cause.message : cause}`.split('\n');
    throw new RecurveError(status, `${place()}: ${why}`, { cause });
  }
}
