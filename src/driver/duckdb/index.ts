import type { Driver } from '../../adbc/spi.ts';
import { openDatabase } from './database.ts';

/**
 * The embedded driver: DuckDB in this process, in memory or in a file, by the optional peer `@duckdb/node-api`, which is
 * loaded when a database is first opened. `docs/duckdb.md` has URIs, settings, parameters and errors.
 */
export const driver: Driver = { name: 'duckdb', open: openDatabase };
