import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecurveError } from 'recurve';
import { type ConnectedServer, connectServer } from '../../../../src/driver/postgres/connect/index.ts';
import { readConnectSettings, type SettingsContext } from '../../../../src/driver/postgres/connect/read-settings.ts';
import { BodyReader, MessageType } from '../../../../src/driver/postgres/wire/message-reader.ts';
import { MessageWriter } from '../../../../src/driver/postgres/wire/message-writer.ts';
import { readReport } from '../../../../src/driver/postgres/wire/report.ts';

/** Settings by keyword, before those of the URI. */
export type Keywords = Readonly<Record<string, string | number>>;

/** Has none of the files that a user's home may have. */
const emptyHome: string = mkdtempSync(join(tmpdir(), 'recurve-home-'));

/** Connects with nothing but what is given: neither the environment nor the home folder of who runs the tests count. */
export async function connect(
  uri: string,
  keywords: Keywords = {},
  context: SettingsContext & { readonly signal?: AbortSignal } = {},
): Promise<ConnectedServer> {
  const options = new Map(Object.entries(keywords).map(([keyword, value]) => [keyword, String(value)]));
  const { signal = new AbortController().signal, ...more } = context;
  const settings = readConnectSettings(options.set('uri', uri), { environment: {}, homeFolder: emptyHome, ...more });
  return connectServer(settings.connect, signal);
}

/** The one value of a statement, as text. Throws the server's message. */
export async function ask({ channel }: ConnectedServer, sql: string): Promise<string | undefined> {
  channel.send(new MessageWriter().query(sql).take());
  let text: string | undefined;
  let failure: Error | undefined;
  for (;;) {
    const { type, body } = await channel.readMessage();
    if (type === MessageType.DataRow) {
      const reader = new BodyReader(body);
      reader.int16();
      if (reader.int32() >= 0) text = Buffer.from(reader.rest()).toString();
    } else if (type === MessageType.ErrorResponse) failure = new Error(readReport(body).message);
    else if (type === MessageType.ReadyForQuery) {
      if (failure !== undefined) throw failure;
      return text;
    }
  }
}

export async function end({ channel }: ConnectedServer): Promise<void> {
  await channel.end(new MessageWriter().terminate().take());
}

/** Connects, asks, and ends. */
export async function connectAndAsk(
  sql: string,
  ...[uri, keywords, context]: Parameters<typeof connect>
): Promise<string | undefined> {
  const connected = await connect(uri, keywords, context);
  try {
    return await ask(connected, sql);
  } finally {
    await end(connected);
  }
}

/** What connecting fails with. */
export async function failure(...[uri, keywords, context]: Parameters<typeof connect>): Promise<RecurveError> {
  let connected: ConnectedServer;
  try {
    connected = await connect(uri, keywords, context);
  } catch (error) {
    if (RecurveError.is(error)) return error;
    throw error;
  }
  await end(connected);
  throw new Error(`connected to ${connected.endpoint.label}, which should have failed`);
}
