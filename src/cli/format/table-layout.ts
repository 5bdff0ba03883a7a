/** Which columns of a table are shown and how wide each is. */
export interface TableLayout {
  /** Positions of the columns, in order; −1 stands for those that were left out. */
  readonly columns: readonly number[];
  /** Width of each of `columns`. */
  readonly widths: readonly number[];
}

/** Text columns are not narrowed below this. */
const leastWidth = 10;

/**
 * Fits columns of these widths into `available` terminal columns, frame included: first the widest text columns are
 * narrowed, all to the same width, then columns in the middle are left out. Undefined `available` means no limit.
 */
export function layoutTable(
  widths: readonly number[],
  isNumber: readonly boolean[],
  available: number | undefined,
): TableLayout {
  const all = widths.map((_, i) => i);
  const capped = (cap: number): number[] => widths.map((width, i) => (isNumber[i] ? width : Math.min(width, cap)));
  if (available === undefined || frameWidth(widths) <= available) return { columns: all, widths };
  for (let cap = Math.max(...widths) - 1; cap >= leastWidth; cap--) {
    if (frameWidth(capped(cap)) <= available) return { columns: all, widths: capped(cap) };
  }
  const narrow = capped(leastWidth);
  const width = (column: number): number => (column < 0 ? 1 : (narrow[column] ?? 0));
  let left = all.slice(0, Math.ceil(all.length / 2));
  let right = all.slice(left.length);
  const shown = (): number[] => (left.length + right.length < all.length ? [...left, -1, ...right] : all);
  while (left.length + right.length > 1 && frameWidth(shown().map(width)) > available) {
    if (left.length > right.length) left = left.slice(0, -1);
    else right = right.slice(1);
  }
  const over = frameWidth(shown().map(width)) - available;
  const fitted = shown().map((column) => (over > 0 && column >= 0 ? Math.max(1, width(column) - over) : width(column)));
  return { columns: shown(), widths: fitted };
}

/** `│ a │ b │` */
function frameWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + 3, 1);
}
