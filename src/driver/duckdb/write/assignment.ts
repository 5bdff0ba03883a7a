import type { Binding } from '../binding.ts';
import type { NativeType } from '../read/native.ts';

/**
 * Whether a column of type `to` takes values of another type `from`: only where each value either comes out as the very same
 * or is refused by itself, since it lies outside of the type. Nothing is rounded, cut or parsed out of text.
 */
export function isAssignable(binding: Binding, from: NativeType, to: NativeType): boolean {
  const { Type } = binding;
  const source = binding.get_type_id(from);
  const target = binding.get_type_id(to);
  const digits = integerDigits(binding, source);
  switch (target) {
    case Type.FLOAT:
      return digits !== undefined && digits <= 5;
    case Type.DOUBLE:
      return source === Type.FLOAT || (digits !== undefined && digits <= 10);
    case Type.DECIMAL:
      if (digits !== undefined) return true;
      return source === Type.DECIMAL && binding.decimal_scale(from) <= binding.decimal_scale(to);
    case Type.ENUM:
      return source === Type.VARCHAR;
    case Type.VARCHAR:
      // Of text and JSON, either way: JSON is checked.
      return source === Type.VARCHAR;
    case Type.TIMESTAMP_MS:
      return source === Type.DATE || source === Type.TIMESTAMP_S;
    case Type.TIMESTAMP:
      return source === Type.DATE || source === Type.TIMESTAMP_S || source === Type.TIMESTAMP_MS;
    case Type.TIMESTAMP_NS:
      return [Type.DATE, Type.TIMESTAMP_S, Type.TIMESTAMP_MS, Type.TIMESTAMP].includes(source);
    case Type.TIMESTAMP_S:
      return source === Type.DATE;
    case Type.TIME_NS:
      return source === Type.TIME;
    case Type.LIST:
      return (
        source === Type.LIST &&
        isAssignable(binding, binding.list_type_child_type(from), binding.list_type_child_type(to))
      );
    default:
      return digits !== undefined && integerDigits(binding, target) !== undefined;
  }
}

/** Decimal digits of the greatest value of an integer type. */
function integerDigits({ Type }: Binding, id: number): number | undefined {
  const digits: Readonly<Record<number, number>> = {
    [Type.TINYINT]: 3,
    [Type.UTINYINT]: 3,
    [Type.SMALLINT]: 5,
    [Type.USMALLINT]: 5,
    [Type.INTEGER]: 10,
    [Type.UINTEGER]: 10,
    [Type.BIGINT]: 19,
    [Type.UBIGINT]: 20,
    [Type.HUGEINT]: 39,
    [Type.UHUGEINT]: 39,
  };
  return digits[id];
}
