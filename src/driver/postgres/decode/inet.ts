import type { Source } from './source.ts';
import type { TextWriter } from './written-text.ts';

/** `inet` and `cidr` (utils/adt/network.c, `network_send`): family, bits of the network, whether cidr, bytes, address. */
export const writeAddress: TextWriter = (source, place, length, path) => {
  const { bytes } = source;
  const family = length < 4 ? 0 : (bytes[place] ?? 0);
  const byteLength = family === 2 ? 4 : family === 3 ? 16 : 0;
  const prefix = bytes[place + 1] ?? 0;
  if (byteLength === 0 || length !== 4 + byteLength || bytes[place + 3] !== byteLength || prefix > 8 * byteLength) {
    throw source.fault(path, place, `an address of family ${family} in ${length} bytes, /${prefix}`);
  }
  const text = byteLength === 4 ? v4Text(bytes, place + 4) : v6Text(source, place + 4);
  return bytes[place + 2] === 0 && prefix === 8 * byteLength ? text : `${text}/${prefix}`;
};

function v4Text(bytes: Uint8Array, at: number): string {
  return `${bytes[at]}.${bytes[at + 1]}.${bytes[at + 2]}.${bytes[at + 3]}`;
}

/** The longest run of zeros, the first of those, is `::`; IPv4 addresses inside are written as such (port/inet_net_ntop.c). */
function v6Text({ view, bytes }: Source, at: number): string {
  const words = Array.from({ length: 8 }, (_, i) => view.getUint16(at + 2 * i));
  let base = -1;
  let best = 1;
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (end < 8 && words[end] === 0) end++;
    if (end - i > best) {
      base = i;
      best = end - i;
    }
    if (end > i) i = end;
  }
  const hasV4 = base === 0 && (best === 6 || (best === 5 && words[5] === 0xffff));
  const parts = words.slice(0, hasV4 ? 6 : 8).map((word) => word.toString(16));
  if (hasV4) parts.push(v4Text(bytes, at + 12));
  if (base < 0) return parts.join(':');
  return `${parts.slice(0, base).join(':')}::${parts.slice(base + best).join(':')}`;
}
