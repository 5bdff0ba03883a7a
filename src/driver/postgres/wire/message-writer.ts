/** A parameter of a Bind message: its bytes in this format, or null. */
export interface WireParameter {
  /** 0: the server infers the type. */
  readonly oid: number;
  /** 0 text, 1 binary. */
  readonly format: 0 | 1;
  readonly bytes: Uint8Array | null;
}

/** What a Bind message says besides its parameters. */
export interface BindOptions {
  readonly portal?: string;
  readonly statement?: string;
  /** One for all columns, or one a column; default: binary for all. */
  readonly resultFormats?: readonly number[];
}

const encoder = new TextEncoder();
const initialBytes = 4096;

/**
 * Frontend messages, one after the other, in memory that grows; {@link take} gives what was written. The names are those of the
 * manual, "Message Formats". Texts must not hold a zero byte: the server takes it as their end, so that is refused before.
 */
export class MessageWriter {
  #bytes: Uint8Array = new Uint8Array(initialBytes);
  #view: DataView = new DataView(this.#bytes.buffer);
  #length = 0;
  #messageStart = 0;

  /** All messages since the last call, as memory of the caller's own. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return taken;
  }

  /** Forgets what was written and not taken. */
  clear(): void {
    this.#length = 0;
  }

  get byteLength(): number {
    return this.#length;
  }

  /** `oids` of the parameters; 0 or none: inferred. */
  parse(statement: string, sql: string, oids: readonly number[] = []): this {
    this.#begin('P');
    this.#text(statement);
    this.#text(sql);
    this.#int16(oids.length);
    for (const oid of oids) this.#int32(oid);
    return this.#end();
  }

  bind(
    parameters: readonly WireParameter[],
    { portal = '', statement = '', resultFormats = [1] }: BindOptions = {},
  ): this {
    this.#begin('B');
    this.#text(portal);
    this.#text(statement);
    this.#int16(parameters.length);
    for (const { format } of parameters) this.#int16(format);
    this.#int16(parameters.length);
    for (const { bytes } of parameters) {
      if (bytes === null) this.#int32(-1);
      else {
        this.#int32(bytes.length);
        this.#raw(bytes);
      }
    }
    this.#int16(resultFormats.length);
    for (const format of resultFormats) this.#int16(format);
    return this.#end();
  }

  describe(what: 'statement' | 'portal', name = ''): this {
    return this.#named('D', what, name);
  }

  close(what: 'statement' | 'portal', name = ''): this {
    return this.#named('C', what, name);
  }

  /** All rows: a row limit makes the server plan without parallel workers. */
  execute(portal = ''): this {
    this.#begin('E');
    this.#text(portal);
    this.#int32(0);
    return this.#end();
  }

  sync(): this {
    this.#begin('S');
    return this.#end();
  }

  flush(): this {
    this.#begin('H');
    return this.#end();
  }

  /** A text of the simple protocol: several statements, results in text. */
  query(sql: string): this {
    this.#begin('Q');
    this.#text(sql);
    return this.#end();
  }

  /** Answers an authentication request. */
  password(body: Uint8Array): this {
    this.#begin('p');
    this.#raw(body);
    return this.#end();
  }

  copyData(data: Uint8Array): this {
    this.#begin('d');
    this.#raw(data);
    return this.#end();
  }

  copyDone(): this {
    this.#begin('c');
    return this.#end();
  }

  copyFail(reason: string): this {
    this.#begin('f');
    this.#text(reason);
    return this.#end();
  }

  terminate(): this {
    this.#begin('X');
    return this.#end();
  }

  /** The first message of a connection, and the other requests without a type byte: `code` and what follows it. */
  startup(code: number, body: Uint8Array = new Uint8Array(0)): this {
    this.#messageStart = this.#length;
    this.#int32(0);
    this.#int32(code);
    this.#raw(body);
    return this.#end();
  }

  #named(type: string, what: 'statement' | 'portal', name: string): this {
    this.#begin(type);
    this.#int8(what === 'statement' ? 0x53 : 0x50);
    this.#text(name);
    return this.#end();
  }

  #begin(type: string): void {
    this.#int8(type.charCodeAt(0));
    this.#messageStart = this.#length;
    this.#int32(0);
  }

  #end(): this {
    this.#view.setInt32(this.#messageStart, this.#length - this.#messageStart);
    return this;
  }

  #int8(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  #int16(value: number): void {
    this.#reserve(2);
    this.#view.setInt16(this.#length, value);
    this.#length += 2;
  }

  #int32(value: number): void {
    this.#reserve(4);
    this.#view.setInt32(this.#length, value);
    this.#length += 4;
  }

  #raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #text(text: string): void {
    this.#reserve(text.length * 3 + 1);
    this.#length += encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
    this.#bytes[this.#length++] = 0;
  }

  #reserve(byteLength: number): void {
    const needed = this.#length + byteLength;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}
