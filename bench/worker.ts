/**
 * The process of one arm. It is started with the arm's address (JSON) as its argument, says when the arm is open, and does
 * what the parent asks, one thing at a time; it ends when the parent closes the channel.
 */
import type { ArmAddress, Reply, Request } from './harness/arm-process.ts';
import { Stopwatch } from './harness/measure.ts';
import type { Arm, Suite } from './harness/suite.ts';

process.once('disconnect', () => process.exit());

async function openStopwatch(): Promise<{ arm: Arm; watch: Stopwatch }> {
  const { module, cell, arm, input } = JSON.parse(process.argv[2] ?? '') as ArmAddress;
  if (globalThis.gc === undefined) throw new Error('this process needs --expose-gc');
  const { suite } = (await import(module)) as { suite: Suite };
  const opened = await suite.openArm(cell, arm, input);
  return { arm: opened, watch: new Stopwatch(opened) };
}

async function answer(request: Request): Promise<Reply['value']> {
  const { arm, watch } = await opening;
  switch (request) {
    case 'warm-up':
      await watch.warmUp();
      return null;
    case 'measure':
      return watch.measure();
    case 'digest':
      return watch.digest();
    case 'close':
      await arm.close?.();
      return null;
  }
}

function send(reply: Reply): void {
  process.send?.(reply);
}

function fail(error: unknown): void {
  send({ value: null, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
}

const opening = openStopwatch();
process.on('message', (request: Request) => void answer(request).then((value) => send({ value }), fail));
await opening.then(() => send({ value: null }), fail);
