export type { CallOptions } from './call.ts';
export type { Connection } from './connection.ts';
export { type Database, openDatabase } from './database.ts';
export { defaultBatchLimit, type QueryOptions } from './options.ts';
export type { Parameter, Parameters } from './parameter.ts';
export { redactUri } from './redact.ts';
export type { Result } from './result.ts';
export type * from './spi.ts';
export type { Statement } from './statement.ts';
