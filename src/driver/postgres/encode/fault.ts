/**
 * A value that its PostgreSQL type cannot hold, as a writer throws it: it knows the value's place among those that it was
 * given, and every writer around it translates that into a place of its own. The encoder makes the error of it that names
 * column and row.
 */
export class ValueFault extends Error {
  override readonly name = 'ValueFault';
  /** Place among the values that the writer was last given. */
  readonly index: number;

  constructor(index: number, message: string) {
    super(message);
    this.index = index;
  }
}

/** Throws what `action` throws, a fault with its place as `place` translates it. */
export function translateFault(action: () => void, place: (index: number) => number): void {
  try {
    action();
  } catch (error) {
    if (error instanceof ValueFault) throw new ValueFault(place(error.index), error.message);
    throw error;
  }
}
