import type { Metadata } from '../../arrow/metadata.ts';
import type { Field, Schema } from '../../arrow/schema.ts';
import { childFields, type DataType, typeToString } from '../../arrow/type.ts';

/**
 * The first difference between two schemas in words, null when they are equal: in the names, types, nullability and
 * metadata of all fields at every level, and in the schema's own metadata.
 *
 * Not compared are dictionary ids, since writers choose their own; the order of metadata with different keys, since some
 * writers sort them; and the names of a map's parts, which the format leaves open and some writers set to their own.
 */
export function findSchemaDifference(expected: Schema, actual: Schema): string | null {
  return (
    findDifferenceInFields(expected.fields, actual.fields, 'the schema', '') ??
    findMetadataDifference('the schema', expected.metadata, actual.metadata)
  );
}

function findDifferenceInFields(
  expected: readonly Field[],
  actual: readonly Field[],
  owner: string,
  path: string,
  inMap = 0,
): string | null {
  if (actual.length !== expected.length) return `${owner} has ${actual.length} fields instead of ${expected.length}`;
  for (const [i, field] of expected.entries()) {
    const difference = findFieldDifference(field, actual[i] as Field, path, inMap);
    if (difference !== null) return difference;
  }
  return null;
}

/** `inMap` is 2 for the entries of a map and 1 for their parts. */
function findFieldDifference(expected: Field, actual: Field, path: string, inMap: number): string | null {
  const name = `${path}${JSON.stringify(expected.name)}`;
  const place = `field ${name}`;
  if (inMap === 0 && actual.name !== expected.name) return `${place} is named ${JSON.stringify(actual.name)}`;
  if (actual.nullable !== expected.nullable) {
    return `${place} is ${actual.nullable ? 'nullable' : 'not nullable'} against the JSON`;
  }
  if (describeOwn(expected.type) !== describeOwn(actual.type)) {
    return `${place} is ${typeToString(actual.type)} instead of ${typeToString(expected.type)}`;
  }
  const stored = storedType(expected.type);
  const within = stored.kind === 'map' ? 2 : Math.max(0, inMap - 1);
  return (
    findDifferenceInFields(childFields(stored), childFields(storedType(actual.type)), place, `${name}.`, within) ??
    findMetadataDifference(place, expected.metadata, actual.metadata)
  );
}

function storedType(type: DataType): DataType {
  return type.kind === 'dictionary' ? type.value : type;
}

/** All that makes a type but for its children and its dictionary id. */
function describeOwn(type: DataType): string {
  if (type.kind === 'dictionary') {
    return `dictionary ${type.ordered} ${typeToString(type.index)} ${describeOwn(type.value)}`;
  }
  const own = Object.entries(type).filter(([name]) => !childMembers.has(name));
  return JSON.stringify(own.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const childMembers: ReadonlySet<string> = new Set(['child', 'children', 'runEnds', 'values']);

/** Repeated keys and the order of their values count. */
function findMetadataDifference(owner: string, expected: Metadata, actual: Metadata): string | null {
  const [wanted, found] = [sorted(expected), sorted(actual)];
  if (wanted === found) return null;
  return `${owner} has the metadata ${found} instead of ${wanted}`;
}

function sorted(metadata: Metadata): string {
  return JSON.stringify([...metadata].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
