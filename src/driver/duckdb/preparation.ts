import type { DriverCall } from '../../adbc/spi.ts';
import { RecurveError } from '../../error.ts';
import type { ArrowFiles } from './arrow-file.ts';
import type { Binding } from './binding.ts';
import { toRecurveError } from './error.ts';
import { executePrepared } from './execution.ts';
import type { NativePrepared } from './read/native.ts';
import type { NativeSession } from './session.ts';

type Extracted = Awaited<ReturnType<Binding['extract_statements']>>;

/** A statement text whose last statement is prepared. */
export interface PreparedText {
  readonly sql: string;
  /** Statements in the text; DuckDB makes several of some, such as PIVOT. */
  readonly statementCount: number;
  readonly prepared: NativePrepared;
  /** In the order of their first use; `"1"`, `"2"` … where they have none. */
  readonly parameterNames: readonly string[];
}

/** How a text is prepared. */
export interface PrepareOptions {
  readonly call: DriverCall;
  /** Whether the text may hold several statements, of which all but the last are run. */
  readonly script: boolean;
}

/**
 * Prepares a statement text. Throws INVALID_ARGUMENT for one without a statement, with a NUL, with several statements
 * where one is wanted, or with parameters before the last one; and what DuckDB says.
 */
export async function prepareText(
  session: NativeSession,
  files: ArrowFiles,
  sql: string,
  { call, script }: PrepareOptions,
): Promise<PreparedText> {
  checkText(sql);
  const { binding, connection } = session;
  const { signal } = call;
  const extract = (): Promise<Extracted> =>
    session.call(() => binding.extract_statements(connection, sql), { signal, sql });
  let extracted = await extract();
  const statementCount = extracted.statement_count;
  if (statementCount === 0) throw emptyOrWrong(binding, extracted, sql);
  if (statementCount > 1 && !script) {
    throw new RecurveError('INVALID_ARGUMENT', `the text has ${statementCount} statements, only one can be prepared`, {
      hint: 'run the text with query or execute',
    });
  }
  const prepareAt = (index: number): Promise<NativePrepared> => {
    let used = false;
    return files.serve(call, async () => {
      // Preparing takes a statement out of the extracted ones, also when it fails.
      if (used) extracted = await extract();
      used = true;
      return session.call(
        () => binding.prepare_extracted_statement(connection, extracted.extracted_statements, index),
        {
          signal,
          sql,
          discard: (prepared) => binding.destroy_prepare_sync(prepared),
        },
      );
    });
  };
  for (let i = 0; i < statementCount - 1; i++) {
    const prepared = await prepareAt(i);
    try {
      if (binding.nparams(prepared) > 0) {
        throw new RecurveError(
          'INVALID_ARGUMENT',
          `statement ${i + 1} of ${statementCount} has parameters, which only the last one can have`,
          { hint: 'run the statements one by one' },
        );
      }
      await files.serve(call, () => executePrepared(session, files, prepared, { signal, sql, materialised: true }));
    } finally {
      session.release(prepared);
    }
  }
  const prepared = await prepareAt(statementCount - 1);
  try {
    return { sql, statementCount, prepared, parameterNames: readParameterNames(binding, prepared) };
  } catch (error) {
    session.release(prepared);
    throw error;
  }
}

function checkText(sql: string): void {
  const nul = sql.indexOf('\0');
  // The bindings would end the text there.
  if (nul >= 0) throw new RecurveError('INVALID_ARGUMENT', `the statement holds a NUL, at position ${nul}`);
  if (/\p{Surrogate}/u.test(sql)) {
    throw new RecurveError('INVALID_ARGUMENT', 'the statement holds half of a surrogate pair, which is no text');
  }
}

/** Parses a text, which reads nothing that it names. Throws INVALID_ARGUMENT for one without a statement, and what the parser says. */
export async function parseText(session: NativeSession, sql: string, signal: AbortSignal): Promise<void> {
  checkText(sql);
  const { binding, connection } = session;
  const extract = (): Promise<Extracted> => binding.extract_statements(connection, sql);
  const extracted = await session.call(extract, { signal, sql });
  if (extracted.statement_count === 0) throw emptyOrWrong(binding, extracted, sql);
}

function emptyOrWrong(binding: Binding, { extracted_statements }: Extracted, sql: string): RecurveError {
  let message = '';
  try {
    message = binding.extract_statements_error(extracted_statements);
  } catch {
    // There is no message: the text is empty.
  }
  if (message !== '') return toRecurveError(message, { sql });
  return new RecurveError('INVALID_ARGUMENT', 'there is no statement in the text');
}

function readParameterNames(binding: Binding, prepared: NativePrepared): string[] {
  return Array.from({ length: binding.nparams(prepared) }, (_, i) => {
    try {
      return binding.parameter_name(prepared, i + 1);
    } catch (cause) {
      throw new RecurveError(
        'INVALID_ARGUMENT',
        `parameter $${i + 1} is missing: parameters are numbered without gaps`,
        {
          cause,
        },
      );
    }
  });
}
