/** One bar of a plot. */
export interface Bar {
  readonly label: string;
  /** From 0 on. */
  readonly value: number;
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/**
 * Horizontal bars, a line each: label, bar, value. The longest bar takes `width` characters, the others their share to an
 * eighth of a character; a value above zero shows at least that much.
 */
export function plotBars(bars: readonly Bar[], options: { readonly width: number }): string[] {
  const most = Math.max(...bars.map((bar) => bar.value), 0);
  const labelWidth = Math.max(...bars.map((bar) => bar.label.length), 0);
  return bars.map(({ label, value }) => {
    const share = most === 0 ? 0 : Math.round((value / most) * options.width * 8);
    const units = value > 0 ? Math.max(1, share) : 0;
    const bar = '█'.repeat(units >> 3) + (eighths[units & 7] ?? '');
    return `${label.padStart(labelWidth)} ${bar.padEnd(options.width)} ${value.toLocaleString('en-US')}`;
  });
}
