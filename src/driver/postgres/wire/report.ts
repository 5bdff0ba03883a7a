import { BodyReader } from './message-reader.ts';

/** What the server says in an ErrorResponse or a NoticeResponse; the manual, "Error and Notice Message Fields". */
export interface ServerReport {
  readonly severity: string;
  /** SQLSTATE, five characters. */
  readonly code: string;
  readonly message: string;
  readonly detail?: string;
  readonly hint?: string;
  /** In the text of the statement, in characters from 1. */
  readonly position?: string;
  readonly internalPosition?: string;
  readonly internalQuery?: string;
  readonly where?: string;
  readonly schema?: string;
  readonly table?: string;
  readonly column?: string;
  readonly dataType?: string;
  readonly constraint?: string;
  readonly file?: string;
  readonly line?: string;
  readonly routine?: string;
}

type ReportField = keyof ServerReport;

const fieldByType: Readonly<Record<string, ReportField>> = {
  S: 'severity',
  V: 'severity',
  C: 'code',
  M: 'message',
  D: 'detail',
  H: 'hint',
  P: 'position',
  p: 'internalPosition',
  q: 'internalQuery',
  W: 'where',
  s: 'schema',
  t: 'table',
  c: 'column',
  d: 'dataType',
  n: 'constraint',
  F: 'file',
  L: 'line',
  R: 'routine',
};

/** Reads the body of an ErrorResponse or NoticeResponse. Fields that are not known are passed over. */
export function readReport(body: Uint8Array): ServerReport {
  const reader = new BodyReader(body);
  const report: Partial<Record<ReportField, string>> = {};
  while (reader.remaining > 0) {
    const type = reader.int8();
    if (type === 0) break;
    const text = reader.text();
    // `V`, the severity that is never translated, comes after `S`.
    const field = fieldByType[String.fromCharCode(type)];
    if (field !== undefined) report[field] = text;
  }
  return { severity: 'ERROR', code: 'XX000', message: 'the server gave no message', ...report };
}
