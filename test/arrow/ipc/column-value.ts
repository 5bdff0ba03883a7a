import type { Column, RecordBatch, Table } from 'recurve/arrow';

/**
 * A value as plain data, with the children of structs and unions by position, since their names may repeat: what two
 * readers of the same bytes must agree on. Bytes become hex.
 */
function columnValue(column: Column, index: number): unknown {
  if (!column.isValid(index)) return null;
  const { type, layout } = column;
  const [child] = layout.children ?? [];
  switch (type.kind) {
    case 'struct':
      return layout.children?.map((part) => columnValue(part, index));
    case 'list-view': {
      const start = Number(layout.offsets?.[index]);
      return span(child, start, start + Number(layout.sizes?.[index]));
    }
    case 'run-end-encoded': {
      const ends = [...(child?.layout.values ?? [])];
      const run = ends.findIndex((end) => end > index + (layout.runOffset ?? 0));
      return layout.children?.[1] && columnValue(layout.children[1], run);
    }
    case 'list':
    case 'map':
      return span(child, Number(layout.offsets?.[index]), Number(layout.offsets?.[index + 1]));
    case 'fixed-size-list':
      return span(child, index * type.listSize, (index + 1) * type.listSize);
    case 'union': {
      const position = type.typeIds.indexOf(Number(layout.values?.[index]));
      const active = layout.children?.[position];
      if (active === undefined) throw new Error(`no child for type id ${layout.values?.[index]}`);
      return columnValue(active, type.mode === 'dense' ? Number(layout.offsets?.[index]) : index);
    }
    case 'dictionary':
      return layout.dictionary && columnValue(layout.dictionary, Number(layout.values?.[index]));
    default: {
      const value = column.at(index);
      return value instanceof Uint8Array ? hexOf(value) : value;
    }
  }
}

/** Without Node's Buffer: this file also runs in browsers. */
export function hexOf(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}

function span(child: Column | undefined, start: number, end: number): unknown[] {
  const values: unknown[] = [];
  for (let i = start; i < end; i++) values.push(child && columnValue(child, i));
  return values;
}

export function columnValues(column: Column): unknown[] {
  return Array.from({ length: column.length }, (_, i) => columnValue(column, i));
}

/** The columns of a batch as lists of values. */
export function batchValues(batch: RecordBatch): unknown[][] {
  return batch.columns.map(columnValues);
}

/** Columns of a whole table. */
export function tableValues(table: Table): unknown[][] {
  return table.schema.fields.map((_, i) => table.batches.flatMap((batch) => columnValues(batch.column(i))));
}
