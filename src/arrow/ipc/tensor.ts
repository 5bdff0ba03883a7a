import { RecurveError } from '../../error.ts';
import type { TableSlots } from '../flatbuffer/writer.ts';
import { Metadata, type MetadataInput } from '../metadata.ts';
import { headerType, type Message, MessageCursor, writeMessage } from './message.ts';
import { readIndex, writeIndex } from './sparse-index.ts';
import { TensorBodyReader, TensorBodyWriter } from './tensor-body.ts';
import type { SparseTensor, Tensor, TensorShape, TensorType } from './tensor-type.ts';
import { readType, writeType } from './type.ts';

/**
 * Reads the tensor that is a message of its own ("Tensor (Multi-dimensional Array) Message Format"), in place; null when the
 * bytes hold none. Of several the first: see {@link readTensors}.
 *
 * Throws INVALID_DATA for what is no such message, and where a value, by shape, strides and buffers, would lie outside of
 * the body. Pointers and coordinates of a sparse tensor are checked too.
 */
export function readTensor(bytes: Uint8Array): Tensor | SparseTensor | null {
  for (const tensor of readTensors(bytes)) return tensor;
  return null;
}

/** Reads tensors that follow each other, up to the end of the bytes or an end-of-stream marker. See {@link readTensor}. */
export function* readTensors(bytes: Uint8Array): Generator<Tensor | SparseTensor, void, undefined> {
  // A plain view, since Buffer overrides `slice` to share memory.
  const cursor = new MessageCursor(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  for (let next = cursor.next(); next !== null; next = cursor.next()) {
    const { message } = next;
    const body = new TensorBodyReader(message.flatbuffer, next.body);
    if (message.headerType === headerType.tensor) yield readDense(message, body);
    else if (message.headerType === headerType.sparseTensor) yield readSparse(message, body);
    else message.flatbuffer.fail('this is no tensor: read batches with tableFromIPC');
  }
}

function readDense(message: Message, body: TensorBodyReader): Tensor {
  const { flatbuffer, header } = message;
  const { type, shape, names } = readShape(message);
  const strides = body.strides(header, 3);
  const values = body.strided(type, flatbuffer.struct(header, 4, 16), shape, strides);
  return { kind: 'dense', type, shape, names, ...(strides && { strides }), values };
}

function readSparse(message: Message, body: TensorBodyReader): SparseTensor {
  const { flatbuffer, header } = message;
  const shaped = readShape(message);
  const count = flatbuffer.int64(header, 3);
  const values = body.view(shaped.type, flatbuffer.struct(header, 6, 16), count);
  const kind = flatbuffer.uint8(header, 4);
  const index = readIndex(flatbuffer, kind, flatbuffer.table(header, 5), { shape: shaped.shape, count, body });
  return { kind: 'sparse', ...shaped, index, values };
}

function readShape({ flatbuffer, header }: Message): Required<TensorShape> {
  const type = readType(flatbuffer, flatbuffer.uint8(header, 0), flatbuffer.table(header, 1), [], '"tensor"');
  if (type.kind !== 'int' && type.kind !== 'float') return flatbuffer.fail(`a tensor of ${type.kind} values is none`);
  const dimensions = flatbuffer.vector(header, 2, 4);
  const shape: number[] = [];
  const names: (string | null)[] = [];
  for (let i = 0; i < dimensions.length; i++) {
    const table = flatbuffer.tableAt(dimensions, i);
    const size = flatbuffer.int64(table, 0);
    if (size < 0) flatbuffer.fail(`dimension ${i} has ${size} values`);
    shape.push(size);
    names.push(flatbuffer.string(table, 1));
  }
  return { type, shape, names };
}

/** How a tensor is written. */
export interface TensorWriteOptions {
  /** The message's `custom_metadata`. Default: none. */
  readonly metadata?: MetadataInput | undefined;
}

/**
 * A tensor as an encapsulated message, its body aligned to 64 bytes; messages may follow each other. Throws INVALID_ARGUMENT
 * for values that are no array of the type's elements, and for what {@link readTensor} would refuse.
 */
export function writeTensor(tensor: Tensor | SparseTensor, options: TensorWriteOptions = {}): Uint8Array<ArrayBuffer> {
  const body = new TensorBodyWriter();
  const isDense = tensor.kind === 'dense';
  const { id, table } = writeType(tensor.type as TensorType);
  const shape: TableSlots = [
    ['int8', id],
    ['table', table],
    ['tables', tensor.shape.map((size, i) => dimensionSlots(size, tensor.names?.[i] ?? null))],
  ];
  const header: TableSlots = isDense
    ? [...shape, body.strides(tensor.strides), body.add(tensor.type, tensor.values)]
    : [
        ...shape,
        ['int64', tensor.values.length],
        ...writeIndex(tensor.index, body),
        body.add(tensor.type, tensor.values),
      ];
  const head = writeMessage(isDense ? headerType.tensor : headerType.sparseTensor, header, {
    bodyLength: body.length,
    metadata: Metadata.from(options.metadata),
    position: 0,
    alignment: 64,
  });
  const bytes = new Uint8Array(head.length + body.length);
  bytes.set(head);
  body.copyTo(bytes, head.length);
  try {
    readTensor(bytes);
  } catch (cause) {
    throw new RecurveError('INVALID_ARGUMENT', `the tensor cannot be read again: ${(cause as Error).message}`, {
      cause,
    });
  }
  return bytes;
}

function dimensionSlots(size: number, name: string | null): TableSlots {
  return [['int64', size], name === null ? null : ['string', name]];
}
