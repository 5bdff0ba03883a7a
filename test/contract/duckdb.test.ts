import { areas } from './areas.ts';
import { runContract } from './behaviour.ts';
import { duckdb } from './duckdb.ts';

runContract(duckdb, areas);
