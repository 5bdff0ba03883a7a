import { UuidColumn } from '../../../arrow/column/binary.ts';
import type { Column } from '../../../arrow/column.ts';
import { uuidField } from '../../../arrow/extension.ts';
import { Field } from '../../../arrow/schema.ts';
import { RecurveError } from '../../../error.ts';
import type { WireParameter } from '../wire/message-writer.ts';
import { defaultType } from './default-type.ts';
import { ValueFault } from './fault.ts';
import { makeWriter } from './make.ts';
import { Output } from './output.ts';

/**
 * A column of one value as a parameter: binary, of the PostgreSQL type that its Arrow type has (`docs/postgres-ingest.md`), also
 * when it is null. `what` names it in errors; none holds the value, which may be secret, but where that is no value of
 * the type. Throws INVALID_ARGUMENT for more or fewer values, INVALID_DATA for a value that PostgreSQL's type cannot
 * hold, NOT_IMPLEMENTED for an Arrow type that PostgreSQL does not have.
 */
export function encodeColumnValue(column: Column, what = 'a parameter'): WireParameter {
  if (column.length !== 1) {
    throw new RecurveError('INVALID_ARGUMENT', `${what} is a column of ${column.length} values, one is bound`);
  }
  if (column.type.kind === 'null') return { oid: 0, format: 0, bytes: null };
  const field = column instanceof UuidColumn ? uuidField(what) : new Field(what, column.type);
  const target = defaultType(field, what);
  const writer = makeWriter(field, target);
  if (writer === undefined) throw new RecurveError('INTERNAL', `${what}: ${field} is not written as ${target.text}`);
  try {
    writer.bind(column);
    const sizes = new Float64Array(1);
    writer.measure(Int32Array.of(0), 1, sizes);
    const out = new Output(sizes[0] ?? 0);
    writer.write(out, Int32Array.of(0), 1);
    return { oid: target.oid, format: 1, bytes: out.view.getInt32(0) < 0 ? null : out.bytes.subarray(4) };
  } catch (error) {
    if (error instanceof ValueFault) throw new RecurveError('INVALID_DATA', `${what}: ${error.message}`);
    throw error;
  }
}
