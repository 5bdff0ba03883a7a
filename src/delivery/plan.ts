import type { Path } from './path.ts';

/** The choice between paths, as data: made before or during execution and reported with the result. */
export interface Plan {
  /** Every path that the driver has, the chosen one among them. */
  readonly candidates: readonly Path[];
  /** Name of the chosen path. */
  readonly chosen: string;
  /** Why it was chosen, one line. */
  readonly reason: string;
  /** Rows that the source expects, and who said so. */
  readonly estimate?: { readonly rows: number; readonly source: string };
}
