import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  FileRangeReader,
  type HttpFetch,
  openArrowUrl,
  RecurveError,
  StreamReader,
  tableFromArrays,
  tableFromIPC,
  tableToIPC,
} from 'recurve/arrow';
import { tableValues } from './column-value.ts';
import { mixedBatches, mixedSchema } from './example.ts';

const url = 'https://user:secret@example.com/a/b.arrow?signature=secret#secret';
const table = tableFromArrays(
  Object.fromEntries(
    Array.from({ length: 8 }, (_, k) => [`c${k}`, Float64Array.from({ length: 20_000 }, (_, i) => i + k)]),
  ),
);
const file = tableToIPC(table, { format: 'file' });
const stream = tableToIPC(table);

interface Behaviour {
  readonly data?: Uint8Array;
  /** What is sent instead of the right answer to request `n`, from 0 on. */
  readonly answer?: (n: number, range: string | null) => Response | undefined;
  readonly etag?: (n: number) => string;
}

/** A server as RFC 9110, 14 describes it. */
function serve({ data = file, answer, etag }: Behaviour): {
  fetch: HttpFetch;
  ranges: (string | null)[];
  sent: () => number;
} {
  const ranges: (string | null)[] = [];
  let sent = 0;
  const fetch: HttpFetch = async (given, { headers, signal }) => {
    assert.equal(given, url);
    signal?.throwIfAborted();
    const range = headers.range ?? null;
    const n = ranges.push(range) - 1;
    const other = answer?.(n, range);
    if (other !== undefined) return other;
    const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? [];
    if (range === null) return new Response(data as Uint8Array<ArrayBuffer>);
    const start = first === '' ? Math.max(0, data.length - Number(last)) : Number(first);
    const end = first === '' || last === '' ? data.length : Math.min(data.length, Number(last) + 1);
    if (start >= end)
      return new Response(null, { status: 416, headers: { 'content-range': `bytes */${data.length}` } });
    sent += end - start;
    const sentHeaders = {
      'content-range': `bytes ${start}-${end - 1}/${data.length}`,
      ...(etag && { etag: etag(n) }),
    };
    return new Response(data.slice(start, end), { status: 206, headers: sentHeaders });
  };
  return { fetch, ranges, sent: () => sent };
}

function isError(status: string, message: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(RecurveError.is(error), `${error}`);
    assert.equal(error.status, status);
    assert.match(error.message, message);
    assert.doesNotMatch(`${error.message} ${error.hint}`, /secret/);
    return true;
  };
}

describe('a file behind a URL', () => {
  it('is read whole in two requests: footer and batch', async () => {
    const { fetch, ranges } = serve({});
    const reader = await openArrowUrl(url, { fetch });
    assert.ok(reader instanceof FileRangeReader);
    assert.deepEqual(tableValues(await reader.table()), tableValues(tableFromIPC(file)));
    assert.equal(ranges.length, 2);
    assert.equal(ranges[0], 'bytes=-65536');
  });

  it('is fetched but for columns that are not selected', async () => {
    const { fetch, sent, ranges } = serve({ etag: () => '"v1"' });
    const reader = await openArrowUrl(url, { fetch, columns: ['c5', 'c2'] });
    const selected = await reader.table();
    assert.deepEqual(selected.column('c2').toArray(), table.column('c2').toArray());
    assert.deepEqual(selected.schema.names, ['c5', 'c2']);
    assert.ok(sent() < 65_536 + 1.15 * 2 * 160_000, `${sent()} bytes`);
    assert.equal(ranges.length, 4);
  });

  it('is read in one request when it is small', async () => {
    const data = tableToIPC({ schema: mixedSchema, batches: mixedBatches() }, { format: 'file' });
    const { fetch, ranges } = serve({ data });
    assert.equal((await (await openArrowUrl(url, { fetch })).table()).numRows, 4);
    assert.equal(ranges.length, 1);
  });

  it('is streamed once by a server without ranges', async () => {
    const { fetch, ranges } = serve({ answer: () => new Response(file as Uint8Array<ArrayBuffer>) });
    const reader = await openArrowUrl(url, { fetch, columns: ['c1'] });
    assert.ok(reader instanceof StreamReader);
    assert.deepEqual((await reader.table()).column('c1').toArray(), table.column('c1').toArray());
    assert.equal(ranges.length, 1);
  });

  it('is streamed where ranges of the end are not known', async () => {
    const { fetch, ranges } = serve({ answer: (n) => (n === 0 ? new Response(null, { status: 416 }) : undefined) });
    assert.equal((await (await openArrowUrl(url, { fetch })).table()).numRows, 20_000);
    assert.deepEqual(ranges, ['bytes=-65536', null]);
  });

  it('may hold a stream, large or small', async () => {
    const small = tableToIPC({ schema: mixedSchema, batches: mixedBatches() });
    for (const [data, rows, requests] of [
      [stream, 20_000, 2],
      [small, 4, 1],
    ] as const) {
      const { fetch, ranges } = serve({ data });
      assert.equal((await (await openArrowUrl(url, { fetch })).table()).numRows, rows);
      assert.equal(ranges.length, requests);
    }
  });

  it('that is empty, cut off or no Arrow file is refused', async () => {
    const empty = serve({ data: new Uint8Array(0) });
    await assert.rejects(openArrowUrl(url, { fetch: empty.fetch }), isError('INVALID_DATA', /the stream is empty/));
    const cut = serve({ data: file.subarray(0, -100) });
    const read = async () => (await openArrowUrl(url, { fetch: cut.fetch })).table();
    // Read from the front: its stream is whole, as far as the marker tells.
    assert.equal((await read()).numRows, 20_000);
    const shorter = serve({ data: file.subarray(0, 100_000) });
    await assert.rejects(
      async () => (await openArrowUrl(url, { fetch: shorter.fetch })).table(),
      isError('INVALID_DATA', /cut off/),
    );
  });

  it('that changes between requests is an error, by its entity tag, its size or its answer', async () => {
    const byTag = serve({ etag: (n) => (n < 2 ? '"v1"' : '"v2"') });
    const longer = new Uint8Array(file.length + 8);
    longer.set(file);
    const bySize = serve({
      answer: (n, range) => {
        if (n < 2) return undefined;
        const [, first, last] = /(\d+)-(\d+)/.exec(range ?? '') ?? [];
        return new Response(longer.slice(Number(first), Number(last) + 1), {
          status: 206,
          headers: { 'content-range': `bytes ${first}-${last}/${longer.length}` },
        });
      },
    });
    const byAnswer = serve({ answer: (n) => (n < 2 ? undefined : new Response(file as Uint8Array<ArrayBuffer>)) });
    for (const { fetch } of [byTag, bySize]) {
      const reader = await openArrowUrl(url, { fetch, columns: ['c0', 'c7'] });
      await assert.rejects(reader.table(), isError('IO', /^https:\/\/example.com\/a\/b.arrow: the file has changed/));
    }
    const reader = await openArrowUrl(url, { fetch: byAnswer.fetch, columns: ['c0', 'c7'] });
    await assert.rejects(reader.table(), isError('IO', /answered 200 to a range request, after 206/));
  });

  it('whose server sends other ranges than it was asked for, or says nothing about them, is refused', async () => {
    const partial = (headers: Record<string, string>, body: Uint8Array = file.slice(0, 10)) =>
      new Response(body as Uint8Array<ArrayBuffer>, { status: 206, headers });
    const cases: [Response, RegExp][] = [
      [partial({}), /206 with content-range null/],
      [partial({ 'content-range': 'bytes 0-9/*' }), /206 with content-range "bytes 0-9\/\*"/],
      [partial({ 'content-range': 'bytes 9-0/10' }), /206 with content-range/],
      [partial({ 'content-range': 'bytes 5-20/21' }), /sent 10 bytes where it announced 16/],
      [partial({ 'content-range': 'bytes 0-9/10', 'content-encoding': 'gzip' }), /encoded as "gzip"/],
    ];
    for (const [response, message] of cases) {
      const { fetch } = serve({ answer: () => response });
      await assert.rejects(openArrowUrl(url, { fetch }), isError('IO', message));
    }
    const shifted = serve({
      answer: (n) => (n === 0 ? undefined : partial({ 'content-range': `bytes 0-9/${file.length}` })),
    });
    const reader = await openArrowUrl(url, { fetch: shifted.fetch });
    await assert.rejects(reader.table(), isError('IO', /sent bytes 0 to 10 where \d+ to \d+ were asked for/));
  });

  it('that is not there, or not for us, says so', async () => {
    for (const [http, status] of [
      [401, 'UNAUTHENTICATED'],
      [403, 'UNAUTHORIZED'],
      [404, 'NOT_FOUND'],
      [500, 'IO'],
      [204, 'IO'],
    ] as const) {
      const { fetch } = serve({ answer: () => new Response(null, { status: http }) });
      await assert.rejects(openArrowUrl(url, { fetch }), isError(status, new RegExp(`the server answered ${http}`)));
    }
    const unreachable: HttpFetch = () => Promise.reject(new TypeError('fetch failed'));
    await assert.rejects(openArrowUrl(url, { fetch: unreachable }), isError('IO', /fetch failed/));
  });

  it('stops at every request when aborted', async () => {
    for (let last = 0; last < 4; last++) {
      const controller = new AbortController();
      const { fetch } = serve({
        answer: (n) => {
          if (n === last) controller.abort();
          return undefined;
        },
      });
      await assert.rejects(
        async () => {
          const reader = await openArrowUrl(url, { fetch, signal: controller.signal, columns: ['c0', 'c7'] });
          await reader.table();
          if (last > 0) controller.abort();
          await reader.table();
        },
        isError('CANCELLED', /aborted/),
      );
    }
  });

  it('can be asked for again after a request failed', async () => {
    const { fetch } = serve({ answer: (n) => (n === 1 ? new Response(null, { status: 503 }) : undefined) });
    const reader = await openArrowUrl(url, { fetch });
    await assert.rejects(reader.table(), isError('IO', /503/));
    assert.equal((await reader.table()).numRows, 20_000);
  });
});
