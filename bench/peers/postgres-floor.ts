/** The floors of the suite `postgres`: the server's own work, and a socket that moves its bytes. */
import pg from 'pg';
import type { Arm, Input } from '../harness/suite.ts';
import { queryOf, TARGET, targetDigestSql } from '../input/postgres.ts';
import { readSite } from '../input/postgres-server.ts';
import { BareSocket, extendedQuery, message, simpleQuery } from './bare-socket.ts';

const fillSql = (source: string): string => `truncate ${TARGET}; copy ${TARGET} from ${source} (format binary)`;

export async function openArm(cell: string, arm: string, input: Input): Promise<Arm> {
  const { uri, wideUri, copyFile } = readSite(input);
  if (arm === 'copy-file') return openCopyFile(uri, copyFile);
  if (cell === 'connect') {
    return {
      run: () => BareSocket.open(wideUri),
      release: (socket) => socket.close(),
    } satisfies Arm<BareSocket>;
  }
  const socket = await BareSocket.open(uri, { gather: arm === 'floor-gather' });
  const request = cell === 'ingest' ? await copyRequest(socket) : extendedQuery(queryOf(cell).sql);
  return { run: () => socket.exchange(request), close: () => socket.close() } satisfies Arm<number>;
}

/** The server reads a file of its own: no client at all. */
async function openCopyFile(uri: string, copyFile: string): Promise<Arm> {
  const client = new pg.Client({ connectionString: uri });
  await client.connect();
  return {
    run: () => client.query(fillSql(`'${copyFile}'`)),
    digest: () => digestTarget(client),
    close: () => client.end(),
  };
}

/** Of the filled table, by the server. */
export async function digestTarget(client: pg.Client): Promise<string> {
  const { rows } = await client.query(targetDigestSql);
  const [{ rows: count, digest }] = rows;
  return `${count}:${digest}`;
}

/** A CopyData message of an ingest is about this long. */
const copyBytes = 256 * 1024;

/** The rows of `fact` as COPY gives them, in messages as a client would send them: statement, data and end. */
async function copyRequest(socket: BareSocket): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  socket.onPiece = (piece) => pieces.push(piece.slice());
  await socket.exchange(simpleQuery('copy fact to stdout (format binary)'));
  socket.onPiece = undefined;
  const answer = Buffer.concat(pieces);
  const parts = [simpleQuery(fillSql('stdin'))];
  let data: Uint8Array[] = [];
  let byteLength = 0;
  const flush = (): void => {
    parts.push(message('d', ...data));
    data = [];
    byteLength = 0;
  };
  for (let at = 0; at < answer.length; ) {
    const end = at + 1 + answer.readInt32BE(at + 1);
    if (answer[at] === 0x64) {
      data.push(answer.subarray(at + 5, end));
      byteLength += end - at - 5;
      if (byteLength >= copyBytes) flush();
    }
    at = end;
  }
  flush();
  return Buffer.concat([...parts, message('c')]);
}
