import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { tableFromIPC } from '../../src/arrow/validate/reader.ts';
import { finish, Workplace } from './command.ts';

/** Far more rows than could be written in a test's time. */
const endless = 'from range(100000000000)';
/** A statement that gives its first row after minutes. */
const thinking = 'select count(*) from range(100000000000) a where hash(a.range) = 1';

const sleep = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

describe('the process', () => {
  const workplace = new Workplace();
  after(() => workplace.remove());
  const leftovers = (): string[] => readdirSync(workplace.folder).filter((name) => name.includes('.partial'));

  test('writes bytes that are not changed on the way', async () => {
    const { out, code } = await workplace.run(`recurve query "select 'ä漢😀' as t, 1.10::decimal(5,2) as d" -f json`);
    assert.deepEqual([out, code], ['[{"t":"ä漢😀","d":1.10}]\n', 0]);
  });

  test('succeeds when the reader of its pipe has had enough, and stops at once', async () => {
    for (const format of ['csv', 'json', 'arrows', 'table']) {
      const start = performance.now();
      const line = `(recurve query "${endless}" -f ${format}; echo "exit $?" >&2) | head -c 20`;
      const { out, err } = await workplace.run(line);
      assert.equal(Buffer.byteLength(out) > 0, true);
      assert.equal(err, 'exit 0\n', format);
      assert.ok(performance.now() - start < 10_000);
    }
  });

  test('ends with 130 and one line at an interrupt, whatever it is doing', async () => {
    for (const line of [
      `exec recurve query "${thinking}"`,
      `exec recurve query "${endless}" -o x.csv`,
      `exec recurve query "${endless}"`,
      'exec recurve query -',
    ]) {
      const child = workplace.start(line, { stdin: null });
      await sleep(1500);
      const start = performance.now();
      child.kill('SIGINT');
      const { code, err } = await finish(child);
      assert.deepEqual([code, err], [130, 'error[CANCELLED]: interrupted\n'], line);
      assert.ok(performance.now() - start < 1000, `${line}: ${performance.now() - start} ms`);
      assert.deepEqual(leftovers(), []);
    }
  });

  test('ends with 4 when its time is over, even while nobody reads', async () => {
    const { code, err, out } = await workplace.run(`recurve query "${thinking}" --timeout 1.5`);
    assert.deepEqual([code, out], [4, '']);
    assert.match(err, /^error\[TIMEOUT\]: not done within 1\.5 s\nhint: /);
    const stalled = await workplace.run(`(recurve query "${endless}" --timeout 1.5; echo "exit $?" >&2) | sleep 4`);
    assert.match(stalled.err, /exit 4\n$/);
  });

  test('says in one line that the disk is full, and leaves no partial file', async () => {
    const limited = await workplace.run(`ulimit -f 100; recurve query "from range(1000000)" -o big.csv`);
    assert.equal(limited.code, 1);
    assert.match(
      limited.err,
      /^error\[IO\]: cannot write "big\.csv": the file would be larger than is allowed\nhint: .*\n$/,
    );
    assert.ok(!existsSync(join(workplace.folder, 'big.csv')));
    assert.deepEqual(leftovers(), []);
    if (!existsSync('/dev/full')) return;
    const full = await workplace.run('recurve query "from range(1000000)" > /dev/full');
    assert.equal(full.code, 1);
    assert.match(full.err, /^error\[IO\]: cannot write standard output: no space left on the device\nhint: .*\n$/);
  });

  test('notices a disk that fills up in the middle of a write to standard output', async () => {
    const { code, err } = await workplace.run('ulimit -f 1000; recurve query "from range(1000000)" > big.csv');
    assert.equal(code, 1);
    assert.match(err, /^error\[IO\]: cannot write standard output: the file would be larger/);
  });

  test('gives bad input one clear line and the right exit code, and nothing on standard output', async () => {
    writeFileSync(join(workplace.folder, 'cut.arrow'), 'ARROW1\0\0\xff\xff\xff\xff');
    const cases: [line: string, code: number, message: RegExp][] = [
      ['recurve query "selec 1"', 1, /^error\[INVALID_ARGUMENT\]: .*selec/],
      [`recurve query "from 'none.parquet'"`, 1, /^error\[\w+\]: .*none\.parquet/],
      [`recurve query "from 'cut.arrow'"`, 1, /^error\[INVALID_DATA\]: .*cut\.arrow/],
      ['recurve query nosuch://host/db "select 1"', 2, /^error\[INVALID_ARGUMENT\]: .*nosuch/],
      ['recurve query duckdb:///none/none.db "select 1"', 3, /^error\[\w+\]: .*none\.db/],
      ['recurve query "select 1" --path nosuch', 2, /^error\[INVALID_ARGUMENT\]: .*nosuch/],
      ["recurve query '-- nothing; /* at all */'", 2, /^error\[INVALID_ARGUMENT\]: the statement is empty/],
      ['recurve query', 2, /^error\[INVALID_ARGUMENT\]: the statement is empty/],
      [`recurve query "select 'abc'::int"`, 1, /^error\[\w+\]: .*abc/],
      [`recurve query "select 1" -o none/x.csv`, 1, /^error\[NOT_FOUND\]: cannot write "none\/x\.csv": its folder/],
    ];
    for (const [line, code, message] of cases) {
      const ran = await workplace.run(line);
      assert.deepEqual([ran.code, ran.out], [code, ''], `${line}: ${ran.err}`);
      assert.match(ran.err, message, line);
      assert.match(ran.err, /^error\[.*\n(hint: .*\n)?$/, line);
    }
  });

  test('shows a stack with --debug only', async () => {
    const { err } = await workplace.run('recurve query "selec 1" --debug');
    assert.match(err, /\n +at /);
  });

  test('fails when a result breaks in the middle, after what had gone out', async () => {
    const sql = "select case when range < 1500000 then range::varchar else 'x' end::int as n from range(2000000)";
    const ran = await workplace.run(`recurve query "${sql}" | tail -n 1; recurve query "${sql}" > out.csv; echo $?`);
    assert.match(ran.err, /^(error\[\w+\]: .*\n(hint: .*\n)?){2}$/);
    assert.match(ran.out, /^\d+\n1\n$/);
  });

  test('never holds the result', { skip: !existsSync('/proc/self/status') && 'needs /proc' }, async () => {
    const peak = async (rows: number): Promise<number> => {
      const sql = `select range as n, 'some text that is longer than twelve ' || range as t from range(${rows})`;
      const child = workplace.start(`exec recurve query "${sql}"`);
      let kilobytes = 0;
      child.stdout?.resume();
      const watch = setInterval(() => {
        const status = existsSync(`/proc/${child.pid}/status`) ? readFileSync(`/proc/${child.pid}/status`, 'utf8') : '';
        kilobytes = Math.max(kilobytes, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
      }, 20);
      await new Promise((done) => child.on('close', done));
      clearInterval(watch);
      return kilobytes / 1024;
    };
    const small = await peak(1000);
    const large = await peak(8_000_000);
    assert.ok(small > 0 && large - small < 250, `${small} MiB for 1,000 rows, ${large} MiB for 8 million`);
  });

  test('writes the CSV that DuckDB writes', async () => {
    const from = "from 'flights.parquet' limit 500000";
    const ran = await workplace.run(
      `recurve query "${from}" -o ours.csv && recurve query "copy (${from}) to 'theirs.csv'"`,
    );
    assert.deepEqual([ran.code, ran.out, ran.err], [0, '', '']);
    assert.ok(
      readFileSync(join(workplace.folder, 'ours.csv')).equals(readFileSync(join(workplace.folder, 'theirs.csv'))),
    );
  });

  test('writes Parquet that DuckDB reads back, to a file and to a pipe', async () => {
    const sql = "select range as n, 'row ' || range as t, null::double as x from range(5000)";
    const line = `recurve query "${sql}" -o x.parquet && recurve query "${sql}" -f parquet > y.parquet`;
    const ran = await workplace.run(
      `${line} && recurve query "select count(*) as c, sum(n) as s, max(t) as m, count(x) as x from 'x.parquet'"`,
    );
    assert.deepEqual([ran.code, ran.out, ran.err], [0, 'c,s,m,x\n5000,12497500,row 999,0\n', '']);
    assert.ok(
      readFileSync(join(workplace.folder, 'x.parquet')).equals(readFileSync(join(workplace.folder, 'y.parquet'))),
    );
  });

  test('writes no Parquet of a statement without a result, and names no file of its own in an error', async () => {
    const none = await workplace.run('recurve query "create table t (a int)" -f parquet');
    assert.deepEqual([none.code, none.out, none.err], [0, '', '']);
    const refused = await workplace.run('ulimit -f 100; recurve query "from range(1000000)" -f parquet | cat');
    assert.match(refused.err, /^error\[IO\]: cannot write Parquet: .*larger than is allowed/);
    assert.doesNotMatch(refused.err, /recurve-parquet|result\.arrow/);
  });

  test('binds a whole number as the integer that a function wants', async () => {
    const ran = await workplace.run(`recurve query "select date '2020-01-01' + \\$1 as d" --param :int=3`);
    assert.deepEqual([ran.code, ran.out, ran.err], [0, 'd\n2020-01-04\n', '']);
  });

  test('runs the demo, cleans up after it, and keeps its file when asked', async () => {
    const temporary = join(workplace.folder, 'tmp');
    const ran = await workplace.run('mkdir tmp && recurve demo && recurve demo -o kept.arrow > /dev/null', {
      env: { TMPDIR: temporary },
    });
    assert.equal(ran.code, 0, ran.err);
    assert.match(ran.out, /3,000,000 rows/);
    assert.match(ran.out, /agree/);
    assert.match(ran.out, /█/);
    assert.ok(!ran.out.includes('\u001b'));
    assert.equal(ran.err, '');
    assert.deepEqual(
      readdirSync(temporary).filter((name) => name.startsWith('recurve-')),
      [],
    );
    assert.equal(tableFromIPC(readFileSync(join(workplace.folder, 'kept.arrow'))).numRows, 3_000_000);
  });
});
