import { gzipSync } from 'node:zlib';
import { createTickColumns, encodeReceipts, encodeTicks, ManualClock } from '@crosstape/core';
import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import type { GetPath, PostPath, StreamPath } from './api-types.ts';
import { Client } from './client.ts';
import { ApiError, Unreachable } from './errors.ts';
import type { paths } from './generated/api.ts';
import { events, json, type Script, ScriptedServer } from './testing/scripted-server.ts';

let server: ScriptedServer;
const clock = new ManualClock(1_790_000_000_000);
const random = (): number => 0;

async function clientOf(...scripts: Script[]): Promise<Client> {
  server = await ScriptedServer.open(scripts);
  return new Client({ url: server.url, apiKey: 'ct_free_x', clock, random });
}

/** Advances the clock until the promise is settled. */
async function settle<Result>(promise: Promise<Result>): Promise<Result> {
  let isSettled = false;
  const end = (): void => {
    isSettled = true;
  };
  promise.then(end, end);
  await vi.waitUntil(
    () => {
      if (!isSettled) clock.advance(100);
      return isSettled;
    },
    { timeout: 10_000, interval: 2 },
  );
  return promise;
}

afterEach(() => server.close());

const meta = { fetchedAt: 1, source: 'hyperliquid' };
const good = json(200, { data: [], meta });
const failure = (status: number, code: string, headers = {}): Script =>
  json(status, { error: `It is ${code}.`, data: [], meta: { ...meta, code } }, headers);

describe('a request', () => {
  it('carries key and query, and gives what the service answers', async () => {
    const client = await clientOf(json(200, { data: [{ coin: 'BTC' }], meta }));
    const answer = await client.get('/perps/oi', { coins: ['BTC'] });
    expect(answer).toEqual({ data: [{ coin: 'BTC' }], meta });
    expect(server.requests[0]?.url).toBe('/api/v1/perps/oi?coins=BTC');
    expect(server.requests[0]?.headers['x-api-key']).toBe('ct_free_x');
  });

  it('keeps the path that the service is below', async () => {
    server = await ScriptedServer.open([good, good]);
    for (const url of [`${server.url}/prefix`, `${server.url}/prefix/`]) {
      await new Client({ url, clock, random }).get('/perps/oi', { coins: ['BTC'] });
      expect(server.requests.at(-1)?.url).toBe('/prefix/api/v1/perps/oi?coins=BTC');
    }
  });

  it('is repeated after as long as the service says when it is limited or overloaded', async () => {
    const client = await clientOf(
      failure(429, 'rate_limited', { 'Retry-After': '7' }),
      failure(503, 'overloaded'),
      good,
    );
    const beforeMs = clock.now();
    await settle(client.get('/onchain/valuation'));
    expect(server.requests).toHaveLength(3);
    expect(clock.now() - beforeMs).toBeGreaterThanOrEqual(7_000);
  });

  it.each([400, 404, 413, 500])('that is answered with %i fails at once, with the reason', async (status) => {
    const client = await clientOf(failure(status, 'some_code'));
    const error = await client.get('/onchain/valuation').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status, code: 'some_code', message: 'It is some_code.' });
    expect(server.requests).toHaveLength(1);
  });

  it('gives up after the maximum of tries, and returns the last reason', async () => {
    const client = await clientOf(failure(503, 'upstream_unavailable'));
    await expect(settle(client.get('/onchain/valuation'))).rejects.toThrow('It is upstream_unavailable.');
    expect(server.requests).toHaveLength(4);
  });

  it('that takes too long is repeated, and a broken one too', async () => {
    const client = await clientOf(
      () => {},
      (_, response) => response.socket?.destroy(),
      good,
    );
    await settle(client.get('/onchain/valuation'));
    expect(server.requests).toHaveLength(3);
  });

  it('with a body is not sent twice unless it was surely refused', async () => {
    const client = await clientOf((_, response) => response.socket?.destroy());
    const build = client.post('/perps/rotations/build', { coin: 'BTC', kind: 'tick' });
    await expect(settle(build)).rejects.toThrow(Unreachable);
    expect(server.requests).toHaveLength(1);
  });

  it('ends at once when it is aborted, with the reason given', async () => {
    const client = await clientOf(() => {});
    const ending = new AbortController();
    const asked = client.get('/onchain/valuation', {}, { signal: ending.signal });
    await vi.waitUntil(() => server.requests.length === 1);
    ending.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
  });

  it('to something other than the service fails with a clear error', async () => {
    const client = await clientOf((_, response) => response.end('<html>'));
    await expect(settle(client.get('/onchain/valuation'))).rejects.toThrow(Unreachable);
  });
});

describe('a stream', () => {
  const trade = (ts: number, tid: number): [string, number, object] => [
    'trade',
    ts,
    { coin: 'BTC', ts, tid },
  ];

  async function take(client: Client, count: number): Promise<unknown[]> {
    const ending = new AbortController();
    const items: unknown[] = [];
    for await (const { event, data } of client.stream(
      '/streams/trades',
      { coin: 'BTC' },
      { signal: ending.signal },
    )) {
      items.push(event === 'trade' ? data.tid : data);
      if (items.length === count) break;
    }
    return items;
  }

  it('continues where it broke, and leaves out what comes twice', async () => {
    const client = await clientOf(
      events([['heartbeat', 5, { ts: 5 }], trade(10, 1), trade(11, 2), trade(11, 3)], 'break'),
      events(
        [
          ['heartbeat', 11, { ts: 11, resumed: true }],
          trade(11, 2),
          trade(11, 3),
          trade(11, 4),
          trade(12, 5),
        ],
        'silence',
      ),
    );
    expect(await settle(take(client, 5))).toEqual([1, 2, 3, 4, 5]);
    expect(server.requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '11']);
  });

  it('is read where streams cannot be iterated over, as in Safari', async () => {
    const own = Object.getOwnPropertyDescriptor(ReadableStream.prototype, Symbol.asyncIterator);
    Object.defineProperty(ReadableStream.prototype, Symbol.asyncIterator, { ...own, value: undefined });
    try {
      const client = await clientOf(events([trade(10, 1), trade(11, 2)], 'silence'));
      expect(await settle(take(client, 2))).toEqual([1, 2]);
      expect(server.requests).toHaveLength(1);
    } finally {
      Object.defineProperty(ReadableStream.prototype, Symbol.asyncIterator, own ?? {});
    }
  });

  it('reports what is lost', async () => {
    const client = await clientOf(
      events([trade(10, 1)], 'end'),
      events(
        [['heartbeat', 10, { ts: 10, resumed: false, lostFrom: 10, lostTo: 90 }], trade(90, 9)],
        'silence',
      ),
    );
    expect(await settle(take(client, 3))).toEqual([1, { from: 10, to: 90 }, 9]);
  });

  it('is reopened when it falls silent', async () => {
    const client = await clientOf(events([trade(10, 1)], 'silence'), events([trade(11, 2)], 'silence'));
    expect(await settle(take(client, 2))).toEqual([1, 2]);
  });

  it.each([
    ['', 0],
    ['with the event that it was resumed from', 1],
  ])('is not requested again and again where every connection ends at once %s', async (_, repeats) => {
    const client = await clientOf(
      events([['heartbeat', 5, { ts: 5 }], ...Array.from({ length: repeats }, () => trade(5, 1))], 'end'),
    );
    const beforeMs = clock.now();
    const ending = new AbortController();
    const stream = client.stream('/streams/trades', { coin: 'BTC' }, { signal: ending.signal });
    for (let n = 0; n < repeats; n += 1) await stream.next();
    const reading = stream.next();
    await vi.waitUntil(
      () => {
        clock.advance(20);
        return clock.now() - beforeMs > 10_000;
      },
      { timeout: 20_000, interval: 1 },
    );
    ending.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
    expect(server.requests.length).toBeGreaterThan(1);
    expect(server.requests.length).toBeLessThan(12);
  });

  it('reports when its source fails and when it delivers again, besides the events', async () => {
    const failing = { state: 'stale', sinceTs: 8, reason: 'hyperliquid trades: No data for 7 s.' };
    const beat = (ts: number, more = {}) => ['heartbeat', ts, { ts, ...more }] as const;
    const client = await clientOf(
      events(
        [beat(5), trade(10, 1), beat(10, failing), beat(10, failing), beat(10), trade(11, 2)],
        'silence',
      ),
    );
    const statuses: unknown[] = [];
    const stream = client.stream(
      '/streams/trades',
      { coin: 'BTC' },
      { onStatus: (status) => statuses.push(status) },
    );
    const seen = [await stream.next(), await stream.next()].map(({ value }) => value?.data);
    expect(seen).toMatchObject([{ tid: 1 }, { tid: 2 }]);
    expect(statuses).toMatchObject([failing, { state: 'live' }]);
    await stream.return();
  });

  it('waits out a refusal for now, and ends with one for good', async () => {
    const client = await clientOf(
      failure(503, 'upstream_unavailable', { 'Retry-After': '3' }),
      failure(404, 'not_found'),
    );
    await expect(settle(take(client, 1))).rejects.toThrow('It is not_found.');
    expect(server.requests).toHaveLength(2);
  });
});

it('requests the ticks of the last day by default, and leaves out older ones of the same chunk', async () => {
  const client = await clientOf(
    json(200, { data: { coin: 'BTC', version: 1, chunks: [] }, meta: { ...meta, nextStart: null } }),
  );
  for await (const _ of client.ticks('BTC')) throw new Error('there are none');
  const start = clock.now() - 86_400_000;
  expect(server.requests[0]?.url).toBe(`/api/v1/perps/trades/history?coin=BTC&start=${start}&format=packed`);
});

it('returns the gaps of a page without trades', async () => {
  const gaps = [{ from: 1, to: 9, state: 'missing', reason: 'the feed was not up' }];
  const page = (nextStart: number | null, more: object): Script =>
    json(200, { data: { coin: 'BTC', version: 1, chunks: [] }, meta: { ...meta, nextStart, ...more } });
  const client = await clientOf(page(5, { gaps }), page(null, {}));
  const pages: unknown[] = [];
  for await (const { ticks, gaps: reported } of client.ticks('BTC', { start: 0 }))
    pages.push([ticks.length, reported]);
  expect(pages).toEqual([[0, gaps]]);
});

it('returns when the trades of a range were received, and NaN for chunks recorded without', async () => {
  const at = clock.now();
  const ts = [at - 30, at - 20, at - 10];
  const ticks = { ...createTickColumns(3), length: 3, ts: Float64Array.from(ts) };
  const receipts = encodeReceipts({ length: 3, lagMs: Float64Array.of(4, Number.NaN, 7) });
  const packed = (bytes: Uint8Array): string => gzipSync(bytes).toString('base64');
  const data = packed(encodeTicks(ticks));
  const chunks = [{ data, recv: packed(receipts) }, { data }];
  const client = await clientOf(json(200, { data: { chunks }, meta: { ...meta, nextStart: null } }));
  const received: number[][] = [];
  for await (const { recvMs = [] } of client.ticks('BTC', { start: at - 20, recv: true }))
    received.push([...recvMs]);
  expect(server.requests[0]?.url).toMatch(/&recv=1$/);
  expect(received).toEqual([
    [Number.NaN, at - 3],
    [Number.NaN, Number.NaN],
  ]);
});

it('can request every path that the service describes', async () => {
  type Described = GetPath | PostPath | StreamPath;
  expectTypeOf<keyof paths>().toEqualTypeOf<Described>();
  const client = await clientOf(json(200, { openapi: '3.1.0', info: {}, paths: {} }));
  const { openapi } = await client.get('/openapi');
  expect(openapi).toBe('3.1.0');
});

describe('the pages beside the interface', () => {
  it('return what keeps the service from being ready, which is no error', async () => {
    const checks = [{ name: 'store', ok: false, reason: 'The disk is full.' }];
    const client = await clientOf(json(503, { status: 'not ready', checks }));
    expect(await client.readiness()).toEqual({ status: 'not ready', checks });
    expect(server.requests.map(({ url }) => url)).toEqual(['/readyz']);
  });

  it('make, show and revoke a key, which is given in a header and never requested twice', async () => {
    const made = {
      key: 'ct_free_y',
      id: '1',
      tier: 'free',
      createdAt: 1,
      useBefore: 2,
      requestsPerMinute: 300,
    };
    const usage = { id: '1', tier: 'free', createdAt: 1, requestsPerMinute: 300, requestsToday: 2 };
    const client = await clientOf(
      json(201, { data: made, meta }),
      json(200, { data: usage, meta }),
      json(200, { data: { id: '1', revokedAt: 2 }, meta }),
      failure(503, 'overloaded'),
    );
    expect(await client.createKey()).toEqual(made);
    expect(await client.keyUsage()).toEqual(usage);
    await client.revokeKey();
    await expect(client.keyUsage()).rejects.toMatchObject({ code: 'overloaded' });
    expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /profile/keys',
      'GET /profile/key',
      'DELETE /profile/key',
      'GET /profile/key',
    ]);
    expect(server.requests[2]?.headers['x-api-key']).toBe('ct_free_x');
  });

  it.each(['createKey', 'keyUsage', 'revokeKey', 'health', 'readiness'] as const)(
    'end at once when %s is aborted',
    async (name) => {
      const client = await clientOf(() => {});
      const ending = new AbortController();
      const asked = client[name]({ signal: ending.signal });
      await vi.waitUntil(() => server.requests.length === 1);
      ending.abort(new Error('enough'));
      await expect(asked).rejects.toThrow('enough');
    },
  );
});
