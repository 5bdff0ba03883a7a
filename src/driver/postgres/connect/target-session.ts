import type { Channel } from '../wire/channel.ts';
import { BodyReader, MessageType } from '../wire/message-reader.ts';
import { MessageWriter } from '../wire/message-writer.ts';
import { readReport } from '../wire/report.ts';
import { refuse } from './connect-error.ts';

/** libpq's `target_session_attrs`: which of several servers will do. */
export type TargetSession = (typeof targetSessions)[number];

export const targetSessions = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const;

/** What a server is at the moment. */
export interface ServerRole {
  /** It replays what another server writes. */
  readonly isStandby: boolean;
  /** Its transactions cannot write unless they ask to. */
  readonly isReadOnly: boolean;
}

/** Why a server will not do, or undefined. `prefer-standby` is asked for in a first round only: it is then `standby`. */
export function findObjection(target: TargetSession, { isStandby, isReadOnly }: ServerRole): string | undefined {
  switch (target) {
    case 'any':
      return undefined;
    case 'read-write':
      return isReadOnly || isStandby ? 'the session is read-only' : undefined;
    case 'read-only':
      return isReadOnly || isStandby ? undefined : 'the session is not read-only';
    case 'primary':
      return isStandby ? 'the server is a standby' : undefined;
    default:
      return isStandby ? undefined : 'the server is no standby';
  }
}

/** What the server has reported of itself (14 and newer), or says when asked. */
export async function readServerRole(channel: Channel): Promise<ServerRole> {
  const standby = channel.parameters.get('in_hot_standby');
  const readOnly = channel.parameters.get('default_transaction_read_only');
  if (standby !== undefined && readOnly !== undefined) {
    return { isStandby: standby === 'on', isReadOnly: readOnly === 'on' };
  }
  return {
    isStandby: (await askText(channel, 'SELECT pg_catalog.pg_is_in_recovery()')) === 't',
    isReadOnly: (await askText(channel, 'SHOW transaction_read_only')) === 'on',
  };
}

/** The one value of a statement's one row, as text. */
async function askText(channel: Channel, sql: string): Promise<string> {
  channel.send(new MessageWriter().query(sql).take());
  let text = '';
  let failure: Error | undefined;
  for (;;) {
    const { type, body } = await channel.readMessage();
    if (type === MessageType.DataRow) {
      const reader = new BodyReader(body);
      if (reader.int16() === 1 && reader.int32() > 0) text = Buffer.from(reader.rest()).toString('utf8');
    } else if (type === MessageType.ErrorResponse) {
      failure = refuse('IO', `${sql} failed: ${readReport(body).message}`);
    } else if (type === MessageType.ReadyForQuery) {
      if (failure !== undefined) throw failure;
      return text;
    }
  }
}
