import { Field, Schema } from '../../arrow/schema.ts';
import type { DataType, IntType, TimeUnit } from '../../arrow/type.ts';
import { RecurveError } from '../../error.ts';
import type { JsonField, JsonFile, JsonMetadata, JsonType } from './json-format.ts';

/** The schema of an integration file. Throws INVALID_DATA for a type that the format does not know. */
export function readJsonSchema({ schema }: JsonFile): Schema {
  return new Schema(schema.fields.map(readField), readMetadata(schema.metadata));
}

function readMetadata(entries: JsonMetadata): ReadonlyArray<readonly [string, string]> {
  return (entries ?? []).map(({ key, value }) => [key, value]);
}

function readField(json: JsonField): Field {
  const value = readType(json.type, (json.children ?? []).map(readField), json.name);
  const { dictionary } = json;
  const type: DataType =
    dictionary === undefined
      ? value
      : {
          kind: 'dictionary',
          id: BigInt(dictionary.id),
          index: readType(dictionary.indexType, [], json.name) as IntType,
          value,
          ordered: dictionary.isOrdered ?? false,
        };
  return new Field(json.name, type, { nullable: json.nullable, metadata: readMetadata(json.metadata) });
}

const units: Readonly<Record<string, TimeUnit>> = {
  SECOND: 's',
  MILLISECOND: 'ms',
  MICROSECOND: 'us',
  NANOSECOND: 'ns',
};
const dateUnits = { DAY: 'day', MILLISECOND: 'ms' } as const;
const intervalUnits = { YEAR_MONTH: 'year-month', DAY_TIME: 'day-time', MONTH_DAY_NANO: 'month-day-nano' } as const;
const floatWidths = { HALF: 16, SINGLE: 32, DOUBLE: 64 } as const;

function readType(json: JsonType, children: readonly Field[], field: string): DataType {
  const fail = (what: string): never => {
    throw new RecurveError('INVALID_DATA', `field ${JSON.stringify(field)} of the JSON file: ${what}`);
  };
  const pick = <T>(values: Readonly<Record<string, T>>, member: string): T =>
    values[String(json[member])] ?? fail(`${json.name} with ${member} ${JSON.stringify(json[member])}`);
  const number = (member: string, fallback?: number): number => {
    const value = json[member] ?? fallback;
    return Number.isInteger(value) ? (value as number) : fail(`${json.name} with ${member} ${JSON.stringify(value)}`);
  };
  const child = (i = 0): Field => children[i] ?? fail(`${json.name} with ${children.length} children`);
  switch (json.name) {
    case 'null':
    case 'bool':
      return { kind: json.name };
    case 'int':
      return { kind: 'int', bitWidth: number('bitWidth') as IntType['bitWidth'], signed: json.isSigned === true };
    case 'floatingpoint':
      return { kind: 'float', bitWidth: pick(floatWidths, 'precision') };
    case 'decimal': {
      const bitWidth = number('bitWidth', 128) as 128;
      return { kind: 'decimal', precision: number('precision'), scale: number('scale'), bitWidth };
    }
    case 'utf8':
    case 'largeutf8':
      return { kind: 'utf8', large: json.name === 'largeutf8' };
    case 'binary':
    case 'largebinary':
      return { kind: 'binary', large: json.name === 'largebinary' };
    case 'utf8view':
      return { kind: 'utf8-view' };
    case 'binaryview':
      return { kind: 'binary-view' };
    case 'fixedsizebinary':
      return { kind: 'fixed-size-binary', byteWidth: number('byteWidth') };
    case 'date':
      return { kind: 'date', unit: pick(dateUnits, 'unit') };
    case 'time':
    case 'duration':
      return { kind: json.name, unit: pick(units, 'unit') };
    case 'timestamp':
      return { kind: 'timestamp', unit: pick(units, 'unit'), timezone: (json.timezone as string | undefined) ?? null };
    case 'interval':
      return { kind: 'interval', unit: pick(intervalUnits, 'unit') };
    case 'list':
    case 'largelist':
      return { kind: 'list', child: child(), large: json.name === 'largelist' };
    case 'listview':
    case 'largelistview':
      return { kind: 'list-view', child: child(), large: json.name === 'largelistview' };
    case 'fixedsizelist':
      return { kind: 'fixed-size-list', child: child(), listSize: number('listSize') };
    case 'struct':
      return { kind: 'struct', children };
    case 'map':
      return { kind: 'map', child: child(), keysSorted: json.keysSorted === true };
    case 'union':
      return {
        kind: 'union',
        mode: pick({ DENSE: 'dense', SPARSE: 'sparse' } as const, 'mode'),
        typeIds: json.typeIds as number[],
        children,
      };
    case 'runendencoded':
      return { kind: 'run-end-encoded', runEnds: child(0), values: child(1) };
    default:
      return fail(`there is no type ${JSON.stringify(json.name)}`);
  }
}
