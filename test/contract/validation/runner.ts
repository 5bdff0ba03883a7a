import assert from 'node:assert/strict';
import test, { describe, type TestContext } from 'node:test';
import type { Connection, Database } from 'recurve/adbc';
import { batchFromRows, dictionary, Field, type RecordBatch, type Row, Schema, Table } from 'recurve/arrow';
import type { Adaptation } from './adapt.ts';
import { loadCases, splitStatements, type ValidationCase } from './case.ts';
import { parseRows, sortRows } from './row.ts';
import { differenceOf, parseSchema, UnknownFormat } from './schema.ts';

/** How a driver departs from a case, and why. */
export interface Adjustment {
  /** One line. */
  readonly reason: string;
  /** The case in the driver's dialect and types. Absent: the case cannot pass, and is skipped. */
  readonly adapt?: Adaptation;
}

/** A driver as the validation cases see it. */
export interface ValidationHarness {
  readonly name: string;
  open(): Promise<Database>;
  /** Statements for each connection. */
  readonly setup: readonly string[];
  quote(identifier: string): string;
  /** By the case's name. One that no case is named by, and one that is skipped but would pass, fail the run. */
  readonly adjustments: Readonly<Record<string, Adjustment>>;
}

/** Runs every case below the folder that ADBC_VALIDATION_DATA names: a test a case, and one that counts them. */
export function runValidation(harness: ValidationHarness): void {
  const title = `${harness.name}: ADBC validation`;
  const root = process.env.ADBC_VALIDATION_DATA;
  if (root === undefined) {
    test(title, { skip: 'ADBC_VALIDATION_DATA does not name a folder of cases' }, () => {});
    return;
  }
  const cases = loadCases(root);
  const outcomes = new Map<string, string>();
  describe(title, () => {
    for (const one of cases) test(one.name, (t) => runOne(t, harness, one, outcomes));
    test('every case is passed or listed with its reason', (t) => {
      const names = new Set(cases.map(({ name }) => name));
      for (const name of Object.keys(harness.adjustments)) assert.ok(names.has(name), `no case is named ${name}`);
      const counts = new Map<string, number>();
      for (const outcome of outcomes.values()) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      for (const [outcome, count] of counts) t.diagnostic(`${count} ${outcome}`);
      assert.ok((counts.get('passed') ?? 0) > 0, 'no case has passed');
      assert.equal(outcomes.size, cases.length, 'cases are neither passed nor listed');
    });
  });
}

async function runOne(
  t: TestContext,
  harness: ValidationHarness,
  one: ValidationCase,
  outcomes: Map<string, string>,
): Promise<void> {
  const { reason, adapt } = harness.adjustments[one.name] ?? {};
  if (reason === undefined || adapt !== undefined) {
    await runCase(harness, { ...one, parts: adapt?.(one.parts) ?? one.parts });
    outcomes.set(one.name, reason === undefined ? 'passed' : `passed in its own words: ${reason}`);
    return;
  }
  // A reason that has gone must not hide a case.
  await assert.rejects(
    runCase(harness, one),
    (error) => error instanceof assert.AssertionError || error instanceof UnknownFormat || 'status' in (error as Error),
    'it is listed as one that cannot pass, but it passes',
  );
  outcomes.set(one.name, `skipped: ${reason}`);
  t.skip(reason);
}

/** Runs a case against an empty database. */
async function runCase(harness: ValidationHarness, one: ValidationCase): Promise<void> {
  const database = await harness.open();
  try {
    const connection = await database.connect();
    for (const statement of harness.setup) await connection.execute(statement);
    if (one.kind === 'ingest') await runIngest(harness, connection, one);
    else if (one.kind === 'bind') await runBind(harness, connection, one);
    else await runQuery(harness, connection, one);
  } finally {
    await database.close();
  }
}

async function runQuery(harness: ValidationHarness, connection: Connection, one: ValidationCase): Promise<void> {
  await setUp(harness, connection, one);
  const query = part(one, 'query');
  await compare(connection, query, one);
  const expected = parseSchema(part(one, 'expected_schema'));
  const statement = await connection.prepare(query);
  assertSchema(await statement.executeSchema(), schemaPart(one, 'execute_schema') ?? expected, 'executeSchema');
  await statement.close();
  const table = one.metadata['setup.drop'];
  if (one.kind !== 'select' || typeof table !== 'string') return;
  const { fields } = await connection.getTableSchema({ tableName: table });
  assertSchema(new Schema(fields.slice(1)), schemaPart(one, 'catalog_schema') ?? expected, 'getTableSchema');
}

async function runBind(harness: ValidationHarness, connection: Connection, one: ValidationCase): Promise<void> {
  const schema = parseSchema(part(one, 'bind_schema'));
  const batch = batchFromRows(schema, parseRows(part(one, 'bind'), schema));
  await bindAndCompare(harness, connection, one, batch);
  if (schema.fields.some((field) => field.type.kind === 'utf8')) {
    await bindAndCompare(harness, connection, one, dictionaryEncoded(batch));
  }
}

async function bindAndCompare(
  harness: ValidationHarness,
  connection: Connection,
  one: ValidationCase,
  batch: RecordBatch,
): Promise<void> {
  await setUp(harness, connection, one);
  const statement = await connection.prepare(part(one, 'bind_query'));
  statement.bind(batch);
  await statement.executeUpdate();
  await statement.close();
  await compare(connection, part(one, 'query'), one);
}

/** The batch with every text column as indices into its own values. */
function dictionaryEncoded(batch: RecordBatch): RecordBatch {
  const fields = batch.schema.fields.map((field) =>
    field.type.kind === 'utf8' ? new Field(field.name, dictionary(field.type), { nullable: field.nullable }) : field,
  );
  return batchFromRows(new Schema(fields), batch.toArray());
}

async function runIngest(harness: ValidationHarness, connection: Connection, one: ValidationCase): Promise<void> {
  const schema = parseSchema(part(one, 'input_schema'));
  const rows = parseRows(part(one, 'input'), schema);
  const table = new Table(schema, [batchFromRows(schema, rows)]);
  assert.equal(await connection.ingest('validation_ingest', table), rows.length);
  const [first] = schema.names;
  const select = `SELECT * FROM ${harness.quote('validation_ingest')} ORDER BY ${harness.quote(first ?? '')}`;
  await compare(connection, select, {
    ...one,
    parts: {
      ...one.parts,
      expected: one.parts.expected ?? part(one, 'input'),
      expected_schema: one.parts.expected_schema ?? part(one, 'input_schema'),
    },
  });
}

async function setUp({ quote }: ValidationHarness, connection: Connection, one: ValidationCase): Promise<void> {
  const drop = one.metadata['setup.drop'];
  if (typeof drop === 'string') await connection.execute(`DROP TABLE IF EXISTS ${quote(drop)}`);
  for (const statement of splitStatements(one.parts.setup_query ?? '')) await connection.execute(statement);
}

/** Runs a query and compares schema and rows with what the case expects. */
async function compare(connection: Connection, query: string, one: ValidationCase): Promise<void> {
  const result = await connection.query(query);
  const expected = parseSchema(part(one, 'expected_schema'));
  assertSchema(result.schema, expected, 'the result');
  const keys = one.metadata['sort-keys'];
  const rows: Row[] = (await result.table()).toArray();
  assert.deepEqual(sortRows(rows, keys), sortRows(parseRows(part(one, 'expected'), expected), keys));
}

function assertSchema(actual: Schema, expected: Schema, what: string): void {
  const difference = differenceOf(actual, expected);
  assert.ok(difference === undefined, `the schema of ${what}: ${difference}`);
}

function part({ name, parts }: ValidationCase, key: string): string {
  return parts[key] ?? assert.fail(`${name} has no part ${key}`);
}

function schemaPart({ parts }: ValidationCase, key: string): Schema | undefined {
  return parts[key] === undefined ? undefined : parseSchema(parts[key]);
}
