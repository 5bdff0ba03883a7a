import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Column, type DataType, Field, type Table, tableFromIPC, tableToIPC } from 'recurve/arrow';
import { runPython } from './python.ts';

interface Written {
  versions: { pyarrow: string };
  files: Record<string, { columns: Record<string, unknown[]> }>;
}

interface Checked {
  results: Record<string, string | null>;
}

test('files that pyarrow writes are read as pyarrow reads them, and pyarrow reads what recurve writes of them', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'recurve-interop-'));
  t.after(() => rm(directory, { recursive: true }));
  const written = (await runPython('pyarrow_files.py', ['write', directory])) as Written;
  t.diagnostic(`peer: pyarrow ${written.versions.pyarrow}`);
  assert.ok(Object.keys(written.files).length >= 14);

  for (const [name, { columns }] of Object.entries(written.files)) {
    for (const [suffix, format] of [
      ['.arrow', 'file'],
      ['.arrows', 'stream'],
    ] as const) {
      await t.test(`${name}${suffix} read`, async () => {
        const table = tableFromIPC(await readFile(join(directory, name + suffix)));
        assert.deepEqual(table.schema.names, Object.keys(columns));
        for (const [column, expected] of Object.entries(columns)) {
          assert.deepEqual(canonicalColumn(table, column), expected, column);
        }
        await writeFile(join(directory, `${name}.out${suffix}`), tableToIPC(table, { format }));
      });
    }
  }

  const checked = (await runPython('pyarrow_files.py', ['check', directory])) as Checked;
  assert.deepEqual(Object.keys(checked.results), Object.keys(written.files));
  for (const [name, difference] of Object.entries(checked.results)) {
    await t.test(`${name} written`, () => assert.equal(difference, null));
  }
});

/** Values in the form that `pyarrow_files.py` describes. */
function canonicalColumn(table: Table, name: string): unknown[] {
  const { field, chunks } = table.column(name);
  return chunks.flatMap((chunk) => canonicalArray(field, chunk));
}

function canonicalArray(field: Field, column: Column): unknown[] {
  return Array.from({ length: column.length }, (_, i) => canonical(field, column, i));
}

function canonical(field: Field, column: Column, index: number): unknown {
  const { type } = field;
  const { layout } = column;
  if (type.kind !== 'union' && !column.isValid(index)) return null;
  const child = (i: number): [Field, Column] => [fieldAt(type, i), layout.children?.[i] as Column];
  switch (type.kind) {
    case 'list-view': {
      const start = Number(layout.offsets?.[index]);
      return canonicalArray(child(0)[0], child(0)[1].slice(start, start + Number(layout.sizes?.[index])));
    }
    case 'run-end-encoded': {
      const ends = [...(layout.children?.[0]?.layout.values ?? [])];
      const run = ends.findIndex((end) => end > index + (layout.runOffset ?? 0));
      return canonical(type.values, layout.children?.[1] as Column, run);
    }
    case 'list': {
      const slice = child(0)[1].slice(Number(layout.offsets?.[index]), Number(layout.offsets?.[index + 1]));
      return canonicalArray(child(0)[0], slice);
    }
    case 'fixed-size-list':
      return canonicalArray(child(0)[0], child(0)[1].slice(index * type.listSize, (index + 1) * type.listSize));
    case 'map': {
      const [entries, struct] = child(0);
      const slice = struct.slice(Number(layout.offsets?.[index]), Number(layout.offsets?.[index + 1]));
      return canonicalArray(entries, slice).map((entry) => Object.values(entry as object));
    }
    case 'struct':
      return Object.fromEntries(type.children.map((f, i) => [f.name, canonical(f, child(i)[1], index)]));
    case 'union': {
      const at = type.typeIds.indexOf(Number(layout.values?.[index]));
      return canonical(...child(at), type.mode === 'dense' ? Number(layout.offsets?.[index]) : index);
    }
    case 'dictionary':
      return layout.dictionary === undefined
        ? undefined
        : canonical(new Field(field.name, type.value), layout.dictionary, Number(layout.values?.[index]));
    case 'float':
      return floatBits(column.at(index) as number);
    default:
      return leaf(column.at(index));
  }
}

function fieldAt(type: DataType, index: number): Field {
  const fields = type.kind === 'struct' || type.kind === 'union' ? type.children : 'child' in type ? [type.child] : [];
  const field = fields[index];
  assert.ok(field);
  return field;
}

function floatBits(value: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes.toString('hex');
}

function leaf(value: unknown): unknown {
  if (typeof value === 'bigint' || typeof value === 'number') return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (value !== null && typeof value === 'object' && 'nanoseconds' in value && 'months' in value && 'days' in value) {
    return [value.months, value.days, String(value.nanoseconds)];
  }
  return value;
}
