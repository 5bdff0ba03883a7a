import type { Field } from './schema.ts';

/**
 * The property names of a row object. Names may repeat in a schema but not in an object: the second `a` becomes `a_1`,
 * the next free one after that, so that no value is lost.
 */
export function rowNames(fields: readonly Field[]): string[] {
  const taken = new Set(fields.map((field) => field.name));
  const used = new Set<string>();
  const counts = new Map<string, number>();
  return fields.map(({ name }) => {
    let unique = name;
    if (used.has(name)) {
      let n = counts.get(name) ?? 0;
      do unique = `${name}_${++n}`;
      while (taken.has(unique) || used.has(unique));
      counts.set(name, n);
    }
    used.add(unique);
    return unique;
  });
}
