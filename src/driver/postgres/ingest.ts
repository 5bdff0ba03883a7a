import type { DriverCall, IngestRequest } from '../../adbc/spi.ts';
import type { Schema } from '../../arrow/schema.ts';
import { RecurveError } from '../../error.ts';
import { defaultType } from './encode/default-type.ts';
import { TupleEncoder } from './encode/tuple-encoder.ts';
import { quoteIdentifier, quoteText } from './quote.ts';
import type { PostgresSession } from './session.ts';
import { type ColumnPlan, describeTypes, needsStaging, planColumn, sentTypes } from './write/column-plan.ts';
import { copyIn } from './write/copy-in.ts';
import { findDeclaredTypes } from './write/declared-type.ts';
import { holdsAll } from './write/holding.ts';
import { clash, findPlace, type Place, quotePlace, type TargetColumn } from './write/ingest-target.ts';
import { toTarget } from './write/target-type.ts';

const never = new AbortController().signal;
const savepointName = 'recurve_ingest';
/** Bytes of a name that the server keeps; it cuts what is longer. */
const maxNameBytes = 63;

/**
 * Writes batches to a table by binary COPY: a round trip that finds out about the table, and one for everything else. Outside of a
 * transaction all statements are one, which is undone when any of them fails; inside, they stand behind a savepoint, so that a
 * failed ingest leaves the transaction as it was.
 */
export async function ingest(
  session: PostgresSession,
  request: IngestRequest,
  { signal }: DriverCall,
): Promise<number> {
  checkNames(request);
  const place = await findPlace(session, request.table, request.temporary, signal);
  const statements = await planStatements(session, request, place, signal);
  const encoder = new TupleEncoder(request.schema, sentTypes(statements.columns));
  const { batches } = request;
  const { status } = session;
  const inTransaction = status === 'open';
  const savepoint = inTransaction ? [`SAVEPOINT ${savepointName}`] : [];
  const release = inTransaction ? [`RELEASE SAVEPOINT ${savepointName}`] : [];
  const sql = [...savepoint, ...statements.before, statements.copy, ...statements.after, ...release].join(';\n');
  try {
    return await copyIn(session, { sql, encoder, batches, signal });
  } catch (error) {
    if (inTransaction && session.channel.failure === undefined && session.status === 'failed') {
      await session.command(`ROLLBACK TO SAVEPOINT ${savepointName}; RELEASE SAVEPOINT ${savepointName}`, never);
    }
    throw error;
  }
}

/** What is sent, in one piece. */
interface Statements {
  readonly columns: readonly ColumnPlan[];
  readonly before: readonly string[];
  readonly copy: string;
  readonly after: readonly string[];
}

const kindNames: Readonly<Record<string, string>> = {
  r: 'table',
  p: 'table',
  f: 'foreign table',
  v: 'view',
  m: 'materialized view',
  S: 'sequence',
  i: 'index',
  I: 'index',
  c: 'type',
  t: 'table',
};

async function planStatements(
  session: PostgresSession,
  request: IngestRequest,
  place: Place,
  signal: AbortSignal,
): Promise<Statements> {
  const { mode, schema } = request;
  const { relation, tableName } = place;
  const name = JSON.stringify(tableName);
  if (relation === undefined) {
    if (mode === 'append' || mode === 'upsert') {
      throw new RecurveError('NOT_FOUND', `there is no table ${name} in ${JSON.stringify(place.dbSchema)}`, {
        hint: 'the modes create and createAppend make it',
      });
    }
    return create(session, schema, place, [], signal);
  }
  const kind = kindNames[relation.kind] ?? 'relation';
  if (mode === 'create') {
    throw new RecurveError('ALREADY_EXISTS', `there is a ${kind} ${name} already`, {
      hint: 'append to it or replace it with the mode',
    });
  }
  if (!'rpf'.includes(relation.kind)) {
    throw new RecurveError('INVALID_ARGUMENT', `${name} is a ${kind}, which rows cannot be written to`);
  }
  if (mode === 'replace') {
    const drop = `DROP ${relation.kind === 'f' ? 'FOREIGN ' : ''}TABLE ${quotePlace(place)}`;
    return create(session, schema, place, [drop], signal);
  }
  const columns = matchColumns(place, schema, relation.columns, mode === 'upsert');
  // What was found out must still hold: the lock keeps the columns as they are.
  const lock = relation.canLock ? [`LOCK TABLE ONLY ${quotePlace(place)} IN ROW EXCLUSIVE MODE`] : [];
  return write(request, place, columns, [...lock, guard(place)]);
}

/** Makes the table, of the types that the fields say they had, else of those that theirs become. */
async function create(
  session: PostgresSession,
  schema: Schema,
  place: Place,
  before: readonly string[],
  signal: AbortSignal,
): Promise<Statements> {
  const declared = await findDeclaredTypes(session, schema.fields, signal);
  const columns: ColumnPlan[] = [];
  const definitions = schema.fields.map((field, i) => {
    const reference = declared[i];
    const target = reference && toTarget(session.types, reference.oid, reference.typmod);
    const plan = target && holdsAll(field.type, target) ? planColumn(field, target) : undefined;
    const made = plan === undefined || target === undefined ? defaultType(field, JSON.stringify(field.name)) : target;
    columns.push(plan ?? { name: field.name, sent: made });
    return `${quoteIdentifier(field.name)} ${made.text}${field.nullable ? '' : ' NOT NULL'}`;
  });
  const kind = place.temporary ? 'TEMPORARY TABLE' : 'TABLE';
  const table = `CREATE ${kind} ${quotePlace(place)} (${definitions.join(', ')})`;
  return write({ keys: [] }, place, columns, [...before, table]);
}

/** The statements that write the columns: straight into the table, or through one that they wait in. */
function write(
  { keys = [] }: Pick<IngestRequest, 'keys'>,
  place: Place,
  columns: readonly ColumnPlan[],
  before: readonly string[],
): Statements {
  const list = columns.map(({ name }) => quoteIdentifier(name)).join(', ');
  const copy = (table: string): string => `COPY ${table} (${list}) FROM STDIN (FORMAT binary)`;
  if (keys.length === 0 && !needsStaging(columns)) {
    return { columns, before, copy: copy(quotePlace(place)), after: [] };
  }
  // A name of its own: a temporary table of the user's may have any other.
  const staging = `pg_temp.${quoteIdentifier(`recurve ingest ${Math.random().toString(36).slice(2)}`)}`;
  const staged = columns.map(({ name, sent }) => `${quoteIdentifier(name)} ${sent.text}`);
  const values = columns.map(({ name, cast }) => `${quoteIdentifier(name)}${cast === undefined ? '' : `::${cast}`}`);
  const insert = `INSERT INTO ${quotePlace(place)} (${list}) SELECT ${values.join(', ')} FROM ${staging}`;
  return {
    columns,
    before: [...before, `CREATE TEMPORARY TABLE ${staging} (${staged.join(', ')})`],
    copy: copy(staging),
    after: [`${insert}${onConflict(columns, keys)}`, `DROP TABLE ${staging}`],
  };
}

function onConflict(columns: readonly ColumnPlan[], keys: readonly string[]): string {
  if (keys.length === 0) return '';
  const names = columns.filter(({ name }) => !keys.includes(name)).map(({ name }) => quoteIdentifier(name));
  const sets = names.map((name) => `${name} = EXCLUDED.${name}`);
  const action = sets.length === 0 ? 'NOTHING' : `UPDATE SET ${sets.join(', ')}`;
  return ` ON CONFLICT (${keys.map(quoteIdentifier).join(', ')}) DO ${action}`;
}

/** Whether the columns of the table are still those that were found; asked under the lock, see {@link copyIn}. */
function guard(place: Place): string {
  const found = place.relation?.columns.map(({ name, oid, typmod }) => `${name} ${oid} ${typmod}`).join('\n') ?? '';
  const now = `SELECT pg_catalog.string_agg(a.attname || ' ' || a.atttypid || ' ' || a.atttypmod, E'\\n' ORDER BY a.attnum)
  FROM pg_catalog.pg_attribute a WHERE a.attrelid = ${quoteText(quotePlace(place))}::regclass AND a.attnum > 0 AND NOT a.attisdropped`;
  return `SELECT (${now}) = ${quoteText(found)}`;
}

/** The plan for each column of the data, by name. Throws a clash for one that is missing on either side or does not fit. */
function matchColumns(
  place: Place,
  { fields }: Schema,
  columns: readonly TargetColumn[],
  isUpsert: boolean,
): ColumnPlan[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const plans = fields.map((field) => {
    const target = byName.get(field.name);
    const name = JSON.stringify(field.name);
    if (target === undefined) {
      throw clash(place.tableName, `it has no ${name}`, `it has: ${columns.map((column) => column.name).join(', ')}`);
    }
    const plan = planColumn(field, target.type);
    if (plan !== undefined) return plan;
    const types = describeTypes(field, target.type);
    throw clash(place.tableName, `column ${name} is ${types}`, 'cast one of them first');
  });
  const names = new Set(fields.map(({ name }) => name));
  const missing = isUpsert ? undefined : columns.find((column) => column.required && !names.has(column.name));
  if (missing === undefined) return plans;
  throw clash(place.tableName, `the data lacks ${JSON.stringify(missing.name)}, which is NOT NULL and has no default`);
}

/** Throws INVALID_ARGUMENT for names that the server would refuse or cut. */
function checkNames({ schema: { fields }, table }: IngestRequest): void {
  if (fields.length === 0) throw new RecurveError('INVALID_ARGUMENT', 'the data has no columns');
  const seen = new Set<string>();
  checkName('the name of the table', table.tableName);
  fields.forEach(({ name }, i) => {
    if (name === '') throw new RecurveError('INVALID_ARGUMENT', `column ${i + 1} of the data has no name`);
    checkName(`the name of column ${i + 1}`, name);
    if (seen.has(name)) {
      throw new RecurveError('INVALID_ARGUMENT', `the data has two columns ${JSON.stringify(name)}`);
    }
    seen.add(name);
  });
}

function checkName(what: string, name: string): void {
  const { length } = new TextEncoder().encode(name);
  if (name.includes('\0')) throw new RecurveError('INVALID_ARGUMENT', `${what} has a zero character`);
  if (length <= maxNameBytes) return;
  throw new RecurveError(
    'INVALID_ARGUMENT',
    `${what}, ${JSON.stringify(`${name.slice(0, 30)}…`)}, has ${length} bytes, and PostgreSQL keeps ${maxNameBytes}`,
  );
}
