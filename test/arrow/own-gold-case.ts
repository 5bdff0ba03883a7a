import { readdirSync, readFileSync } from 'node:fs';
import { type BatchesOfSchema, type Column, dictionaryMetadata, type Metadata } from 'recurve/arrow';
import { type JsonTruth, readJsonTruth } from '../../src/cli/integration/json-file.ts';
import type { Extra, ExtraMetadata } from '../gold/definition.ts';
import { goldFolder } from '../gold/make.ts';
import { findGoldDifference } from './gold-case.ts';

/** A gold case of this project, as its files have it. */
export interface OwnCase {
  readonly name: string;
  readonly truth: JsonTruth;
  readonly extra: Extra;
  /** Names of the binaries. */
  readonly files: readonly string[];
}

export function readGoldFile(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(name, goldFolder)));
}

/** The cases of batches, by name. */
export function listOwnCases(): OwnCase[] {
  const names = readdirSync(goldFolder);
  return names
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .filter((name) => !names.includes(`${name}.tensor`))
    .sort()
    .map((name) => {
      const text = readFileSync(new URL(`${name}.json`, goldFolder), 'utf8');
      const { extra = {} } = JSON.parse(text) as { extra?: Extra };
      const files = ['stream', 'arrow_file']
        .map((suffix) => `${name}.${suffix}`)
        .filter((file) => names.includes(file));
      return { name, truth: readJsonTruth(text), extra, files };
    });
}

/** The first difference to the truth, the batches' metadata and the bits of floats with it; null when there is none. */
export function findOwnDifference({ truth, extra }: OwnCase, read: BatchesOfSchema): string | null {
  const dictionaries = extra.dictionariesChange ? 'used' : 'whole';
  const found = findGoldDifference(truth, read, { dictionaries });
  if (found !== null) return found;
  for (const [i, batch] of truth.batches.entries()) {
    const metadata = read.batches[i]?.metadata;
    const wanted = hexOfExtra(extra.batchMetadata?.[i]);
    if (metadata !== undefined && wanted !== hexOf(metadata)) {
      return `batch ${i} has metadata ${hexOf(metadata)} instead of ${wanted}`;
    }
    if (extra.exactFloats && bitsOf(read.batches[i]?.columns) !== bitsOf(batch.columns)) {
      return `batch ${i} has the floats ${bitsOf(read.batches[i]?.columns)} instead of ${bitsOf(batch.columns)}`;
    }
  }
  return null;
}

/** The metadata of all dictionaries' messages. */
export function dictionaryEntries(read: BatchesOfSchema): string[] {
  const columns = read.batches.flatMap((batch) => batch.columns);
  return columns.flatMap(({ layout }) =>
    layout.dictionary === undefined ? [] : [hexOf(dictionaryMetadata(layout.dictionary))],
  );
}

/** Pairs of hexadecimal text. */
export function hexOf(metadata: Metadata): string {
  const pairs: string[] = [];
  metadata.forEachBytes((key, value) => {
    pairs.push(`${Buffer.from(key).toString('hex')}=${Buffer.from(value).toString('hex')}`);
  });
  return pairs.join();
}

export function hexOfExtra(metadata: ExtraMetadata = []): string {
  const part = (text: string | undefined, hex: string | undefined): string =>
    text === undefined ? (hex ?? '').toLowerCase() : Buffer.from(text).toString('hex');
  return metadata.map((entry) => `${part(entry.key, entry.keyHex)}=${part(entry.value, entry.valueHex)}`).join();
}

/** The bits of floats that are not null, at all levels. */
function bitsOf(columns: readonly Column[] = []): string {
  return columns
    .map((column) => {
      const { type, layout } = column;
      if (type.kind !== 'float' || layout.values === undefined) return `(${bitsOf(layout.children)})`;
      const width = type.bitWidth / 8;
      const bytes = Buffer.from(layout.values.buffer, layout.values.byteOffset, column.length * width);
      return Array.from({ length: column.length }, (_, i) =>
        column.isValid(i) ? bytes.toString('hex', i * width, (i + 1) * width) : 'null',
      ).join();
    })
    .join(' ');
}
