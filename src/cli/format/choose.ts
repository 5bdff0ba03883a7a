import { nearest } from '../../adbc/nearest.ts';
import type { CodecName } from '../../arrow/ipc/compression.ts';
import { usageError } from '../failure.ts';
import { type Format, formats } from './index.ts';

/**
 * The format to write: the one asked for by name, else by the output's suffix, else a table for a terminal and CSV for
 * anything else. Throws a usage error for a suffix that names none.
 */
export function chooseFormat(
  name: string | undefined,
  output: string | undefined,
  options: { readonly isTerminal: boolean },
): Format {
  if (name !== undefined) return find((format) => format.name === name, `no format ${JSON.stringify(name)}`);
  if (output === undefined) return chooseFormat(options.isTerminal ? 'table' : 'csv', undefined, options);
  const suffix = /\.[^./\\]*$/.exec(output)?.[0].toLowerCase() ?? '';
  const suffixes = formats.flatMap((format) => format.suffixes);
  const near = nearest(suffix, suffixes);
  const message =
    suffix === ''
      ? `the name ${JSON.stringify(output)} has no suffix that names a format`
      : `no format has the suffix ${JSON.stringify(suffix)} of ${JSON.stringify(output)}`;
  const hint = `${near === undefined ? '' : `did you mean ${near}? `}suffixes are ${suffixes.join(' ')}; -f names the format`;
  return find((format) => format.suffixes.includes(suffix), message, hint);
}

/** What `--compression` asks for. Throws a usage error where the format has no place for it. */
export function chooseCompression(name: string | undefined, format: Format): CodecName | undefined {
  if (name === undefined) return undefined;
  if (!['arrow', 'arrows'].includes(format.name)) {
    throw usageError(`--compression is for the formats arrow and arrows, not for ${format.name}`);
  }
  return name === 'lz4' ? 'lz4' : 'zstd';
}

function find(test: (format: Format) => boolean, message: string, hint?: string): Format {
  const format = formats.find(test);
  if (format === undefined) throw usageError(message, hint ?? `one of ${formats.map(({ name }) => name).join(', ')}`);
  return format;
}
