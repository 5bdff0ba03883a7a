import { Channel, type ChannelOptions, type ServerAddress } from '../wire/channel.ts';
import { MessageWriter } from '../wire/message-writer.ts';
import { refuse } from './connect-error.ts';
import type { Encryption } from './encryption.ts';
import { checkTlsSession, readPeerCertificate, readTlsOptions, toTlsError } from './tls.ts';
import type { TlsSettings } from './tls-settings.ts';

/** A channel, over TLS or not. */
export interface SecuredChannel {
  readonly channel: Channel;
  readonly isSecure: boolean;
  /** The server's, DER. */
  readonly certificate: Uint8Array | undefined;
}

/** Where to connect to and how. */
export interface ChannelRequest {
  readonly address: ServerAddress;
  /** What a certificate is verified for. */
  readonly host: string;
  readonly encryption: Encryption;
  readonly tls: TlsSettings;
}

const sslRequest = 80_877_103;
const answer = { yes: 0x53, no: 0x4e, error: 0x45 } as const;

/**
 * Opens a socket and, as `encryption` has it, TLS on it. `onOpen` is told of the channel as soon as there is one, for stopping it.
 * Throws IO for what does not work; the channel is then closed.
 */
export async function openChannel(
  { address, host, encryption, tls }: ChannelRequest,
  { onOpen, ...options }: ChannelOptions & { readonly onOpen: (channel: Channel) => void },
): Promise<SecuredChannel> {
  const channel = await Channel.open(address, options);
  onOpen(channel);
  if (encryption === 'plain') return { channel, isSecure: false, certificate: undefined };
  if (!tls.direct && !(await isOffered(channel))) {
    if (encryption === 'tlsIfOffered') return { channel, isSecure: false, certificate: undefined };
    throw refuse('IO', 'the server has no TLS, but sslmode asks for it', 'sslmode=disable connects in the clear');
  }
  const socket = await channel.secure(await readTlsOptions(tls, host), options).catch((error: unknown) => {
    options.signal.throwIfAborted();
    throw toTlsError(error);
  });
  checkTlsSession(socket, tls);
  return { channel, isSecure: true, certificate: readPeerCertificate(socket) };
}

async function isOffered(channel: Channel): Promise<boolean> {
  channel.send(new MessageWriter().startup(sslRequest).take());
  const byte = await channel.readByte();
  if (byte === answer.yes) return true;
  if (byte === answer.no) return false;
  // Nobody has proved who says it: the report itself is not shown (CVE-2024-10977).
  if (byte === answer.error) throw refuse('IO', 'the server answered the request for TLS with an error');
  const shown = `0x${byte.toString(16).padStart(2, '0')}`;
  throw refuse('IO', `the server answered the request for TLS with the byte ${shown}`, 'is it a PostgreSQL server?');
}
