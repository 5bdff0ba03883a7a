import { RecurveError } from '../../../error.ts';

/** A backend message that is not a row. */
export interface Message {
  /** Its type byte, e.g. `0x5a` (`Z`). */
  readonly type: number;
  /** What follows the length, in memory of its own. */
  readonly body: Uint8Array;
}

/** Type bytes of backend messages, in the manual's words. */
export const MessageType = {
  Authentication: 0x52,
  BackendKeyData: 0x4b,
  BindComplete: 0x32,
  CloseComplete: 0x33,
  CommandComplete: 0x43,
  CopyBothResponse: 0x57,
  CopyData: 0x64,
  CopyDone: 0x63,
  CopyInResponse: 0x47,
  CopyOutResponse: 0x48,
  DataRow: 0x44,
  EmptyQueryResponse: 0x49,
  ErrorResponse: 0x45,
  NegotiateProtocolVersion: 0x76,
  NoData: 0x6e,
  NoticeResponse: 0x4e,
  NotificationResponse: 0x41,
  ParameterDescription: 0x74,
  ParameterStatus: 0x53,
  ParseComplete: 0x31,
  PortalSuspended: 0x73,
  ReadyForQuery: 0x5a,
  RowDescription: 0x54,
} as const;

const decoder = new TextDecoder();

/** Reads the body of a message from its start to its end. What is not there is INTERNAL: the server broke the protocol. */
export class BodyReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get remaining(): number {
    return this.#bytes.length - this.#offset;
  }

  int8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  int16(): number {
    return this.#view.getInt16(this.#advance(2));
  }

  int32(): number {
    return this.#view.getInt32(this.#advance(4));
  }

  uint32(): number {
    return this.#view.getUint32(this.#advance(4));
  }

  /** Up to the next zero byte, which is passed over. */
  text(): string {
    const end = this.#bytes.indexOf(0, this.#offset);
    if (end < 0) throw truncated();
    const text = decoder.decode(this.#bytes.subarray(this.#offset, end));
    this.#offset = end + 1;
    return text;
  }

  /** All that is left, in place. */
  rest(): Uint8Array {
    const rest = this.#bytes.subarray(this.#offset);
    this.#offset = this.#bytes.length;
    return rest;
  }

  #advance(byteLength: number): number {
    const offset = this.#offset;
    if (offset + byteLength > this.#bytes.length) throw truncated();
    this.#offset = offset + byteLength;
    return offset;
  }
}

function truncated(): RecurveError {
  return new RecurveError('INTERNAL', 'the server sent a message that ends too early', {
    hint: 'is there a PostgreSQL server, and nothing that changes its answers, at the other end?',
  });
}
