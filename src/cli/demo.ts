import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connection } from '../adbc/connection.ts';
import type { Int64Column } from '../arrow/column/bigint.ts';
import type { Table } from '../arrow/table.ts';
import { tableFromIPC } from '../arrow/validate/reader.ts';
import { type DeliveryReport, formatBytes, formatReport } from '../delivery/report.ts';
import { RecurveError } from '../error.ts';
import { abortable, waitPatiently } from './abort.ts';
import type { Arguments } from './argument.ts';
import { type FlightData, findFlights } from './demo-data.ts';
import { openArrowFile } from './format/arrow.ts';
import { type CommandIo, print } from './io.ts';
import { openOutput } from './output.ts';
import { plotBars } from './plot.ts';
import { formatCount, formatSeconds, startProgress } from './progress.ts';
import { writeAll } from './query.ts';
import { openSource } from './source.ts';

/** What both sides must agree on. */
interface Sums {
  readonly rows: bigint;
  readonly delay: bigint;
  readonly distance: bigint;
  /** Flights that leave in each hour of the day. */
  readonly byHour: readonly bigint[];
}

/** `recurve demo`: flights from DuckDB to an Arrow file and back, checked on the way. */
export async function demo(args: Arguments, io: CommandIo, flights: FlightData = findFlights()): Promise<number> {
  const start = performance.now();
  const say = (line = ''): Promise<void> => print(io.stdout, `${line}\n`);
  const { signal } = io;
  const kept = args.get('output');
  const folder = kept === undefined ? await mkdtemp(join(tmpdir(), 'recurve-demo-')) : undefined;
  const file = kept ?? join(folder ?? '', 'flights.arrow');
  try {
    const source = await openSource('duckdb:', { signal });
    try {
      const { connection } = source;
      await say(`data      ${flights.description}`);
      if (flights.setup !== undefined) await connection.execute(flights.setup, [], { signal });
      const sql = `select date, delay, distance, origin, destination from ${flights.relation}`;
      const { report, ms: writeMs } = await writeArrow(connection, sql, file, io);
      const readStart = performance.now();
      const bytes = await readFile(file, { signal });
      const table = tableFromIPC(bytes);
      const readMs = performance.now() - readStart;
      await say(
        `written   ${file}: ${formatCount(report.rows)} rows, ${formatBytes(bytes.length)} in ${formatSeconds(writeMs)}`,
      );
      await say(`read      ${formatCount(table.numRows)} rows in ${formatSeconds(readMs)}, in place`);
      const sums = sumTable(table);
      check(await sumByDuckdb(connection, flights, signal), sums);
      await say(`checked   DuckDB and the Arrow file agree: ${describe(sums)}`);
      await say();
      await say(indent(formatReport(report)));
      await say();
      await say('  flights by hour of departure, from the Arrow file');
      const bars = sums.byHour.map((count, hour) => ({ label: `${hour}`.padStart(2, '0'), value: Number(count) }));
      await say(indent(plotBars(bars, { width: 48 }).join('\n')));
    } finally {
      await waitPatiently(source.close(), signal);
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
  await say();
  await say(`done in ${formatSeconds(performance.now() - start)}; try next:`);
  if (kept !== undefined)
    await say(`  recurve query "select origin, count(*) as n from '${kept}' group by 1 order by n desc limit 5"`);
  else await say('  recurve demo -o flights.arrow');
  await say('  recurve query "select 42 as answer" -f json --delivery');
  await say('  recurve help query');
  return 0;
}

/** Streams a statement's result to an Arrow file, batch by batch. */
async function writeArrow(
  connection: Connection,
  sql: string,
  file: string,
  io: CommandIo,
): Promise<{ readonly report: DeliveryReport; readonly ms: number }> {
  const start = performance.now();
  const progress = startProgress(io);
  const output = await waitPatiently(openOutput(file, io.signal), io.signal);
  try {
    const result = await connection.query(sql, [], { signal: io.signal });
    const sink = abortable(output, io.signal);
    const writer = await openArrowFile({ schema: result.schema, sink, signal: io.signal });
    await writeAll(result, writer, progress);
    await output.commit();
    return { report: result.delivery, ms: performance.now() - start };
  } finally {
    await progress.stop();
    await output.discard();
  }
}

/** The sums over the columns' own buffers. */
function sumTable(table: Table): Sums {
  const byHour = new Float64Array(24);
  const microsecondsPerHour = 3_600_000_000;
  for (const chunk of table.column('date').chunks) {
    const { values } = chunk as Int64Column;
    for (let i = 0; i < values.length; i++) {
      const hour = Math.floor(Number(values[i]) / microsecondsPerHour) % 24;
      byHour[hour] = (byHour[hour] ?? 0) + 1;
    }
  }
  return {
    rows: BigInt(table.numRows),
    delay: sum(table, 'delay'),
    distance: sum(table, 'distance'),
    byHour: Array.from(byHour, BigInt),
  };
}

function sum(table: Table, name: string): bigint {
  let total = 0n;
  for (const chunk of table.column(name).chunks) {
    const { values } = chunk as Int64Column;
    // Minutes and miles of one batch stay far below 2^53.
    let ofChunk = 0;
    for (let i = 0; i < values.length; i++) ofChunk += Number(values[i]);
    total += BigInt(ofChunk);
  }
  return total;
}

async function sumByDuckdb(connection: Connection, flights: FlightData, signal: AbortSignal): Promise<Sums> {
  const totals = await connection.query(
    `select count(*) as rows, sum(delay)::bigint as delay, sum(distance)::bigint as distance from ${flights.relation}`,
    [],
    { signal },
  );
  const [total] = (await totals.table()).toArray();
  const hours = await connection.query(
    `select hour(date)::bigint as hour, count(*) as flights from ${flights.relation} group by 1`,
    [],
    { signal },
  );
  const byHour = new Array<bigint>(24).fill(0n);
  for (const { hour, flights: count } of (await hours.table()).toArray()) byHour[Number(hour)] = count as bigint;
  return { ...(total as { rows: bigint; delay: bigint; distance: bigint }), byHour };
}

/** Throws INTEGRITY when the file does not hold what DuckDB has. */
function check(expected: Sums, actual: Sums): void {
  const [wanted, found] = [describe(expected), describe(actual)];
  if (wanted === found && expected.byHour.join() === actual.byHour.join()) return;
  throw new RecurveError('INTEGRITY', `the Arrow file differs from DuckDB: ${found} against ${wanted}`);
}

function describe({ rows, delay, distance }: Sums): string {
  return `${formatCount(rows)} rows, delays of ${formatCount(delay)} minutes, distances of ${formatCount(distance)} miles`;
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
