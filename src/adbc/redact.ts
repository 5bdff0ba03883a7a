const secretKey = /pass|pwd|secret|token|credential|authorization|signature|key$|(^|[._-])(auth|sig)$/i;
const hidden = '***';

/** Whether an option or a URI's query parameter of this name holds a secret, as far as a name tells. */
export function isSecretKey(key: string): boolean {
  return secretKey.test(decode(key));
}

/**
 * A URI, or what was given for one, fit for messages and logs: the password of its user part and the values of parameters
 * with telling names ({@link isSecretKey}), in a URI's query or in `key=value` words, become `***`. It hides rather too much
 * than too little: after `//user:` everything up to the last `@`, since passwords are often not encoded. One slash counts
 * as two, as DuckDB writes paths; so does a colon for the equals sign in a query. In PostgreSQL's URIs a value ends at `&` alone; in its
 * strings of keywords and values, which are no URI, at white space that is neither quoted nor behind a backslash.
 */
export function redactUri(uri: string): string {
  const hide = (whole: string, before: string, key: string): string => (isSecretKey(key) ? before + hidden : whole);
  const own = /^postgres(ql)?:/i.test(uri)
    ? uri.replace(/([?&]([^=&]+)=)[^&]*/g, hide)
    : /^[a-z][a-z0-9+.-]+:/i.test(uri)
      ? uri
      : uri.replace(/((?<!\S)([^=\s]+)\s*=\s*)('(?:[^'\\]|\\.)*(?:'|$)|(?:[^\s\\]|\\.)*)/gs, hide);
  return own
    .replace(/^([^/?#\s]*:\/{1,2}[^/?#:@]*):.*@/s, `$1:${hidden}@`)
    .replace(/([?&;#\s]|^)([^=?&;#\s]+)=('(?:[^'\\]|\\.)*'|[^&;#\s]*)/g, (whole, before: string, key: string) =>
      isSecretKey(key) ? `${before}${key}=${hidden}` : whole,
    )
    .replace(/([?&;])([^=:?&;#\s]+):([^&;#]*)/g, (whole, before: string, key: string) =>
      isSecretKey(key) ? `${before}${key}:${hidden}` : whole,
    );
}

/**
 * Text that may have URIs, settings and options somewhere in it, such as a source's message, with the same hidden as
 * {@link redactUri} hides: the password of `scheme://user:password@`, up to the last `@` before white space, and what
 * follows a telling name and `=` or `:`, up to white space or the end of a quotation.
 */
export function redactText(text: string): string {
  const shown = text
    .replaceAll(/([a-z][a-z0-9+.-]*:\/{1,2}[^\s/?#:@]*):\S*@/gi, `$1:${hidden}@`)
    .replaceAll(/\b(authorization: *)(\w+ +)?[^\s"']+/gi, `$1${hidden}`);
  const sign = /([\w.%-]+)(?:["']?\s*=\s*|["']?:(?!:))/g;
  const value = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s&;#]*[^\s&;#"'`)\],.]/y;
  let out = '';
  let done = 0;
  for (let match = sign.exec(shown); match !== null; match = sign.exec(shown)) {
    value.lastIndex = sign.lastIndex;
    // What follows another name is looked through: it may be a URI.
    if (!isSecretKey(match[1] ?? '') || !value.test(shown)) continue;
    out += shown.slice(done, sign.lastIndex) + hidden;
    done = value.lastIndex;
    sign.lastIndex = done;
  }
  return out + shown.slice(done);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
