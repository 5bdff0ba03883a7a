import { abortArea } from './abort.ts';
import type { Area } from './behaviour.ts';
import { bindArea } from './bind.ts';
import { concurrencyArea } from './concurrency.ts';
import { failureArea } from './failure.ts';
import { ingestArea } from './ingest.ts';
import { lifecycleArea } from './lifecycle.ts';
import { metadataArea } from './metadata.ts';
import { parameterArea } from './parameter.ts';
import { partitionArea } from './partition.ts';
import { resultArea } from './result.ts';
import { statementArea } from './statement.ts';
import { stopArea } from './stop.ts';
import { transactionArea } from './transaction.ts';

/** The whole contract. */
export const areas: readonly Area[] = [
  resultArea,
  stopArea,
  failureArea,
  lifecycleArea,
  transactionArea,
  parameterArea,
  statementArea,
  bindArea,
  metadataArea,
  ingestArea,
  partitionArea,
  concurrencyArea,
  abortArea,
];
