import { RecurveError } from '../../error.ts';
import type { RecordBatch } from '../batch.ts';
import { Metadata } from '../metadata.ts';
import type { Schema } from '../schema.ts';
import { type DecodeOptions, MessageDecoder } from './decoder.ts';
import type { Block, Footer } from './footer.ts';
import { describeHeader, type FramedMessage, headerType } from './message.ts';

/** Decodes the messages that a footer's blocks lead to. */
export class FileBatches {
  declare readonly footer: Footer;
  /** Of the batches. */
  declare readonly schema: Schema;
  declare readonly decoder: MessageDecoder;

  constructor(footer: Footer, options: DecodeOptions) {
    this.footer = footer;
    const { schema, isBigEndian } = footer;
    this.decoder = new MessageDecoder(schema, 'footer', true, options, Metadata.empty, isBigEndian);
    this.schema = this.decoder.schema;
  }

  /** Throws NOT_FOUND. */
  block(index: number): Block {
    const { batches } = this.footer;
    const block = batches[index];
    if (block === undefined) throw new RecurveError('NOT_FOUND', `no batch ${index} in a file of ${batches.length}`);
    return block;
  }

  /** To be called for all dictionaries, in footer order, in which deltas apply, before the first batch. */
  addDictionary(framed: FramedMessage | null, index: number): void {
    const block = this.footer.dictionaries[index] as Block;
    const { message, body } = checkBlock(framed, block, `dictionary ${index}`, headerType.dictionaryBatch);
    this.decoder.decode(message, body);
  }

  finishDictionaries(): void {
    this.decoder.finish();
  }

  decode(framed: FramedMessage | null, index: number): RecordBatch {
    const { message, body } = checkBlock(framed, this.block(index), `record batch ${index}`, headerType.recordBatch);
    return this.decoder.decode(message, body) as RecordBatch;
  }
}

/** The message of a block: of the type that the footer says, and as long. */
function checkBlock(framed: FramedMessage | null, block: Block, place: string, type: number): FramedMessage {
  if (framed === null) throw new RecurveError('INVALID_DATA', `${place}: there is no message at byte ${block.offset}`);
  const { message } = framed;
  if (message.headerType !== type) message.flatbuffer.fail(`the footer's block leads to a ${describeHeader(message)}`);
  if (message.bodyLength !== block.bodyLength) {
    message.flatbuffer.fail(`the body has ${message.bodyLength} bytes, by the footer ${block.bodyLength}`);
  }
  return framed;
}
