import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  childFields,
  type Field,
  type Schema,
  StreamReader,
  type Table,
  tableFromIPC,
  tableToIPC,
} from 'recurve/arrow';
import { loadCodecs } from 'recurve/codec';
import { goldSkip, listGoldCases } from '../gold-case.ts';
import { batchValues } from './column-value.ts';
import { type JsonTruth, readJsonTruth } from './json-integration.ts';

describe('gold files of arrow-testing', () => {
  const cases = listGoldCases();

  it('are all there', { skip: goldSkip }, () => assert.equal(cases.length, 91));

  for (const { name, path, level } of cases) {
    it(`${name} reads as its JSON says, and again when written`, async () => {
      const codecs = await loadCodecs();
      const truth = readJsonTruth(`${path}.json.gz`);
      const options = { validate: level };
      for (const suffix of ['.stream', '.arrow_file']) {
        const bytes = readFileSync(path + suffix);
        const table = tableFromIPC(bytes, { ...options, codecs });
        checkTable(table, truth);
        checkTable(tableFromIPC(tableToIPC(table), options), truth);
        checkTable(tableFromIPC(tableToIPC(table, { format: 'file', alignment: 8 }), options), truth);
        for (const compression of ['lz4', 'zstd'] as const) {
          checkTable(tableFromIPC(tableToIPC(table, { compression, codecs }), { ...options, codecs }), truth);
        }
        checkTable(await (await StreamReader.from(bytes, options)).table(), truth);
      }
    });
  }
});

function checkTable(table: Table, truth: JsonTruth): void {
  assert.deepEqual(describeSchema(table.schema), describeSchema(truth.schema));
  assert.equal(table.batches.length, truth.batches.length);
  table.batches.forEach((batch, i) => {
    assert.equal(batch.numRows, truth.batches[i]?.numRows);
    const columns = truth.batches[i]?.columns;
    assert.deepEqual(snap(batchValues(batch), columns), columns);
  });
}

/**
 * A schema as plain data, but for what the writer of the gold files changed itself: it sorted metadata, gave
 * each dictionary field an id of its own and, up to 1.0.0, named the parts of maps in its own way.
 */
function describeSchema(schema: Schema): unknown {
  const describeField = (field: Field, name = field.name): unknown => {
    const { type, nullable, metadata } = field;
    const stored = type.kind === 'dictionary' ? type.value : type;
    let children = childFields(stored).map((child) => describeField(child));
    if (stored.kind === 'map') {
      children = childFields(stored.child.type).map((child, i) => describeField(child, i === 0 ? 'key' : 'value'));
    }
    const { child: _child, children: _children, ...own } = stored as { child?: Field; children?: readonly Field[] };
    const entries = [...metadata].sort();
    if (type.kind !== 'dictionary') return { name, nullable, own, children, entries };
    const { index, ordered } = type;
    return { name, nullable, own, children, entries, dictionary: { index, ordered } };
  };
  return { fields: schema.fields.map((field) => describeField(field)), entries: [...schema.metadata].sort() };
}

/** The JSON's floats are rounded to 3 decimals: what rounds to one counts as it. */
function snap(value: unknown, truth: unknown): unknown {
  if (typeof value === 'number' && typeof truth === 'number') {
    return Math.abs(value - truth) <= 0.0005001 + Math.abs(truth) * 1e-7 ? truth : value;
  }
  return Array.isArray(value) && Array.isArray(truth) ? value.map((part, i) => snap(part, truth[i])) : value;
}
