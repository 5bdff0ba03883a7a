import { RecurveError } from '../../error.ts';
import type { Status } from '../../status.ts';
import { abortError } from './abort.ts';
import { FileRangeReader, tailBytes } from './file-range-reader.ts';
import { endsWithMagic } from './footer.ts';
import { StreamReader, type StreamReadOptions } from './stream-reader.ts';

/** What is used of a `Response`. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: ReadableStream<Uint8Array> | null;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** What is used of `fetch`. */
export type HttpFetch = (
  url: string,
  init: { readonly headers: Record<string, string>; readonly signal?: AbortSignal },
) => Promise<HttpResponse>;

/** How a file behind a URL is read. */
export interface HttpReadOptions extends StreamReadOptions {
  /** Sent with every request, such as `authorization`. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default: the platform's `fetch`. */
  readonly fetch?: HttpFetch | undefined;
}

/**
 * Opens the Arrow file behind an HTTP(S) URL by range requests: one for the footer, after which a {@link FileRangeReader}
 * fetches what it is asked for. Where the server has no ranges, or what it has is an Arrow stream, all of it is fetched in
 * one request and read from front to back by a {@link StreamReader}; both have `schema`, `table()` and are async iterables
 * of batches.
 *
 * Throws NOT_FOUND, UNAUTHENTICATED or UNAUTHORIZED for the statuses of that meaning, IO for other answers that are none
 * and for a file that changes while it is read (by its entity tag, date and size), INVALID_DATA for what is no Arrow data,
 * and CANCELLED or TIMEOUT when the signal of `options` fires. Errors name the URL without its query, which may hold secrets.
 */
export async function openArrowUrl(
  url: string | URL,
  options: HttpReadOptions = {},
): Promise<FileRangeReader | StreamReader> {
  const file = new HttpFile(`${url}`, options);
  const tail = await file.request(`bytes=-${tailBytes}`);
  // 416: ranges that end a file are not known everywhere, and an empty file has none.
  if (tail.status === 416) return file.stream(await letGo(tail, () => file.request(undefined)));
  if (tail.status === 200) return file.stream(tail);
  const { start, size } = file.accept(tail);
  const bytes = await file.read(tail, size - start);
  const source = {
    size,
    tail: bytes,
    read: (offset: number, length: number) => file.range(offset, length),
  };
  if (endsWithMagic(bytes)) return FileRangeReader.open(source, options);
  return start === 0 ? StreamReader.from(bytes, options) : file.stream(await file.request(undefined));
}

interface ContentRange {
  readonly start: number;
  readonly end: number;
  readonly size: number;
}

/** The requests for one file, which must stay the same. */
class HttpFile {
  readonly #url: string;
  readonly #options: HttpReadOptions;
  /** What tells the version of the file, as of the first answer. */
  #version: string | undefined;

  constructor(url: string, options: HttpReadOptions) {
    this.#url = url;
    this.#options = options;
  }

  /** Asks for a range, or for all. Throws for statuses that are no answer to that. */
  async request(range: string | undefined): Promise<HttpResponse> {
    const { signal, headers, fetch = globalThis.fetch as HttpFetch } = this.#options;
    let response: HttpResponse;
    try {
      response = await fetch(this.#url, {
        headers: { ...headers, ...(range !== undefined && { range }) },
        ...(signal && { signal }),
      });
    } catch (error) {
      throw this.#failure(error);
    }
    const { status } = response;
    if (status === 200 || (range !== undefined && (status === 206 || status === 416))) return response;
    return letGo(response, () => this.#fail(`the server answered ${status}`, statusOf(status)));
  }

  async stream(response: HttpResponse): Promise<StreamReader> {
    if (response.status !== 200) return letGo(response, () => this.#fail(`the server answered ${response.status}`));
    return StreamReader.from(response.body ?? [], this.#options);
  }

  /** Exactly this range of the file. */
  async range(offset: number, length: number): Promise<Uint8Array> {
    const response = await this.request(`bytes=${offset}-${offset + length - 1}`);
    if (response.status !== 206) {
      const changed = `it answered ${response.status} to a range request, after 206: the file may have changed`;
      return letGo(response, () => this.#fail(changed));
    }
    const { start, end } = this.accept(response);
    if (start !== offset || end !== offset + length) {
      return letGo(response, () =>
        this.#fail(`it sent bytes ${start} to ${end} where ${offset} to ${offset + length} were asked for`),
      );
    }
    return this.read(response, length);
  }

  /** What part of the file a 206 has. Throws IO where it is another version of the file than the one before had. */
  accept(response: HttpResponse): ContentRange {
    const { headers } = response;
    const text = headers.get('content-range');
    const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(text ?? '') ?? [];
    const range = { start: Number(first), end: Number(last) + 1, size: Number(total) };
    if (first === undefined || range.start >= range.end || range.end > range.size) {
      this.#fail(`it answered 206 with content-range ${JSON.stringify(text)}`, 'IO', {
        hint: 'across origins the server must expose it: access-control-expose-headers: content-range, etag',
      });
    }
    const encoding = headers.get('content-encoding') ?? 'identity';
    if (encoding !== 'identity') this.#fail(`it sent a range of the file encoded as ${JSON.stringify(encoding)}`);
    const version = [total, headers.get('etag') ?? headers.get('last-modified')].join(', ');
    this.#version ??= version;
    if (version !== this.#version) {
      this.#fail(`the file has changed while it was read: size and version were ${this.#version}, are ${version}`);
    }
    return range;
  }

  /** The body of an answer, of this length. */
  async read(response: HttpResponse, length: number): Promise<Uint8Array> {
    let bytes: Uint8Array;
    try {
      bytes = new Uint8Array(await response.arrayBuffer());
    } catch (error) {
      throw this.#failure(error);
    }
    if (bytes.length !== length) this.#fail(`it sent ${bytes.length} bytes where it announced ${length}`);
    return bytes;
  }

  #failure(error: unknown): unknown {
    const { signal } = this.#options;
    if (signal?.aborted) return abortError(signal.reason, signal);
    const what = error instanceof Error ? error.message : String(error);
    return new RecurveError('IO', `${shown(this.#url)}: ${what}`, { cause: error });
  }

  #fail(what: string, status: Status = 'IO', options?: { hint: string }): never {
    throw new RecurveError(status, `${shown(this.#url)}: ${what}`, options);
  }
}

/** Ends an answer that nobody reads, so that its connection is free, then goes on. */
async function letGo<T>({ body }: HttpResponse, next: () => T | Promise<T>): Promise<T> {
  await body?.cancel().catch(() => {});
  return next();
}

function statusOf(http: number): Status {
  switch (http) {
    case 401:
      return 'UNAUTHENTICATED';
    case 403:
      return 'UNAUTHORIZED';
    case 404:
    case 410:
      return 'NOT_FOUND';
    default:
      return 'IO';
  }
}

/** Without what may be secret. */
function shown(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1');
}
