import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column } from '../../../arrow/column.ts';
import { Field } from '../../../arrow/schema.ts';
import { childFields } from '../../../arrow/type.ts';
import type { Binding } from '../binding.ts';
import { variantStorage } from '../type.ts';
import { ArrayReader } from './array.ts';
import { BoolReader } from './bool.ts';
import { DecimalReader } from './decimal.ts';
import { FixedReader } from './fixed.ts';
import { ListReader } from './list.ts';
import type { NativeType } from './native.ts';
import { NullReader } from './null.ts';
import { StructReader } from './struct.ts';
import { checkDates, checkNanosecondTimes, checkTimes, checkTimestamps, scaleIntervals } from './temporal.ts';
import { TextReader } from './text.ts';
import { UnionReader } from './union.ts';
import type { ReaderContext, VectorReader } from './vector-reader.ts';
import { checkHugeints, checkUhugeints, swapUuids } from './wide-integer.ts';

/** The reader of a column whose type in DuckDB is `type`, of which `makeField` made the context's field. */
export function makeReader(context: ReaderContext, type: NativeType): VectorReader {
  const { binding, field, path } = context;
  const { Type } = binding;
  const fields = childFields(field.type);
  const child = (childType: NativeType, i: number): VectorReader => {
    const childField = fields[i] ?? field;
    return makeReader({ ...context, field: childField, path: childPath(path, childField) }, childType);
  };
  switch (binding.get_type_id(type)) {
    case Type.SQLNULL:
      return new NullReader(context);
    case Type.BOOLEAN:
      return new BoolReader(context);
    case Type.VARCHAR:
    case Type.BLOB:
    case Type.BIT:
    case Type.BIGNUM:
    case Type.GEOMETRY:
      return new TextReader(context);
    case Type.HUGEINT:
      return new FixedReader(context, { prepare: checkHugeints });
    case Type.UHUGEINT:
      return new FixedReader(context, { prepare: checkUhugeints });
    case Type.UUID:
      return new FixedReader(context, { prepare: swapUuids });
    case Type.DATE:
      return new FixedReader(context, { prepare: checkDates });
    case Type.TIME:
      return new FixedReader(context, { prepare: checkTimes });
    case Type.TIME_NS:
      return new FixedReader(context, { prepare: checkNanosecondTimes });
    case Type.TIMESTAMP_S:
    case Type.TIMESTAMP_MS:
    case Type.TIMESTAMP:
    case Type.TIMESTAMP_NS:
    case Type.TIMESTAMP_TZ:
      return new FixedReader(context, { prepare: checkTimestamps });
    case Type.INTERVAL:
      return new FixedReader(context, { prepare: scaleIntervals });
    case Type.DECIMAL:
      return makeDecimalReader(context, type);
    case Type.ENUM:
      return new FixedReader(context, { dictionary: makeDictionary(binding, type) });
    case Type.LIST:
      return new ListReader(context, child(binding.list_type_child_type(type), 0));
    case Type.MAP:
      return new ListReader(context, makeEntriesReader(context, type));
    case Type.ARRAY:
      return new ArrayReader(
        context,
        child(binding.array_type_child_type(type), 0),
        binding.array_type_array_size(type),
      );
    case Type.STRUCT:
      return new StructReader(
        context,
        fields.map((_, i) => child(binding.struct_type_child_type(type, i), i)),
      );
    case Type.UNION:
      return new UnionReader(
        context,
        fields.map((_, i) => child(binding.union_type_member_type(type, i), i)),
      );
    case Type.VARIANT:
      return makeReader(context, variantStorage(binding));
    default:
      return new FixedReader(context);
  }
}

function makeDecimalReader(context: ReaderContext, type: NativeType): VectorReader {
  const { Type } = context.binding;
  switch (context.binding.decimal_internal_type(type)) {
    case Type.SMALLINT:
      return new DecimalReader(context, 2);
    case Type.INTEGER:
      return new DecimalReader(context, 4);
    case Type.BIGINT:
      return new DecimalReader(context, 8);
    default:
      return new FixedReader(context);
  }
}

/** A map's child vector: structs of a key and a value, whose type DuckDB does not give as one. */
function makeEntriesReader(context: ReaderContext, type: NativeType): VectorReader {
  const { binding, field, path } = context;
  const entries = childFields(field.type)[0] ?? field;
  const types = [binding.map_type_key_type(type), binding.map_type_value_type(type)];
  const children = childFields(entries.type).map((childField, i) =>
    makeReader({ ...context, field: childField, path: childPath(path, childField) }, types[i] ?? type),
  );
  return new StructReader({ ...context, field: entries }, children);
}

function childPath(path: string, child: Field): string {
  return child.name === '' ? path : `${path}.${child.name}`;
}

/** An ENUM's values, one column for the whole result. */
function makeDictionary(binding: Binding, type: NativeType): Column {
  const encoder = new TextEncoder();
  const values = Array.from({ length: binding.enum_dictionary_size(type) }, (_, i) =>
    encoder.encode(binding.enum_dictionary_value(type, i)),
  );
  const offsets = new Int32Array(values.length + 1);
  const data = new Uint8Array(values.reduce((sum, value) => sum + value.length, 0));
  values.forEach((value, i) => {
    data.set(value, offsets[i]);
    offsets[i + 1] = (offsets[i] ?? 0) + value.length;
  });
  const field = new Field('', { kind: 'utf8', large: false });
  return makeColumn(field, { type: field.type, length: values.length, nullCount: 0, validity: null, offsets, data });
}
