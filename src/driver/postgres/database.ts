import { channel } from 'node:diagnostics_channel';
import type { DriverCall, DriverConnection, DriverDatabase } from '../../adbc/spi.ts';
import { type ConnectSettings, connectServer, sendCancel } from './connect/index.ts';
import { PostgresConnection } from './connection.ts';
import { type ResultOptions, readTable } from './execution.ts';
import { PostgresSession } from './session.ts';
import { TypeCatalog } from './type-catalog.ts';
import type { Notification } from './wire/channel.ts';
import type { ServerReport } from './wire/report.ts';

/** What the server says unasked, on the channel `recurve:postgres:notice`. */
export interface NoticeMessage {
  /** Where it came from: host and port, or the path of the socket. */
  readonly server: string;
  readonly processId: number;
  readonly report: ServerReport;
}

/** Of NOTIFY, on the channel `recurve:postgres:notification`. */
export interface NotificationMessage extends Notification {
  readonly server: string;
}

const notices = channel('recurve:postgres:notice');
const notifications = channel('recurve:postgres:notification');

/** A database: where it is, and what its connections share. */
export class PostgresDatabase implements DriverDatabase {
  readonly #settings: ConnectSettings;
  readonly #options: ResultOptions;
  readonly #types = new TypeCatalog();

  constructor(settings: ConnectSettings, options: ResultOptions) {
    this.#settings = settings;
    this.#options = options;
  }

  async connect({ signal }: DriverCall): Promise<DriverConnection> {
    const connected = await connectServer(this.#settings, signal);
    const { channel: wire } = connected;
    const server = connected.endpoint.label;
    const processId = connected.backendKey?.processId ?? 0;
    wire.listener = {
      notice: (report) => {
        if (notices.hasSubscribers) notices.publish({ server, processId, report } satisfies NoticeMessage);
      },
      notification: (notification) => {
        if (!notifications.hasSubscribers) return;
        notifications.publish({ ...notification, server } satisfies NotificationMessage);
      },
    };
    const session = new PostgresSession(
      {
        channel: wire,
        types: this.#types,
        processId,
        sendCancel: (cancelSignal) => sendCancel(connected, cancelSignal),
      },
      readTable,
    );
    return new PostgresConnection(session, this.#options);
  }

  async close(): Promise<void> {}
}
