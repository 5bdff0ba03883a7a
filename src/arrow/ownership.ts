import type { Column } from './column.ts';

const owned = new WeakSet<Column>();

/**
 * Notes that the buffers of a column were made for it, so that nobody else holds them and their values are the same for
 * ever. Buffers that came from a caller may be written to again: whoever must know whether those are still the same has to
 * look at their values.
 */
export function markOwned(column: Column): void {
  owned.add(column);
}

/** See {@link markOwned}. */
export function isOwned(column: Column): boolean {
  return owned.has(column);
}
