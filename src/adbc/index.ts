export type { CallOptions } from './call.ts';
export type { Connection } from './connection.ts';
export { ConnectionOption, IsolationLevel } from './connection-option.ts';
export { type Database, type OpenDatabaseOptions, openDatabase } from './database.ts';
export { adbcVersion, InfoCode, type InfoValue, infoSchema } from './info.ts';
export type { BatchData, BatchesOf, BatchStream, IngestOptions } from './ingest.ts';
export { IngestOption } from './ingest-option.ts';
export { makeObjectsTable, type ObjectLevel, type ObjectLevels } from './object-levels.ts';
export { ObjectDepth, type ObjectFilter, type ObjectOptions, objectsSchema, tableTypesSchema } from './objects.ts';
export type { QueryEnd, QueryFailure, QueryObserver, QueryStart } from './observer.ts';
export { defaultBatchLimit, type QueryOptions } from './options.ts';
export type { Parameter, Parameters } from './parameter.ts';
export type { Partitions } from './partition.ts';
export { redactUri } from './redact.ts';
export type { Result } from './result.ts';
export type * from './spi.ts';
export type { Statement } from './statement.ts';
export {
  makeStatisticsTable,
  type Statistic,
  type StatisticFilter,
  StatisticKey,
  type StatisticOptions,
  statisticNamesSchema,
  statisticsSchema,
} from './statistics.ts';
