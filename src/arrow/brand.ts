/** Whether `value` is an instance of a class whose prototype says `tag`, also of one of a second copy of this library. */
export function hasTag(value: unknown, tag: string): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    (value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag] === tag
  );
}
