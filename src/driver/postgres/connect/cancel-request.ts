import { RecurveError } from '../../../error.ts';
import type { Channel } from '../wire/channel.ts';
import { MessageWriter } from '../wire/message-writer.ts';
import type { ConnectedServer } from './connect-server.ts';
import { openChannel } from './secure-channel.ts';

const cancelRequest = 80_877_102;

/**
 * Asks the server to cancel what the session runs, over a connection of its own, to the same address and over TLS where the session
 * is. Resolves when the server has closed it: it has then told the session's process. Whether anything ran nobody says.
 * Throws IO, or `signal.reason`; a caller that cannot wait gives a signal with a time limit.
 */
export async function sendCancel(
  { endpoint, backendKey, isSecure, tls }: Pick<ConnectedServer, 'endpoint' | 'backendKey' | 'isSecure' | 'tls'>,
  signal: AbortSignal,
): Promise<void> {
  if (backendKey === undefined) {
    throw new RecurveError('NOT_IMPLEMENTED', `${endpoint.label} gave no key to cancel its statements with`);
  }
  signal.throwIfAborted();
  let channel: Channel | undefined;
  const stop = (): void => channel?.destroy(new RecurveError('CANCELLED', 'the cancel request was stopped'));
  signal.addEventListener('abort', stop, { once: true });
  try {
    const { address, host } = endpoint;
    const encryption = isSecure ? 'tls' : 'plain';
    const options = {
      signal,
      keepAliveIdleMs: undefined,
      onOpen: (opened: Channel): void => {
        channel = opened;
      },
    };
    await openChannel({ address, host, encryption, tls }, options);
    const body = new Uint8Array(4 + backendKey.secretKey.length);
    new DataView(body.buffer).setInt32(0, backendKey.processId);
    body.set(backendKey.secretKey, 4);
    await channel?.write(new MessageWriter().startup(cancelRequest, body).take());
    await channel?.closed;
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', stop);
    channel?.destroy(new RecurveError('IO', 'the cancel request is done'));
  }
}
