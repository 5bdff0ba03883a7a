import { nearest } from '../../adbc/nearest.ts';
import { usageError } from '../failure.ts';

/** A format that files are read in. */
export interface InputFormat {
  readonly name: string;
  /** Suffixes of file names that tell it, with the dot, where the first bytes do not. */
  readonly suffixes: readonly string[];
  /** The bytes that every such file begins with, where there are some. */
  readonly magic?: readonly number[];
}

/** Every format that is read, in the order of the help. */
export const inputFormats: readonly InputFormat[] = [
  { name: 'arrow', suffixes: ['.arrow', '.feather', '.ipc'], magic: [0x41, 0x52, 0x52, 0x4f, 0x57, 0x31] },
  { name: 'arrows', suffixes: ['.arrows'], magic: [0xff, 0xff, 0xff, 0xff] },
  { name: 'parquet', suffixes: ['.parquet'], magic: [0x50, 0x41, 0x52, 0x31] },
  { name: 'csv', suffixes: ['.csv'] },
  { name: 'json', suffixes: ['.json'] },
  { name: 'jsonl', suffixes: ['.jsonl', '.ndjson'] },
];

/** Bytes that tell the format by its magic. */
export const headBytes = 8;

/** The format that these first bytes belong to and to no other. */
export function formatByMagic(head: Uint8Array): InputFormat | undefined {
  return inputFormats.find(({ magic }) => magic?.every((byte, i) => head[i] === byte));
}

/**
 * The format of a file: `from` when it is given, else by the first bytes, else by the suffix of its name. A name that
 * promises Arrow over bytes without a magic is taken for a stream: those of before Arrow 0.15 have none. Throws a usage
 * error when nothing tells.
 */
export function detectFormat(name: string, head: Uint8Array, from: string | undefined): InputFormat {
  const find = (wanted: string | undefined): InputFormat | undefined =>
    inputFormats.find((format) => format.name === wanted);
  const suffix = /\.[^./\\]*$/.exec(name)?.[0].toLowerCase() ?? '';
  const bySuffix = inputFormats.find(({ suffixes }) => suffixes.includes(suffix));
  const format = find(from) ?? formatByMagic(head) ?? (bySuffix?.name === 'arrow' ? find('arrows') : bySuffix);
  if (format !== undefined) return format;
  const suffixes = inputFormats.flatMap((candidate) => candidate.suffixes);
  const near = nearest(suffix, suffixes);
  throw usageError(
    `neither its first bytes nor its name tell the format of ${name === '-' ? 'standard input' : JSON.stringify(name)}`,
    `${near === undefined ? '' : `did you mean ${near}? `}--from names it: ${inputFormats.map((candidate) => candidate.name).join(', ')}`,
  );
}
