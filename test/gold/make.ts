/**
 * node --conditions=recurve-source --import tsx test/gold/make.ts
 *
 * Writes all files of test/gold/data anew. The same bytes come out on every version of Node.
 */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { type Codec, FileWriter, type RecordBatch, StreamWriter, writeTensor } from 'recurve/arrow';
import { RecordBatch as Batch } from '../../src/arrow/batch.ts';
import { makeColumn } from '../../src/arrow/column/make.ts';
import type { Column, Values } from '../../src/arrow/column.ts';
import { Field } from '../../src/arrow/schema.ts';
import { childFields } from '../../src/arrow/type.ts';
import { readJsonTruth } from '../../src/cli/integration/json-file.ts';
import { lz4 } from '../../src/codec/index.ts';
import { loadPortableZstd } from '../../src/codec/zstd/codec.ts';
import type { ExtraMetadata, GoldDefinition, Written } from './definition.ts';
import { dictionaryCases } from './dictionary-case.ts';
import { metadataCases } from './metadata-case.ts';
import { tensorCases, tensorOf } from './tensor-case.ts';
import { typeCases } from './type-case.ts';
import { writeByHand } from './wire.ts';
import { wireCases } from './wire-case.ts';

/** Where the files are. */
export const goldFolder: URL = new URL('data/', import.meta.url);

/** All cases of batches. */
const goldDefinitions: readonly GoldDefinition[] = [...dictionaryCases, ...metadataCases, ...typeCases, ...wireCases];

/** All files by their names. */
export async function makeGold(): Promise<Map<string, Uint8Array>> {
  // Not the platform's ZSTD, whose bytes differ by version.
  const codecs = [lz4(), await loadPortableZstd()];
  const files = new Map<string, Uint8Array>();
  const put = (name: string, bytes: Uint8Array): void => {
    if (files.has(name)) throw new Error(`two cases make ${name}`);
    files.set(name, bytes);
  };
  for (const definition of goldDefinitions) {
    put(`${definition.name}.json`, jsonBytes(definition.json));
    for (const format of definition.written.formats ?? (['stream', 'file'] as const)) {
      const suffix = format === 'file' ? 'arrow_file' : 'stream';
      put(`${definition.name}.${suffix}`, write(definition, format, codecs));
    }
  }
  for (const [name, truth] of Object.entries(tensorCases)) {
    put(`${name}.json`, jsonBytes(truth));
    const metadata = truth.metadata?.map(({ key, value }) => [key, value] as const);
    put(`${name}.tensor`, writeTensor(tensorOf(truth), { metadata }));
  }
  return files;
}

function jsonBytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value)}\n`);
}

function write(
  { json, longer, written }: GoldDefinition,
  format: 'stream' | 'file',
  codecs: readonly Codec[],
): Uint8Array {
  const { windows, byHand, alignment = 8, compression } = written;
  const truth = readJsonTruth(JSON.stringify(longer ?? json));
  const { schema } = truth;
  const batches = truth.batches.map((batch, i) => {
    const columns = schema.fields.map((field, position) => {
      const column = batch.columns[position] as Column;
      return windowed(field, byHand?.lead ? column.slice(byHand.lead) : column, i, windows ?? {});
    });
    return new Batch(schema, columns, batch.numRows - (byHand?.lead ?? 0));
  });
  if (byHand !== undefined) return writeByHand(schema, batches, format, byHand);
  const { extra = {} } = json;
  const isFile = format === 'file';
  const metadata = entriesOf(isFile ? extra.footerMetadata : extra.schemaMessageMetadata);
  const writer = new (isFile ? FileWriter : StreamWriter)(schema, { alignment, compression, codecs, metadata });
  const chunks = batches.flatMap((batch: RecordBatch, i) => [
    ...writer.writeDictionaries(batch, { metadata: entriesOf(extra.dictionaryMetadata) }),
    ...writer.write(batch, { metadata: entriesOf(extra.batchMetadata?.[i]) }),
  ]);
  return new Uint8Array(Buffer.concat([...writer.start(), ...chunks, ...writer.finish()]));
}

/** The entries as text or bytes. */
function entriesOf(metadata: ExtraMetadata = []): [string | Uint8Array, string | Uint8Array][] {
  const part = (text: string | undefined, hex: string | undefined): string | Uint8Array =>
    text ?? new Uint8Array(Buffer.from(hex ?? '', 'hex'));
  return metadata.map(({ key, value, keyHex, valueHex }) => [part(key, keyHex), part(value, valueHex)]);
}

/** The column with the part of its dictionaries that this batch has. */
function windowed(field: Field, column: Column, batch: number, windows: NonNullable<Written['windows']>): Column {
  const { type } = field;
  const { layout } = column;
  const fields = type.kind === 'dictionary' ? [] : childFields(type);
  if (type.kind !== 'dictionary' && fields.length === 0) return column;
  const children = fields.map((child, i) => windowed(child, layout.children?.[i] as Column, batch, windows));
  const parts = { ...layout, validity: column.validity, nullCount: column.nullCount };
  if (type.kind !== 'dictionary') return makeColumn(field, { ...parts, children });
  const dictionary = windowed(new Field('', type.value), layout.dictionary as Column, batch, windows);
  const [start, end] = windows[Number(type.id)]?.[batch] ?? [0, dictionary.length];
  const values = (layout.values as Values).slice() as Int32Array;
  if (start > 0) for (const [i, value] of values.entries()) values[i] = Math.max(0, value - start);
  return makeColumn(field, { ...parts, values, dictionary: dictionary.slice(start, end) });
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of readdirSync(goldFolder)) rmSync(new URL(name, goldFolder));
  const files = await makeGold();
  for (const [name, bytes] of files) writeFileSync(new URL(name, goldFolder), bytes);
  console.log(`${files.size} files, ${[...files.values()].reduce((sum, { length }) => sum + length, 0)} bytes`);
}
