import type { Plan } from '../../delivery/plan.ts';
import { RecurveError } from '../../error.ts';
import { firstWord, words } from './sql-text.ts';

/** What can stand in `COPY (…) TO`. */
const copied = new Set(['select', 'values', 'table', 'with', 'insert', 'update', 'delete', 'merge']);

/**
 * Chooses between `rows`, the extended protocol with binary results, and `copy`, COPY in binary. Rows need one round trip,
 * take parameters and every kind of statement, and were measured to take less time; so COPY is taken only when asked for.
 *
 * Throws INVALID_ARGUMENT for a path that is not there or cannot serve the statement.
 */
export function planPath(sql: string, parameterCount: number, asked: string | undefined): Plan {
  const ruledOut = ruleOutCopy(sql, parameterCount);
  const candidates = [{ name: 'rows' }, ruledOut === undefined ? { name: 'copy' } : { name: 'copy', ruledOut }];
  if (asked === undefined) {
    return {
      candidates,
      chosen: 'rows',
      reason: 'binary rows with their schema in one round trip, less than COPY takes',
    };
  }
  if (asked !== 'rows' && asked !== 'copy') {
    throw new RecurveError('INVALID_ARGUMENT', `PostgreSQL has no path ${JSON.stringify(asked)}`, {
      exitCode: 2,
      hint: 'it has: rows, copy',
    });
  }
  if (asked === 'copy' && ruledOut !== undefined) {
    throw new RecurveError('INVALID_ARGUMENT', `the path copy cannot serve this statement: ${ruledOut}`, {
      hint: 'leave the path out, or ask for rows',
      exitCode: 2,
    });
  }
  return { candidates, chosen: asked, reason: 'asked for' };
}

function ruleOutCopy(sql: string, parameterCount: number): string | undefined {
  if (parameterCount > 0) return 'COPY takes no parameters';
  const word = firstWord(sql);
  if (!copied.has(word)) return `COPY takes queries, not ${word === '' ? 'this' : word.toUpperCase()}`;
  if (word !== 'select' && word !== 'values' && word !== 'table') {
    const all = new Set(words(sql));
    const writes = ['insert', 'update', 'delete', 'merge'].some((kind) => all.has(kind));
    if (writes && !all.has('returning')) return 'it returns no rows';
  }
  return undefined;
}
