import { RecurveError } from '../error.ts';
import { readFlag } from './connection-option.ts';
import type { IngestOptions } from './ingest.ts';
import { describe } from './options.ts';
import type { IngestMode } from './spi.ts';

/** ADBC's keys of the options that make a statement an ingest (`ADBC_INGEST_OPTION_*`). */
export const IngestOption = {
  TargetTable: 'adbc.ingest.target_table',
  TargetCatalog: 'adbc.ingest.target_catalog',
  TargetDbSchema: 'adbc.ingest.target_db_schema',
  Temporary: 'adbc.ingest.temporary',
  /** `adbc.ingest.mode.create` (default), `….append`, `….replace`, `….create_append`: see {@link IngestMode}. */
  Mode: 'adbc.ingest.mode',
  /** Of the mode `recurve.ingest.mode.upsert`, which ADBC does not have: the key columns as a JSON array, e.g. `["id"]`. */
  Keys: 'recurve.ingest.keys',
} as const;
/** See {@link IngestOption}. */
export type IngestOption = (typeof IngestOption)[keyof typeof IngestOption];

const modes: ReadonlyMap<string, IngestMode> = new Map([
  ['adbc.ingest.mode.create', 'create'],
  ['adbc.ingest.mode.append', 'append'],
  ['adbc.ingest.mode.replace', 'replace'],
  ['adbc.ingest.mode.create_append', 'createAppend'],
  ['recurve.ingest.mode.upsert', 'upsert'],
]);

/** Where a statement writes, as its options say; the text of a statement and a target exclude each other. */
export class IngestTarget {
  readonly #values = new Map<string, string>();

  /** Undefined: the statement is none that writes. */
  get tableName(): string | undefined {
    return this.#values.get(IngestOption.TargetTable);
  }

  get options(): IngestOptions {
    const temporary = this.#values.get(IngestOption.Temporary);
    return {
      mode: modes.get(this.#values.get(IngestOption.Mode) ?? ''),
      keys: readKeys(this.#values.get(IngestOption.Keys)),
      catalog: this.#values.get(IngestOption.TargetCatalog),
      dbSchema: this.#values.get(IngestOption.TargetDbSchema),
      temporary: temporary === undefined ? undefined : temporary === 'true',
    };
  }

  /** Throws NOT_IMPLEMENTED for a key that is none of {@link IngestOption}, INVALID_ARGUMENT for a value that means nothing. */
  set(key: string, value: string): void {
    if (!isKnown(key)) throw unknown('NOT_IMPLEMENTED', key);
    if (typeof value !== 'string') throw wrong(key, value, 'a string');
    if (key === IngestOption.TargetTable && value === '') throw wrong(key, value, 'the name of a table');
    if (key === IngestOption.Temporary) readFlag(key, value);
    if (key === IngestOption.Keys && readKeys(value) === undefined) throw wrong(key, value, 'a JSON array of names');
    if (key === IngestOption.Mode && !modes.has(value))
      throw wrong(key, value, `one of ${[...modes.keys()].join(', ')}`);
    this.#values.set(key, value);
  }

  /** The value that was set, or ADBC's default. Throws NOT_FOUND for a key that has neither. */
  get(key: string): string {
    const value = this.#values.get(key) ?? defaults.get(key);
    if (value !== undefined) return value;
    throw isKnown(key) ? new RecurveError('NOT_FOUND', `option ${key} is not set`) : unknown('NOT_FOUND', key);
  }

  /** The other options stay for the next target. */
  clearTable(): void {
    this.#values.delete(IngestOption.TargetTable);
  }
}

const defaults: ReadonlyMap<string, string> = new Map([
  [IngestOption.Mode, 'adbc.ingest.mode.create'],
  [IngestOption.Temporary, 'false'],
]);

/** Undefined for what is no JSON array of texts. */
function readKeys(text: string | undefined): string[] | undefined {
  try {
    const keys: unknown = JSON.parse(text ?? 'null');
    return Array.isArray(keys) && keys.every((key) => typeof key === 'string') ? keys : undefined;
  } catch {
    return undefined;
  }
}

function isKnown(key: string): boolean {
  return Object.values<string>(IngestOption).includes(key);
}

function wrong(key: string, value: unknown, wanted: string): RecurveError {
  return new RecurveError('INVALID_ARGUMENT', `option ${key} is ${describe(value)}, but must be ${wanted}`);
}

function unknown(status: 'NOT_IMPLEMENTED' | 'NOT_FOUND', key: string): RecurveError {
  return new RecurveError(status, `there is no statement option ${describe(key)}`, {
    hint: `those of a statement are ${Object.values(IngestOption).join(', ')}`,
  });
}
