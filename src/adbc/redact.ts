const secretKey = /pass|pwd|secret|token|credential|authorization|signature|key$/i;
const hidden = '***';

/** Whether an option or a URI's query parameter of this name holds a secret, as far as a name tells. */
export function isSecretKey(key: string): boolean {
  return secretKey.test(decode(key));
}

/**
 * A URI, or what was given for one, fit for messages and logs: the password of its user part and the values of parameters
 * with telling names ({@link isSecretKey}), in a URI's query or in `key=value` words, become `***`. It hides rather too much
 * than too little: after `//user:` everything up to the last `@`, since passwords are often not encoded.
 */
export function redactUri(uri: string): string {
  return uri
    .replace(/^([^/?#\s]*:\/\/[^/?#:@]*):.*@/s, `$1:${hidden}@`)
    .replace(/([?&;#\s]|^)([^=?&;#\s]+)=('(?:[^'\\]|\\.)*'|[^&;#\s]*)/g, (whole, before: string, key: string) =>
      isSecretKey(key) ? `${before}${key}=${hidden}` : whole,
    );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
