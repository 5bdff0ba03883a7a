import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/** What a `.txtcase` file of ADBC's validation suite holds: its parts by name, metadata parsed. */
export interface ValidationCase {
  /** As `type/select/int16`. */
  readonly name: string;
  readonly kind: 'ingest' | 'literal' | 'select' | 'bind';
  readonly metadata: CaseMetadata;
  /** Text by part, but for the metadata. */
  readonly parts: Readonly<Record<string, string>>;
}

/** Keys of the metadata with those of its tables behind a dot: `skip`, `setup.drop`, `tags.sql-type-name`. */
export type CaseMetadata = Readonly<Record<string, unknown>>;

/** Parts that a driver's own dialect puts in place of a case's. */
export type CaseParts = Readonly<Record<string, string>>;

/**
 * All cases below `root`: the generic ones, and those that only the overrides of `vendor` have, whole. Overrides of generic
 * cases are for the vendor's own driver alone.
 */
export function loadCases(root: string, vendor = 'postgresql'): readonly ValidationCase[] {
  const generic = readFolder(join(root, 'queries'));
  const parents = readFolder(join(root, vendor, 'parent'));
  const names = new Set(generic.map((one) => one.name));
  const alone = readFolder(join(root, vendor, 'queries')).filter((one) => !names.has(one.name));
  return [
    ...generic,
    ...alone.map((one) =>
      override(
        parents.find(({ name }) => name === one.name),
        one,
      ),
    ),
  ];
}

/** A case with the parts of another in place of its own. */
export function override(
  base: ValidationCase | undefined,
  { name, kind, metadata, parts }: ValidationCase,
): ValidationCase {
  return { name, kind, metadata: { ...base?.metadata, ...metadata }, parts: { ...base?.parts, ...parts } };
}

function readFolder(folder: string): ValidationCase[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.txtcase'))
    .sort()
    .map((file) =>
      parseCase(file.split(sep).join('/').replace('.txtcase', ''), readFileSync(join(folder, file), 'utf8')),
    );
}

/** Parses a case. Throws for what the format does not allow, naming case and line. */
export function parseCase(name: string, text: string): ValidationCase {
  const parts: Record<string, string> = {};
  let part: string | undefined;
  text
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .forEach((line, i) => {
      const opened = /^\/\/\s*part:\s*(\w+)\s*[\s-]*$/.exec(line)?.[1];
      if (opened !== undefined) {
        if (parts[opened] !== undefined) throw new Error(`${name}, line ${i + 1}: part ${opened} comes twice`);
        part = opened;
        parts[part] = '';
      } else if (!line.startsWith('//')) {
        if (part !== undefined) parts[part] += `${line}\n`;
        else if (line.trim() !== '') throw new Error(`${name}, line ${i + 1}: text before the first part`);
      }
    });
  const { metadata = '', ...rest } = parts;
  return { name, kind: kindOf(name), metadata: parseMetadata(name, metadata), parts: rest };
}

function kindOf(name: string): ValidationCase['kind'] {
  const [, kind] = /^(?:type\/(literal|select|bind)|(?:ingest))\//.exec(name) ?? [];
  if (kind === 'literal' || kind === 'select' || kind === 'bind') return kind;
  if (name.startsWith('ingest/')) return 'ingest';
  throw new Error(`${name}: no kind of case is known for it`);
}

/** The TOML that the cases use: tables, and keys whose values are JSON's too. Throws for anything else. */
function parseMetadata(name: string, text: string): CaseMetadata {
  const metadata: Record<string, unknown> = {};
  let table = '';
  for (const line of text.split('\n').map((raw) => raw.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const opened = /^\[([\w.-]+)\]$/.exec(line)?.[1];
    const [, key, value] = /^([\w-]+)\s*=\s*(.*)$/.exec(line) ?? [];
    if (opened !== undefined) table = `${opened}.`;
    else if (key !== undefined && value !== undefined) metadata[`${table}${key}`] = JSON.parse(value);
    else throw new Error(`${name}: metadata ${JSON.stringify(line)} is not understood`);
  }
  return metadata;
}

/** The statements of a setup: one ends where a line ends in a semicolon. */
export function splitStatements(text: string): string[] {
  const statements: string[] = [];
  let statement = '';
  for (const line of text.split('\n')) {
    statement += `${line}\n`;
    // A comment may follow the semicolon.
    if (!/;\s*(--.*)?$/.test(line)) continue;
    statements.push(statement.trim());
    statement = '';
  }
  if (statement.trim() !== '') statements.push(statement.trim());
  return statements;
}
