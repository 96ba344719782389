import { connect } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Failure, failureCodes } from '../platform/errors.ts';
import { publishSampleMarket } from '../api/testing/sample-market.ts';
import { START_MS, startTestApi, type TestApi, type TestApiOptions } from '../api/testing/test-api.ts';
import { Gate } from './gate.ts';

const opened: TestApi[] = [];
async function start(options?: TestApiOptions): Promise<TestApi> {
  const api = await startTestApi(options);
  opened.push(api);
  publishSampleMarket(api);
  return api;
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((api) => api.close()));
});

const manyCoins = Array.from({ length: 100 }, (_, i) => ({
  coin: `C${i}`,
  symbol: `C${i}`,
  contracts: i + 0.5,
  coins: i + 0.5,
  value: i * 1_000,
}));

describe('a good answer', () => {
  it('carries every header, on the long way and on the hot path alike', async () => {
    const api = await start();
    api.clock.advance(2_500);
    const [first, second] = [await api.get('/perps/oi'), await api.get('/perps/oi')];
    for (const { status, headers } of [first, second]) {
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'public, max-age=30',
        etag: expect.stringMatching(/^"[\w-]{22}"$/),
        vary: 'Accept, Accept-Encoding',
        age: '2',
        'access-control-allow-origin': '*',
        'access-control-expose-headers':
          'Age, ETag, RateLimit, RateLimit-Enforced, RateLimit-Policy, Retry-After',
        'ratelimit-policy': '"default";q=60;w=60',
        'ratelimit-enforced': '?0',
      });
      expect(headers['content-length']).toBe(String(first.raw.length));
    }
    expect(first.headers.ratelimit).toBe('"default";r=59;t=60');
    expect(second.headers.ratelimit).toBe('"default";r=58;t=60');
    expect(second.raw).toEqual(first.raw);
  });

  it('is the same for every spelling of the same question', async () => {
    const api = await start();
    const tags = new Set<string | undefined>();
    for (const search of ['', '?venues=hl', '?venues=VENUE_A', '?venues=hyperliquid,hl']) {
      tags.add((await api.get(`/perps/oi${search}`)).headers.etag);
    }
    expect(tags.size).toBe(1);
  });

  it.each(['br', 'gzip'])('is compressed with %s, once per refresh, under its own tag', async (encoding) => {
    const api = await start();
    api.table('hyperliquid', 'openInterest', manyCoins);
    const plain = await api.get('/perps/oi?coins=C1,C2,C3,C4,C5,C6,C7,C8,C9,C10,C11,C12,C13,C14,C15');
    const ask = { headers: { 'Accept-Encoding': encoding } };
    const url = '/perps/oi?coins=C1,C2,C3,C4,C5,C6,C7,C8,C9,C10,C11,C12,C13,C14,C15';
    const packed = await api.get(url, ask);
    expect(packed.headers['content-encoding']).toBe(encoding);
    expect(packed.raw.length).toBeLessThan(plain.raw.length / 2);
    expect(packed.text).toBe(plain.text);
    expect(packed.headers.etag).not.toBe(plain.headers.etag);
    expect((await api.get(url, ask)).raw).toEqual(packed.raw);
  });

  it('is not sent again to a caller that has it', async () => {
    const api = await start();
    const { headers } = await api.get('/perps/oi');
    for (const tag of [headers.etag ?? '', `W/${headers.etag}`, `"x", ${headers.etag}`, '*']) {
      const again = await api.get('/perps/oi', { headers: { 'If-None-Match': tag } });
      expect(again.status).toBe(304);
      expect(again.raw).toHaveLength(0);
      expect(again.headers).toMatchObject({ etag: headers.etag, vary: 'Accept, Accept-Encoding', age: '0' });
      expect(again.headers).not.toHaveProperty('content-type');
      expect(again.headers).toHaveProperty('ratelimit');
    }
    expect((await api.get('/perps/oi', { headers: { 'If-None-Match': '"x"' } })).status).toBe(200);
  });

  it('changes its tag with its data', async () => {
    const api = await start();
    const { headers } = await api.get('/perps/oi');
    api.table('hyperliquid', 'openInterest', manyCoins);
    const ask = { headers: { 'If-None-Match': headers.etag ?? '' } };
    expect((await api.get('/perps/oi', ask)).status).toBe(200);
  });

  it('gives HEAD the headers of GET and no body', async () => {
    const api = await start();
    const get = await api.get('/perps/oi');
    const head = await api.get('/perps/oi', { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.raw).toHaveLength(0);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    expect(head.headers.etag).toBe(get.headers.etag);
  });
});

describe('a failure', () => {
  it('has the one body shape, is not cached, and is counted', async () => {
    const api = await start();
    const { status, headers, body } = await api.get('/perps/oi?coin=BTC');
    expect(status).toBe(400);
    expect(body).toEqual({
      error: 'Unknown parameter `coin`; allowed: `coins`, `venues`, `format`.',
      data: [],
      meta: { fetchedAt: START_MS, source: 'crosstape', code: 'bad_request' },
    });
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      ratelimit: '"default";r=59;t=60',
    });
    expect(headers).not.toHaveProperty('etag');
  });

  it('labels itself as simulated in sim mode', async () => {
    const api = await start({ upstream: 'sim' });
    expect((await api.get('/perps/oi?x=1')).body.meta.source).toBe('sim:crosstape');
  });

  it.each(['/nothing', '/perps', '/perps/oi/', '/perps/OI', '/perps/%zz', '//perps/oi', ''])(
    'is 404 at %s',
    async (path) => {
      const api = await start();
      const { status, body } = await api.get(path);
      expect(status).toBe(404);
      expect(body.meta.code).toBe('not_found');
    },
  );

  it('is 404 outside the interface too, without being counted', async () => {
    const api = await start();
    const { status, headers, body } = await api.fetch('/nowhere?x=1');
    expect(status).toBe(404);
    expect(body.error).toContain('/nowhere');
    expect(headers).not.toHaveProperty('ratelimit');
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND'])(
    'is 405 for %s, naming what is allowed',
    async (method) => {
      const api = await start();
      const answer = await api.get('/perps/oi', {
        method,
        headers: { 'Content-Type': 'application/json' },
        body: method.startsWith('P') && method !== 'PROPFIND' ? '{"broken' : '',
      });
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS');
      expect(answer.body.meta.code).toBe('method_not_allowed');
    },
  );

  it('is 405 for HEAD of a stream', async () => {
    const api = await start();
    const { status, headers } = await api.get('/streams/whales', { method: 'HEAD' });
    expect(status).toBe(405);
    expect(headers.allow).toBe('GET, OPTIONS');
  });

  it.each([
    ['a request', 'GET', `/perps/oi?coins=${'A'.repeat(9_000)}`],
    ['a preflight of an unknown path', 'OPTIONS', '/'.repeat(9_000)],
  ])('refuses %s with an address that is too long', async (_, method, path) => {
    const api = await start();
    const { status, body } = await api.fetch(`/api/v1${path}`, { method });
    expect(status).toBe(failureCodes.too_large.status);
    expect(body.error).toContain('8192');
    api.contract.checkResource('Failure', body);
  });

  it('does not call a method forbidden where the address cannot be decoded', async () => {
    const api = await start();
    const { status, text } = await api.fetch('/aggr/historical/%zz/1/60000/HYPERLIQUID:BTC');
    expect([status, text]).toEqual([400, expect.stringContaining('is not valid')]);
  });

  it('returns an id that is in the log, and nothing of the cause, when the fault is ours', async () => {
    const newest = vi.fn(async () => Promise.reject(new Error('secret path /x')));
    const api = await start({ whales: { newest, ofMarket: newest, ofMarkets: newest } });
    const { status, text, body } = await api.get('/perps/whales');
    expect(status).toBe(500);
    expect(body.meta.code).toBe('internal');
    expect(text).not.toContain('secret');
    expect(api.errors).toMatchObject([{ id: body.meta.id, err: { message: 'secret path /x' } }]);
    expect((await api.get('/perps/whales')).body.meta.id).not.toBe(body.meta.id);
  });
});

describe('a connection that never becomes a request', () => {
  it.each([
    ['GARBAGE\r\n\r\n', 400, 'bad_request'],
    [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`, 431, 'too_large'],
  ])('is answered in the one body shape', async (bytes, status, code) => {
    const api = await start();
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(api.port, '127.0.0.1', () => socket.write(bytes));
      let received = '';
      socket.on('data', (part) => (received += part.toString()));
      socket.on('close', () => resolve(received));
      socket.on('error', reject);
    });
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const body = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as object;
    expect(body).toMatchObject({ data: [], meta: { code, source: 'crosstape' } });
    api.contract.checkResource('Failure', body);
  });
});

describe('a browser that asks what it may ask', () => {
  it('is reported, without being counted', async () => {
    const api = await start();
    const { status, headers } = await api.get('/perps/oi', { method: 'OPTIONS' });
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers': expect.stringContaining('X-API-Key'),
      'access-control-max-age': '86400',
    });
    expect((await api.get('/perps/oi')).headers.ratelimit).toContain('r=59');
  });
});

const keyed = [
  { way: 'X-API-Key', path: '/perps/oi', ask: { headers: { 'X-API-Key': 'ct_free_x' } } },
  { way: 'Authorization', path: '/perps/oi', ask: { headers: { Authorization: 'Bearer ct_free_x' } } },
  { way: 'api_key', path: '/perps/oi?api_key=ct_free_x', ask: {} },
];

describe('the quota', () => {
  it('is neither counted nor reported when off', async () => {
    const api = await start({ settings: { quota: 'off', trustProxy: false } });
    for (const path of ['/perps/oi', '/perps/oi', '/perps/oi?x=1']) {
      const { headers } = await api.get(path);
      expect(headers).not.toHaveProperty('ratelimit');
      expect(headers).not.toHaveProperty('ratelimit-policy');
    }
  });

  it('refuses no request when it only reports', async () => {
    const api = await start();
    for (let i = 0; i < 70; i += 1) await api.get('/perps/oi');
    const { status, headers } = await api.get('/perps/oi');
    expect(status).toBe(200);
    expect(headers.ratelimit).toBe('"default";r=0;t=60');
  });

  it('counts preflights and metrics, which cost no quota, among the pages of an address', async () => {
    const api = await start({ settings: { quota: 'enforce', trustProxy: false } });
    const exempt = vi.spyOn(Gate.prototype, 'exempt');
    const refusal = new Failure('rate_limited', 'Too many.', { retryAfterSeconds: 9 });
    exempt.mockReturnValueOnce({ caller: '', address: '', headers: [], refusal });
    const { status, headers } = await api.get('/perps/oi', { method: 'OPTIONS' });
    expect({ status, retryAfter: headers['retry-after'] }).toEqual({ status: 429, retryAfter: '9' });
    expect((await api.get('/perps/oi', { method: 'OPTIONS' })).status).toBe(204);
    expect((await api.fetch('/metrics')).status).toBe(200);
    expect(exempt.mock.calls.map(([, cost]) => cost)).toEqual([undefined, undefined, 50]);
    exempt.mockRestore();
  });

  it('refuses the 61st request of a minute when enforced, hot or not', async () => {
    const api = await start({ settings: { quota: 'enforce', trustProxy: false } });
    for (let i = 0; i < 60; i += 1) expect((await api.get('/perps/oi')).status).toBe(200);
    api.clock.advance(18_000);
    for (const path of ['/perps/oi', '/perps/funding', '/nothing', '/streams/whales']) {
      const { status, headers, body } = await api.get(path);
      expect(status).toBe(429);
      expect(headers).toMatchObject({ 'retry-after': '42', ratelimit: '"default";r=0;t=42' });
      expect(body.meta.code).toBe('rate_limited');
    }
    expect((await api.fetch('/healthz')).status).toBe(200);
    api.clock.advance(42_000);
    expect((await api.get('/perps/oi')).status).toBe(200);
  });

  it('counts callers apart behind a trusted proxy, and cannot be escaped by forging', async () => {
    const api = await start({ settings: { quota: 'enforce', trustProxy: 1 } });
    const from = (forwarded: string) => api.get('/perps/oi', { headers: { 'X-Forwarded-For': forwarded } });
    for (let i = 0; i < 60; i += 1) expect((await from(`6.6.6.${i}, 1.1.1.1`)).status).toBe(200);
    expect((await from('7.7.7.7, 1.1.1.1')).status).toBe(429);
    expect((await from('2.2.2.2')).status).toBe(200);
    for (let i = 0; i < 60; i += 1) await from(`2001:db8:1:2::${i}`);
    expect((await from('2001:db8:1:2:ffff::1')).status).toBe(429);
    expect((await from('2001:db8:1:3::1')).status).toBe(200);
  });

  it('does not believe a caller about its own address', async () => {
    const api = await start({ settings: { quota: 'enforce', trustProxy: false } });
    const from = (i: number) => api.get('/perps/oi', { headers: { 'X-Forwarded-For': `1.1.1.${i}` } });
    for (let i = 0; i < 60; i += 1) await from(i);
    expect((await from(99)).status).toBe(429);
  });

  it.each(keyed)(
    'answers an invalid key in $way with 401 when enforced, and counts it',
    async ({ path, ask }) => {
      const api = await start({ settings: { quota: 'enforce', trustProxy: false } });
      await api.get('/perps/oi');
      const { status, body, headers } = await api.get(path, ask);
      expect(status).toBe(401);
      expect(body.meta.code).toBe('unauthorized');
      expect(headers.ratelimit).toContain('r=58');
      expect(headers['cache-control']).toBe('no-store');
    },
  );

  it.each(keyed)(
    'serves an invalid key in $way as anonymous otherwise, and says so',
    async ({ path, ask }) => {
      const api = await start();
      for (const quota of ['report', 'off'] as const) {
        const one = quota === 'report' ? api : await start({ settings: { quota, trustProxy: false } });
        await one.get('/perps/oi');
        const { status, body, headers } = await one.get(path, ask);
        expect(status).toBe(200);
        expect(body.meta).toMatchObject({ source: 'hyperliquid', keyStatus: 'invalid' });
        expect(headers['cache-control']).toBe('private, no-store');
        expect((await one.get('/perps/oi')).body.meta).not.toHaveProperty('keyStatus');
        expect((await one.get(`${path}${path.includes('?') ? '&' : '?'}x=1`, ask)).body.meta.keyStatus).toBe(
          'invalid',
        );
      }
    },
  );

  it('takes no notice of credentials that are no key', async () => {
    const api = await start();
    const { body } = await api.get('/perps/oi', { headers: { Authorization: 'Basic eDp5' } });
    expect(body.meta).not.toHaveProperty('keyStatus');
  });
});
