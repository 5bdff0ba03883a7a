import type { Column } from '../../../arrow/column.ts';
import type { Field } from '../../../arrow/schema.ts';
import { RecurveError } from '../../../error.ts';
import type { NativeVector } from '../read/native.ts';
import { boolBytes, fixedBytes, uuidBytes } from './fixed.ts';
import { writeArray, writeList, writeStruct, writeUnion } from './nested.ts';
import { checkOpaque, readOpaqueKind } from './opaque.ts';
import { takeDictionary } from './take.ts';
import type { WriteTarget } from './target.ts';
import { writeStrings } from './text.ts';
import { isUuid } from './type.ts';
import { readValidity, writeValidity } from './validity.ts';

/**
 * Writes a column into a vector from its first row on. `mask` has a bit for each row: where it is not set, a parent is
 * null, and DuckDB wants the child to be null too.
 */
export function writeColumn(
  target: WriteTarget,
  vector: NativeVector,
  field: Field,
  column: Column,
  mask: Uint8Array | null,
): void {
  if (column.length === 0) return;
  const { type } = column;
  if (type.kind === 'dictionary') {
    // A union has no nulls of its own to say which indices are null.
    writeColumn(target, vector, field, takeDictionary(field, column), readValidity(column, mask));
    return;
  }
  const validity = readValidity(column, mask);
  writeValidity(target.binding, vector, validity, column.length);
  const opaque = readOpaqueKind(field);
  if (opaque !== undefined) checkOpaque(opaque, column, validity, target.path);
  switch (type.kind) {
    case 'null':
      return;
    case 'bool':
      copyBytes(target, vector, boolBytes(column));
      return;
    case 'utf8':
    case 'binary':
      writeStrings(target, vector, column, validity);
      return;
    case 'fixed-size-binary':
      if (opaque === 'time_tz') copyBytes(target, vector, column.layout.values as Uint8Array);
      else if (isUuid(field)) copyBytes(target, vector, uuidBytes(column));
      else writeStrings(target, vector, column, validity);
      return;
    case 'list':
    case 'map':
      writeList(target, vector, type.child, column, validity);
      return;
    case 'fixed-size-list':
      writeArray(target, vector, type, column, validity);
      return;
    case 'struct':
      writeStruct(target, vector, type.children, column, validity);
      return;
    case 'union':
      writeUnion(target, vector, type, column, validity);
      return;
    default:
      copyBytes(target, vector, fixedBytes(column, validity, target.path));
  }
}

function copyBytes({ binding, path }: WriteTarget, vector: NativeVector, bytes: Uint8Array): void {
  const { buffer, byteOffset, byteLength } = bytes;
  if (!(buffer instanceof ArrayBuffer)) {
    throw new RecurveError('INVALID_ARGUMENT', `column ${path} lies in shared memory, which cannot be written from`);
  }
  binding.copy_data_to_vector(vector, 0, buffer, byteOffset, byteLength);
}
