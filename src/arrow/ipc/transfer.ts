import { RecurveError } from '../../error.ts';
import { RecordBatch } from '../batch.ts';
import { makeColumn } from '../column/make.ts';
import type { Column, ColumnLayout } from '../column.ts';
import type { Field } from '../schema.ts';
import { childFields } from '../type.ts';
import { valuesField } from './dictionary.ts';
import { headerType, readMessage, writeMessage } from './message.ts';
import { readSchema, schemaSlots } from './schema.ts';

/** A column as structured clone takes it: its layout without types. */
export interface ColumnMessage extends Omit<ColumnLayout, 'type' | 'children' | 'dictionary'> {
  readonly children?: readonly ColumnMessage[];
  readonly dictionary?: ColumnMessage;
}

/** A batch as structured clone takes it. */
export interface BatchMessage {
  /** An IPC schema message, with the batch's metadata as its own. */
  readonly schema: Uint8Array;
  readonly numRows: number;
  readonly columns: readonly ColumnMessage[];
}

/** What is posted to a worker: `worker.postMessage(message, transfer)`. */
export interface Transferable {
  readonly message: BatchMessage;
  readonly transfer: ArrayBuffer[];
}

/** How {@link toTransferable} treats what batches share. */
export interface TransferOptions {
  /**
   * `copy` (default): dictionaries are copied into the message, so that this thread keeps them for the batches that follow.
   * `transfer`: they go along, for a batch that is the last with its dictionaries.
   */
  readonly dictionaries?: 'copy' | 'transfer' | undefined;
}

/**
 * Makes a batch ready to be handed to another thread without a copy: the message for `postMessage` and the buffers to
 * transfer, each once. {@link fromTransferable} makes a batch of the message over there.
 *
 * **A buffer that is transferred is gone here**: all columns over it read as if they were empty, those of other batches over
 * the same buffer too, as batches have that were read in place from one piece of memory. Where that may be so, or a
 * buffer cannot be transferred (Node's pooled small buffers, WebAssembly memory), hand over a copy: `compact(batch)`.
 * Shared memory (`SharedArrayBuffer`) is not transferred but shared.
 */
export function toTransferable(batch: RecordBatch, options: TransferOptions = {}): Transferable {
  const { schema, columns, numRows, metadata } = batch;
  const packer = new Packer(options.dictionaries === 'transfer');
  const message = {
    schema: writeMessage(headerType.schema, schemaSlots(schema), { ...noBody, metadata }),
    numRows,
    columns: columns.map((column) => packer.pack(column, true)),
  };
  return { message, transfer: [...packer.transfer] };
}

/** The batch of a message of {@link toTransferable}. Throws INVALID_ARGUMENT for what is none. */
export function fromTransferable(message: BatchMessage): RecordBatch {
  if (!(message?.schema instanceof Uint8Array && Array.isArray(message.columns))) {
    throw new RecurveError('INVALID_ARGUMENT', 'this is no message of toTransferable');
  }
  const { flatbuffer, header, metadata } = readMessage(message.schema.subarray(8), 'message');
  const schema = readSchema(flatbuffer, header);
  const known = new Map<ColumnMessage, Column>();
  const columns = schema.fields.map((field, i) => unpack(field, message.columns[i], known));
  return new RecordBatch(schema, columns, message.numRows, metadata);
}

const noBody = { bodyLength: 0, position: 0, alignment: 8 };

class Packer {
  readonly transfer = new Set<ArrayBuffer>();
  readonly #transferDictionaries: boolean;
  /** Columns that share a dictionary share it in the message too, which structured clone keeps. */
  readonly #dictionaries = new Map<Column, ColumnMessage>();

  constructor(transferDictionaries: boolean) {
    this.#transferDictionaries = transferDictionaries;
  }

  pack({ layout }: Column, transfers: boolean): ColumnMessage {
    const { type: _, children, dictionary, ...rest } = layout;
    const own = Object.entries(rest).map(([key, value]) => [key, this.#part(value, transfers)]);
    return {
      ...(Object.fromEntries(own) as Omit<ColumnLayout, 'type' | 'children' | 'dictionary'>),
      ...(children && { children: children.map((child) => this.pack(child, transfers)) }),
      ...(dictionary && { dictionary: this.#dictionary(dictionary, transfers) }),
    };
  }

  #dictionary(dictionary: Column, transfers: boolean): ColumnMessage {
    let packed = this.#dictionaries.get(dictionary);
    if (packed === undefined) {
      packed = this.pack(dictionary, transfers && this.#transferDictionaries);
      this.#dictionaries.set(dictionary, packed);
    }
    return packed;
  }

  /** A buffer, several, or a plain value of a layout. */
  #part(value: unknown, transfers: boolean): unknown {
    if (Array.isArray(value)) return value.map((part) => this.#part(part, transfers));
    if (!ArrayBuffer.isView(value)) return value;
    const { buffer } = value;
    if (!(buffer instanceof ArrayBuffer)) return value;
    // A view that is cloned takes all of its buffer along: a copy of just its bytes does not.
    if (!transfers) return (value as Uint8Array).slice();
    if (buffer.byteLength > 0) this.transfer.add(buffer);
    return value;
  }
}

function unpack(field: Field, message: ColumnMessage | undefined, known: Map<ColumnMessage, Column>): Column {
  const { type } = field;
  if (message === undefined) throw new RecurveError('INVALID_ARGUMENT', `the message has no column ${field}`);
  const { children, dictionary, ...rest } = message;
  const layout: { -readonly [K in keyof ColumnLayout]: ColumnLayout[K] } = { ...rest, type };
  if (children) layout.children = childFields(type).map((child, i) => unpack(child, children[i], known));
  if (type.kind === 'dictionary' && dictionary) {
    layout.dictionary = known.get(dictionary) ?? unpack(valuesField(type), dictionary, known);
    known.set(dictionary, layout.dictionary);
  }
  return makeColumn(field, layout);
}
