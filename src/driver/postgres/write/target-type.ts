import type { PgType, PgTypes } from '../decode/type.ts';
import { typeText } from '../decode/type-text.ts';
import type { TargetType } from '../encode/target.ts';

/** Types of extensions whose binary form is known, wherever they are installed. */
const extensionNames: ReadonlySet<string> = new Set(['citext', 'geography', 'geometry', 'hstore', 'vector']);
/** A catalog that says that a type is made of itself must not hang us. */
const maxDepth = 64;

/** What the catalog says of a type as the encoder needs it; undefined for a type that it does not know. */
export function toTarget(types: PgTypes, oid: number, typmod: number, depth = 0): TargetType | undefined {
  const type = types.get(oid);
  if (type === undefined || depth > maxDepth) return undefined;
  const { kind } = type;
  const innerTypmod = kind === 'array' ? typmod : (type.typmod ?? -1);
  const element =
    type.element === undefined || kind === 'base' ? undefined : toTarget(types, type.element, innerTypmod, depth + 1);
  const members = type.attributes?.flatMap(({ name, oid, typmod }) => {
    const member = toTarget(types, oid, typmod, depth + 1);
    return member === undefined ? [] : [{ name, type: member }];
  });
  const isWhole = members?.length === type.attributes?.length;
  return {
    oid,
    name: nameOf(type),
    kind,
    typmod,
    text: typeText(type, typmod, types),
    element,
    ...(members !== undefined && isWhole && { members }),
  };
}

/** A type of the same name as a built-in one, but of another schema, is not that. */
function nameOf({ name, schema, kind }: PgType): string {
  return kind !== 'base' || schema === 'pg_catalog' || extensionNames.has(name) ? name : `${schema}.${name}`;
}
