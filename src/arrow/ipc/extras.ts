import { RecordBatch } from '../batch.ts';
import type { JoinColumns } from '../column/joined.ts';
import type { RecordBatch as PlainBatch } from '../plain-batch.ts';
import type { Table as PlainTable } from '../plain-table.ts';
import { Table } from '../table.ts';
import { type ByteSwap, swapBytes } from './big-endian.ts';
import { joinColumns } from './concat-nested.ts';

/** What the readers of `recurve/arrow` have and those of `recurve/arrow/read` do without, for its bytes. */
export interface ReadExtras {
  /** Batches whose rows take `ValueOptions`. */
  readonly Batch: typeof PlainBatch;
  /** Tables whose text shows rows. */
  readonly Table: typeof PlainTable;
  /** Makes big-endian buffers little-endian; without it, such a schema is NOT_IMPLEMENTED. */
  readonly swap: ByteSwap;
  /** Joins the buffers of dictionaries that come in deltas; without it, their values are read where they are. */
  readonly join: JoinColumns;
}

/** All that there is. */
export const readExtras: ReadExtras = { Batch: RecordBatch, Table, swap: swapBytes, join: joinColumns };
