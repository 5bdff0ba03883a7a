import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { BatchesOfSchema } from 'recurve/arrow';
import { type CompareOptions, findBatchDifference } from '../../src/cli/integration/compare-batch.ts';
import { findSchemaDifference } from '../../src/cli/integration/compare-schema.ts';
import { type JsonTruth, readJsonTruth } from '../../src/cli/integration/json-file.ts';

// The official gold files: https://github.com/apache/arrow-testing, data/arrow-ipc-stream/integration, Apache-2.0.
const root = process.env.ARROW_TEST_DATA;
const integration = root === undefined ? undefined : join(root, 'arrow-ipc-stream', 'integration');

/** Why the gold files are not read; false when they are there. */
export const goldSkip: string | false =
  integration === undefined || !existsSync(integration) ? 'ARROW_TEST_DATA names no arrow-testing data' : false;

/** A gold case: three files that hold the same. */
export interface GoldCase {
  readonly name: string;
  /** Without a suffix. */
  readonly path: string;
  /** The closest level that the files pass: some have decimals beyond their precision, archery's quirk `no_decimal_validate`. */
  readonly level: 'default' | 'full';
}

/** Decimals beyond their precision, which these files have on purpose: archery's quirk `no_decimal_validate`. */
const imprecise = /(0\.14\.1|1\.0\.0-\w+)\/generated_decimal/;

/** How closely a gold file can be looked at, by its name. */
export function goldLevel(name: string): 'default' | 'full' {
  return imprecise.test(name) ? 'default' : 'full';
}

/** The cases there are, by name; none without the corpus. */
export function listGoldCases(): GoldCase[] {
  if (integration === undefined || goldSkip !== false) return [];
  return readdirSync(integration, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json.gz'))
    .map((file) => file.slice(0, -'.json.gz'.length))
    .sort()
    .map((name) => ({ name, path: join(integration, name), level: goldLevel(name) }));
}

/** The JSON truth of a case. */
export function readGoldTruth({ path }: GoldCase): JsonTruth {
  return readJsonTruth(gunzipSync(readFileSync(`${path}.json.gz`)).toString());
}

/** The first difference between what the JSON says and what was read; null when they are equal. */
export function findGoldDifference(truth: JsonTruth, read: BatchesOfSchema, options?: CompareOptions): string | null {
  const difference = findSchemaDifference(truth.schema, read.schema);
  if (difference !== null) return difference;
  if (read.batches.length !== truth.batches.length) {
    return `${read.batches.length} batches instead of ${truth.batches.length}`;
  }
  for (const [i, batch] of truth.batches.entries()) {
    const actual = read.batches[i];
    const found = actual === undefined ? `no batch ${i}` : findBatchDifference(batch, actual, i, options);
    if (found !== null) return found;
  }
  return null;
}
