import type { Binding } from '../binding.ts';
import { quoteIdentifier, quoteText } from '../quote.ts';
import type { NativeType } from '../read/native.ts';

/** Types whose name in SQL is another than the bindings'. */
const names: Readonly<Record<string, string>> = {
  TIMESTAMP_TZ: 'TIMESTAMP WITH TIME ZONE',
  TIME_TZ: 'TIME WITH TIME ZONE',
  SQLNULL: '"NULL"',
};

/**
 * A type in SQL. Two types with the same text have the same layout; types that were given a name of their own are written
 * as what they stand for, but for JSON, which is a text of another meaning.
 */
export function writeTypeText(binding: Binding, type: NativeType): string {
  const { Type } = binding;
  const id = binding.get_type_id(type);
  const text = (child: NativeType): string => writeTypeText(binding, child);
  const members = (count: number, name: (i: number) => string, child: (i: number) => NativeType): string =>
    Array.from({ length: count }, (_, i) => `${quoteIdentifier(name(i))} ${text(child(i))}`).join(', ');
  switch (id) {
    case Type.VARCHAR:
      return binding.logical_type_get_alias(type) === 'JSON' ? 'JSON' : 'VARCHAR';
    case Type.DECIMAL:
      return `DECIMAL(${binding.decimal_width(type)}, ${binding.decimal_scale(type)})`;
    case Type.LIST:
      return `${text(binding.list_type_child_type(type))}[]`;
    case Type.ARRAY:
      return `${text(binding.array_type_child_type(type))}[${binding.array_type_array_size(type)}]`;
    case Type.MAP:
      return `MAP(${text(binding.map_type_key_type(type))}, ${text(binding.map_type_value_type(type))})`;
    case Type.STRUCT:
      return `STRUCT(${members(
        binding.struct_type_child_count(type),
        (i) => binding.struct_type_child_name(type, i),
        (i) => binding.struct_type_child_type(type, i),
      )})`;
    case Type.UNION:
      return `UNION(${members(
        binding.union_type_member_count(type),
        (i) => binding.union_type_member_name(type, i),
        (i) => binding.union_type_member_type(type, i),
      )})`;
    case Type.ENUM: {
      const values = Array.from({ length: binding.enum_dictionary_size(type) }, (_, i) =>
        quoteText(binding.enum_dictionary_value(type, i)),
      );
      return `ENUM(${values.join(', ')})`;
    }
    default: {
      const name = Type[id] ?? `type ${id}`;
      return names[name] ?? name;
    }
  }
}
