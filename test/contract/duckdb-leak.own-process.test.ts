import { runContract } from './behaviour.ts';
import { duckdb } from './duckdb.ts';
import { leakArea } from './leak.ts';

runContract(duckdb, [leakArea]);
