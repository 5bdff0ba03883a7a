import { duckdbValidation } from './duckdb.ts';
import { runValidation } from './runner.ts';

runValidation(duckdbValidation);
