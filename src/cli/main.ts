import { isStuck } from './abort.ts';
import { endAtOnce, processIo, settle } from './process-io.ts';
import { run } from './run.ts';

const code = await run(process.argv.slice(2), processIo());
await settle();
if (isStuck()) endAtOnce(code);
// Not by itself: a read of standard input or a call into a source that was given up may still be pending.
process.exit(code);
