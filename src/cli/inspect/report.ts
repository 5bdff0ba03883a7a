import { extensionOf } from '../../arrow/extension.ts';
import { metadataVersion } from '../../arrow/ipc/message.ts';
import type { Metadata } from '../../arrow/metadata.ts';
import type { Field } from '../../arrow/schema.ts';
import { childFields, typeToString } from '../../arrow/type.ts';
import { formatBytes } from '../../delivery/report.ts';
import { displayWidth, visible } from '../format/display-width.ts';
import { formatCount } from '../progress.ts';
import type { Inspection } from './index.ts';
import type { ColumnTally, DictionaryTally } from './tally.ts';

/** Values of metadata are cut to this length for people; JSON has them whole. */
const maxValueLength = 120;

/** The inspection as text for people. */
export function formatInspection(
  found: Inspection,
  options: { readonly name: string; readonly level: string },
): string {
  const { tally, schema, footerMetadata, messages } = found;
  const lines = [
    `${options.name}: Arrow ${found.format}, metadata V${tally.version + 1}, ${sized(found.byteLength)}`,
    ...alignLines([
      ['rows', `${formatCount(tally.rows)} in ${plural(tally.batches, 'batch', 'batches')}`],
      ['messages', `${sized(tally.metadataBytes)} of metadata, ${sized(tally.bodyBytes)} of bodies`],
      ['alignment', `every buffer starts at a multiple of ${plural(tally.alignment, 'byte', 'bytes')}`],
      ['checked', checks[options.level as keyof typeof checks]],
    ]),
  ];
  lines.push(...found.notes.map((note) => `note: ${note}`));
  lines.push('', 'schema', ...schema.fields.flatMap((field) => fieldLines(field, '  ')));
  lines.push(...metadataLines(schema.metadata, '  '));
  if (footerMetadata.size > 0) lines.push('', "footer's metadata", ...metadataLines(footerMetadata, '  '));
  if (tally.columns.length > 0) lines.push('', ...columnLines(tally.columns));
  if (tally.dictionaries.size > 0) lines.push('', ...dictionaryLines([...tally.dictionaries.values()]));
  if (messages.length > 0) {
    const rows = messages.map(({ offset, kind, metadataLength, bodyLength, rows: count }) => [
      kind,
      ...[offset, metadataLength, bodyLength].map(formatCount),
      count === undefined ? '' : formatCount(count),
    ]);
    lines.push('', ...alignLines([['message', 'offset', 'metadata bytes', 'body bytes', 'rows'], ...rows], 1));
  }
  return `${lines.map(visible).join('\n')}\n`;
}

const checks = {
  none: 'framing, schema and metadata',
  minimal: 'framing, schema, metadata and the bounds of every buffer',
  default: 'framing, schema, metadata, the bounds of every buffer, and the ends of its offsets',
  full: 'framing, schema, metadata, the bounds of every buffer, and every value',
};

function fieldLines(field: Field, indent: string): string[] {
  const extension = extensionOf(field);
  const nested = childFields(field.type);
  const words = [
    `${indent}${show(field.name)}: ${nested.length > 0 ? field.type.kind : typeToString(field.type)}`,
    ...(field.nullable ? [] : ['not null']),
    ...(extension === undefined ? [] : [`extension ${extension.name}`]),
  ];
  return [
    words.join(', ').replace(', not null', ' not null'),
    ...nested.flatMap((child) => fieldLines(child, `${indent}  `)),
    ...metadataLines(field.metadata, `${indent}  `),
  ];
}

function metadataLines(metadata: Metadata, indent: string): string[] {
  return [...metadata].map(([key, value]) => {
    const shown = value.length > maxValueLength ? `${value.slice(0, maxValueLength)}…` : value;
    const more = shown === value ? '' : ` (${formatCount(value.length)} characters)`;
    return `${indent}metadata ${JSON.stringify(key)} = ${JSON.stringify(shown)}${more}`;
  });
}

const bufferOrder = ['validity', 'type ids', 'offsets', 'indices', 'values', 'data'];

function columnLines(columns: readonly ColumnTally[]): string[] {
  const names = bufferOrder.filter((name) => columns.some(({ buffers }) => buffers.has(name)));
  const rows = columns.map(({ path, type, values, nulls, buffers }) => [
    path.map(show).join('.'),
    childFields(type).length > 0 ? type.kind : typeToString(type),
    formatCount(values),
    nulls === undefined ? '?' : formatCount(nulls),
    ...names.map((name) => (buffers.has(name) ? formatCount(buffers.get(name) ?? 0) : '')),
  ]);
  return alignLines([['column', 'type', 'values', 'nulls', ...names.map((name) => `${name} bytes`)], ...rows], 2);
}

function dictionaryLines(dictionaries: readonly DictionaryTally[]): string[] {
  const rows = dictionaries.map(({ id, type, messages, deltas, values, byteLength }) => [
    `${id}`,
    `${typeToString(type.value)}${type.ordered ? ', ordered' : ''}`,
    ...[messages, deltas, values, byteLength].map(formatCount),
  ]);
  return alignLines([['dictionary', 'type', 'messages', 'deltas', 'values', 'bytes'], ...rows], 2);
}

/** Columns side by side; those from `firstRight` on are numbers, which stand to the right. */
function alignLines(rows: readonly (readonly string[])[], firstRight = Number.POSITIVE_INFINITY): string[] {
  const widths = (rows[0] ?? []).map((_, c) => Math.max(...rows.map((row) => displayWidth(row[c] ?? ''))));
  return rows.map((row) =>
    row
      .map((cell, c) => {
        const blanks = ' '.repeat(Math.max(0, (widths[c] ?? 0) - displayWidth(cell)));
        return c >= firstRight ? blanks + cell : cell + blanks;
      })
      .join('  ')
      .trimEnd(),
  );
}

function show(name: string): string {
  return /^[\p{L}\p{N}_ -]+$/u.test(name) ? name : JSON.stringify(name);
}

function sized(byteLength: number): string {
  const bytes = plural(byteLength, 'byte', 'bytes');
  return byteLength < 1024 ? bytes : `${bytes} (${formatBytes(byteLength)})`;
}

function plural(count: number, one: string, many: string): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** The inspection as plain JSON values; what is documented in `docs/cli.md`. */
export function inspectionToJson(
  found: Inspection,
  options: { readonly file: string; readonly level: string; readonly listsMessages: boolean },
): object {
  const { tally, schema } = found;
  return {
    file: options.file,
    format: found.format,
    version: tally.version === metadataVersion.v5 ? 'V5' : 'V4',
    byteLength: found.byteLength,
    rows: tally.rows,
    batches: tally.batches,
    metadataBytes: tally.metadataBytes,
    bodyBytes: tally.bodyBytes,
    alignment: tally.alignment,
    notes: found.notes,
    validated: options.level,
    schema: { fields: schema.fields.map(fieldToJson), metadata: [...schema.metadata] },
    footerMetadata: [...found.footerMetadata],
    columns: tally.columns.map(({ path, type, values, nulls, buffers }) => ({
      path,
      type: typeToString(type),
      values,
      nulls: nulls ?? null,
      bufferBytes: Object.fromEntries(buffers),
    })),
    dictionaries: [...tally.dictionaries.values()].map(({ id, type, ...counts }) => ({
      id: `${id}`,
      type: typeToString(type.value),
      ordered: type.ordered,
      ...counts,
    })),
    ...(options.listsMessages
      ? { messages: found.messages.map(({ rows, ...entry }) => ({ ...entry, rows: rows ?? null })) }
      : {}),
  };
}

function fieldToJson(field: Field): object {
  return {
    name: field.name,
    type: typeToString(field.type),
    nullable: field.nullable,
    extension: extensionOf(field)?.name ?? null,
    metadata: [...field.metadata],
    children: childFields(field.type).map(fieldToJson),
  };
}
