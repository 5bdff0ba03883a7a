import type { DataType } from '../../../arrow/type.ts';
import { numericShape } from '../decode/type-text.ts';
import { isList } from '../encode/default-type.ts';
import type { TargetType } from '../encode/target.ts';

/** Bits of the integers that a type holds; those of unsigned ones as if they had a sign. */
const integerBits: Readonly<Record<string, number>> = { int2: 16, int4: 32, int8: 64, oid: 33, xid: 33, cid: 33 };

/**
 * Whether a type holds every number of an Arrow type, and so may be the type of a column that is made for it: a field's
 * metadata may tell of a type that its values have outgrown. True for what is no number.
 */
export function holdsAll(type: DataType, target: TargetType): boolean {
  if (target.kind === 'domain' && target.element !== undefined) return holdsAll(type, target.element);
  switch (type.kind) {
    case 'dictionary':
      return holdsAll(type.value, target);
    case 'run-end-encoded':
      return holdsAll(type.values.type, target);
    case 'list':
    case 'list-view':
    case 'fixed-size-list': {
      let { child } = type;
      while (isList(child.type)) child = child.type.child;
      return target.kind !== 'array' || target.element === undefined || holdsAll(child.type, target.element);
    }
    case 'int': {
      const needed = type.bitWidth + (type.signed ? 0 : 1);
      if (target.name === 'numeric') return target.typmod < 0;
      if (target.name.startsWith('float')) return needed <= (target.name === 'float8' ? 53 : 24);
      return needed <= (integerBits[target.name] ?? 65);
    }
    case 'float':
      return target.name === 'numeric' ? target.typmod < 0 : target.name !== 'float4' || type.bitWidth < 64;
    case 'decimal': {
      const shape = target.name === 'numeric' ? numericShape(target.typmod) : undefined;
      if (shape === undefined) return true;
      return type.scale <= shape.scale && type.precision - type.scale <= shape.precision - shape.scale;
    }
    default:
      return true;
  }
}
