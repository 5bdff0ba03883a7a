import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { it } from 'node:test';

const program = `
import { tableFromArrays } from 'recurve/arrow';
let mayGenerate = true;
try { new Function('return 1'); } catch { mayGenerate = false; }
const table = tableFromArrays(Object.fromEntries([
  ['n', Int32Array.of(1, 2)], ['__proto__', ['a', null]], ['s', [{ x: 1 }, null]], ['constructor', [true, false]],
]));
const rows = [...table.toArray(), ...table].map((row) => Object.entries(row));
const wide = tableFromArrays(Object.fromEntries(Array.from({ length: 20 }, (_, c) => ['c' + c, [c, c + 0.5, null]])));
console.log(JSON.stringify({ mayGenerate, rows, wide: wide.toArray().map((row) => Object.entries(row)) }));
`;

it('rows are the same where code may not be generated from text', () => {
  const [forbidden, allowed] = [['--disallow-code-generation-from-strings'], []].map((flags) => {
    const args = [
      ...flags,
      '--conditions=recurve-source',
      `--import=${import.meta.resolve('tsx')}`,
      '--input-type=module',
      '-e',
      program,
    ];
    return JSON.parse(
      execFileSync(process.execPath, args, { encoding: 'utf8', cwd: new URL('../..', import.meta.url) }),
    );
  });
  const row = (n: number, p: string | null, s: unknown, c: boolean) => [
    ['n', n],
    ['__proto__', p],
    ['s', s],
    ['constructor', c],
  ];
  const rows = [row(1, 'a', { x: 1 }, true), row(2, null, null, false)];
  const wide = [0, 0.5, null].map((more) =>
    Array.from({ length: 20 }, (_, c) => [`c${c}`, more === null ? null : c + more]),
  );
  assert.deepEqual(forbidden, { mayGenerate: false, rows: [...rows, ...rows], wide });
  assert.deepEqual(allowed, { mayGenerate: true, rows: [...rows, ...rows], wide });
});
