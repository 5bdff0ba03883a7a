import type { Binding } from './binding.ts';
import type { NativeType } from './read/native.ts';

/** Whether the id of a type, or of one that it is made of, passes the test. */
export function someType(binding: Binding, type: NativeType, test: (id: number) => boolean): boolean {
  const { Type } = binding;
  const id = binding.get_type_id(type);
  if (test(id)) return true;
  switch (id) {
    case Type.LIST:
      return someType(binding, binding.list_type_child_type(type), test);
    case Type.ARRAY:
      return someType(binding, binding.array_type_child_type(type), test);
    case Type.MAP:
      return (
        someType(binding, binding.map_type_key_type(type), test) ||
        someType(binding, binding.map_type_value_type(type), test)
      );
    case Type.STRUCT:
      return someOf(binding.struct_type_child_count(type), (i) =>
        someType(binding, binding.struct_type_child_type(type, i), test),
      );
    case Type.UNION:
      return someOf(binding.union_type_member_count(type), (i) =>
        someType(binding, binding.union_type_member_type(type, i), test),
      );
    default:
      return false;
  }
}

function someOf(count: number, test: (index: number) => boolean): boolean {
  for (let i = 0; i < count; i++) if (test(i)) return true;
  return false;
}
