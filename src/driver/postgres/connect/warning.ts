const told = new Set<string>();

/** Tells of what cannot be had as Node's `warning` event, each text once in a process. */
export function warn(message: string): void {
  if (told.has(message)) return;
  told.add(message);
  process.emitWarning(message, { type: 'RecurveWarning', code: 'RECURVE_POSTGRES_CONNECT' });
}
