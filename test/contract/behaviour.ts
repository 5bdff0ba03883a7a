import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import test, { describe, type TestContext } from 'node:test';
import type { Connection, Database, Parameters } from 'recurve/adbc';
import { RecurveError, type Row, type Status } from 'recurve/arrow';
import type { Dialect, Feature, Harness } from './harness.ts';

/** One thing that every driver must do. */
export interface Behaviour {
  /** A sentence about the driver, unique in the suite. */
  readonly name: string;
  /** Why somebody would be harmed otherwise. */
  readonly because: string;
  readonly needs?: readonly Feature[];
  check(context: Contract): Promise<void>;
}

/** Behaviours of one kind. */
export interface Area {
  readonly name: string;
  readonly behaviours: readonly Behaviour[];
}

/** What a behaviour is checked with: a database of its own, closed afterwards. */
export interface Contract {
  readonly t: TestContext;
  readonly harness: Harness;
  readonly dialect: Dialect;
  readonly database: Database;
  readonly connection: Connection;
}

/** Runs the areas against a driver: a test a behaviour. */
export function runContract(harness: Harness, areas: readonly Area[]): void {
  const names = new Set(areas.flatMap((area) => area.behaviours.map((behaviour) => behaviour.name)));
  for (const area of areas) {
    describe(`${harness.name}: ${area.name}`, () => {
      for (const behaviour of area.behaviours) {
        const skip = reasonToSkip(harness, behaviour);
        test(behaviour.name, skip === undefined ? {} : { skip }, (t) => checkBehaviour(t, harness, behaviour));
      }
    });
  }
  test(`${harness.name}: what the contract's harness skips is a behaviour, listed once`, () => {
    for (const name of Object.keys(harness.skips)) assert.ok(names.has(name), `no behaviour is named ${name}`);
    assert.equal(
      names.size,
      areas.reduce((sum, area) => sum + area.behaviours.length, 0),
    );
  });
}

function reasonToSkip({ lacks, skips }: Harness, { name, needs = [] }: Behaviour): string | undefined {
  const missing = needs.find((feature) => lacks[feature] !== undefined);
  return skips[name] ?? (missing === undefined ? undefined : `${missing}: ${lacks[missing]}`);
}

async function checkBehaviour(t: TestContext, harness: Harness, behaviour: Behaviour): Promise<void> {
  const database = await harness.open();
  try {
    const connection = await database.connect();
    await behaviour.check({ t, harness, dialect: harness.dialect, database, connection });
  } catch (error) {
    t.diagnostic(`the contract asks for it because ${behaviour.because}`);
    throw error;
  } finally {
    await database.close();
  }
}

/** All rows of a query. */
export async function rowsOf(connection: Connection, sql: string, parameters?: Parameters): Promise<Row[]> {
  return (await (await connection.query(sql, parameters)).table()).toArray();
}

/** The first value of the first row. */
export async function firstValue(connection: Connection, sql: string, parameters?: Parameters): Promise<unknown> {
  return Object.values((await rowsOf(connection, sql, parameters))[0] ?? {})[0];
}

/** The connection is idle and in order: it answers. */
export async function assertUsable({ dialect, connection }: Pick<Contract, 'dialect' | 'connection'>): Promise<void> {
  assert.equal(await firstValue(connection, dialect.answer.sql), dialect.answer.value);
}

/** The signal has nobody left who listens. */
export function assertNotHeld(signal: AbortSignal): void {
  assert.equal(getEventListeners(signal, 'abort').length, 0, 'a listener is left on the signal');
}

/** Rejects with the one error class, this status, a message of one line that matches; gives the error. */
export async function fails(work: Promise<unknown>, status: Status, message: RegExp = /./): Promise<RecurveError> {
  const error = await work.then(
    (value) => assert.fail(`it succeeded with ${value}, but should fail with ${status}`),
    (thrown: unknown) => thrown,
  );
  assert.ok(RecurveError.is(error), `not a RecurveError: ${error}`);
  assert.equal(error.status, status, error.message);
  assert.match(error.message, message);
  assert.doesNotMatch(error.message, /\n/, 'the message has several lines');
  return error;
}
