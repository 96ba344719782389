import { afterEach, describe, expect, it, vi } from 'vitest';
import { publishSampleMarket } from '../api/testing/sample-market.ts';
import type { WhaleQuery } from '../features/whales/whale-table.ts';
import { startTestApi, type TestApi, type TestApiOptions } from '../api/testing/test-api.ts';
import { LONG_MS, lines, RawLine } from './testing/raw-line.ts';

/** Short timeouts for tests. */
const times = { headersMs: 1_500, requestMs: 2_000, stalledMs: 3_000, checkMs: 100 };
const patient = { headersMs: 60_000, requestMs: 60_000, stalledMs: 60_000, checkMs: 100 };

const opened: TestApi[] = [];
async function start(options: TestApiOptions = {}): Promise<TestApi> {
  const api = await startTestApi({ times, ...options });
  opened.push(api);
  publishSampleMarket(api);
  return api;
}
afterEach(async () => {
  for (const line of lines.splice(0)) line.socket.destroy();
  await Promise.all(opened.splice(0).map((api) => api.close()));
});

const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const oi = get('/api/v1/perps/oi');
const build = '/api/v1/perps/rotations/build';
const post = (more: string): string =>
  `POST ${build} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${more}\r\n`;

/** Whether the service still serves others. */
async function isWell(api: TestApi): Promise<boolean> {
  return (await api.get('/perps/oi')).status === 200;
}

describe('a slow peer', () => {
  it('that never ends its first line, its headers or its body is cut off', async () => {
    const api = await start();
    const begun = async (bytes: string): Promise<RawLine> => {
      const line = await RawLine.open(api);
      line.socket.write(bytes);
      return line;
    };
    // Each takes as long as the timeout, so they run concurrently.
    const silent = await begun('');
    const unending = await begun('GET /api/v1/perps/oi HTTP/1.1\r\nHost: x\r\n');
    const halves = [
      await begun('GET /api'),
      await begun('GET /api/v1/perps/oi HTTP/1.1\r\nHost: x\r\nX-A: 1\r\n'),
    ];
    const bodiless = await begun(`${post('Content-Length: 1000\r\n')}{"coin"`);
    await vi.waitUntil(
      () => {
        if (!unending.isClosed) unending.socket.write('X-A: b\r\n');
        return [silent, unending, ...halves, bodiless].every(({ isClosed }) => isClosed);
      },
      { timeout: LONG_MS, interval: 20 },
    );
    expect(silent.text).toMatch(/^(HTTP\/1\.1 408 |$)/);
    expect(unending.statuses).toEqual(['408']);
    for (const { text } of halves) expect(text).toMatch(/^HTTP\/1\.1 408 /);
    // A response is on its way by then, and nothing may follow it.
    expect(bodiless.text).toBe('');
    expect(await isWell(api)).toBe(true);
  });

  it('that never reads a large answer is cut off', async () => {
    const api = await start({ times: { ...times, stalledMs: 1_000 } });
    const line = await RawLine.open(api);
    line.socket.pause();
    // More than the socket buffers hold, in complete requests.
    line.socket.write(get('/api/v1/openapi').repeat(60));
    await vi.waitUntil(async () => (await api.connections()) === 0, { timeout: LONG_MS });
    expect(await isWell(api)).toBe(true);
  });
});

describe('an address with a host before its path', () => {
  it.each([
    ['http://[/udf/config', '400'],
    ['http://x:99999/badge/completeness.svg', '400'],
    ['http://x:99999/healthz', '400'],
    ['http://x/healthz', '200'],
  ])('%s gets %s', async (address, status) => {
    const api = await start();
    const line = await RawLine.open(api);
    line.socket.end(get(address, 'Connection: close\r\n'));
    await line.closed();
    expect(line.statuses).toEqual([status]);
  });
});

describe('a request that is too large', () => {
  it.each([
    ['one header', get('/api/v1/perps/oi', `X-A: ${'a'.repeat(20_000)}\r\n`), '431'],
    ['many headers', get('/api/v1/perps/oi', 'X-A: b\r\n'.repeat(10_000)), '431'],
    ['its address', get(`/api/v1/perps/oi?coins=${'A'.repeat(90_000)}`), '431'],
    ['its body', post(`Content-Length: 10000000\r\n`), '413'],
    [
      'its body, in parts',
      `${post('Transfer-Encoding: chunked\r\n')}ffff\r\n${'a'.repeat(65_535)}\r\nff\r\n${'a'.repeat(255)}\r\n`,
      '413',
    ],
  ])('by %s is refused in the one body shape, and its connection ends', async (_, bytes, status) => {
    const api = await start();
    const line = await RawLine.open(api);
    line.socket.write(bytes);
    await line.closed();
    expect(line.statuses).toEqual([status]);
    const body = JSON.parse(line.text.slice(line.text.indexOf('\r\n\r\n') + 4)) as object;
    api.contract.checkResource('Failure', body);
    expect(body).toMatchObject({ meta: { code: 'too_large' } });
  });

  it('by an unexpected body is answered, and the rest is not read', async () => {
    const api = await start();
    const line = await RawLine.open(api);
    line.socket.write(`${get('/api/v1/nowhere', 'Content-Length: 100000000\r\n')}${'a'.repeat(1_000)}`);
    await line.closed();
    expect(line.statuses).toEqual(['404']);
    expect(line.text).toMatch(/\r\nConnection: close\r\n/);
  });
});

it('an expectation that Node does not know is a request like any other, and counted', async () => {
  const api = await start();
  const line = await RawLine.open(api);
  line.socket.write(get('/api/v1/perps/oi', 'Expect: nothing\r\n').repeat(2));
  await vi.waitUntil(() => line.statuses.length === 2, { timeout: LONG_MS });
  expect(line.statuses).toEqual(['200', '200']);
  expect(line.text).toMatch(/^RateLimit: "default";r=58/m);
});

describe('a request that means two things', () => {
  it.each([
    ['two lengths', post('Content-Length: 2\r\nContent-Length: 3\r\n')],
    ['a length and parts', post('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n')],
    ['a length that is none', post('Content-Length: 2x\r\n')],
    ['a line break in a header', get('/api/v1/perps/oi', 'X-A: b\n\tc\r\n')],
    ['two hosts', get('/api/v1/perps/oi', 'Host: y\r\n')],
    ['no host', 'GET /api/v1/perps/oi HTTP/1.1\r\n\r\n'],
    ['a version that is none', 'GET /api/v1/perps/oi HTTP/9.9\r\nHost: x\r\n\r\n'],
  ])('by %s is refused, and what follows is not read as another', async (_, bytes) => {
    const api = await start();
    const line = await RawLine.open(api);
    line.socket.write(`${bytes}${oi}`);
    await line.closed();
    expect(line.statuses).toEqual(['400']);
  });
});

describe('requests in one go', () => {
  it('are answered in their order, and what is wrong ends the connection', async () => {
    const api = await start();
    const line = await RawLine.open(api);
    const paths = [
      '/api/v1/perps/oi',
      '/api/v1/nowhere',
      '/api/v1/openapi',
      '/healthz',
      '/api/v1/perps/oi?x=1',
    ];
    line.socket.write(paths.map((path) => get(path)).join(''));
    await vi.waitUntil(() => line.statuses.length === 5, { timeout: LONG_MS });
    line.socket.write(`GARBAGE\r\n\r\n${oi}`);
    await line.closed();
    expect(line.statuses).toEqual(['200', '404', '200', '200', '400', '400']);
  });

  it('are made only when their answer can be sent, and not at all when the connection ends before', async () => {
    const limits = new Set<number>();
    const newest = async ({ limit }: WhaleQuery) => {
      limits.add(limit);
      return { prints: [], recordedSinceMs: 0 };
    };
    const api = await start({ times: patient, whales: { newest, ofMarket: vi.fn(), ofMarkets: vi.fn() } });
    const line = await RawLine.open(api);
    const stream = get('/api/v1/streams/whales');
    const whales = Array.from({ length: 60 }, (_, i) => get(`/api/v1/perps/whales?limit=${i + 1}`));
    line.socket.write([oi, get('/api/v1/nowhere'), whales[0], stream, ...whales.slice(1)].join(''));
    await vi.waitUntil(() => line.text.includes('event: heartbeat'), { timeout: LONG_MS });
    // By then answers to the others would have been made.
    expect((await api.get('/perps/whales?limit=100')).status).toBe(200);
    expect(line.statuses).toEqual(['200', '404', '200', '200']);
    expect([...limits]).toEqual([1, 100]);
    line.socket.destroy();
    await vi.waitUntil(async () => (await api.connections()) === 0, { timeout: LONG_MS });
    // Requests count when they are served.
    expect((await api.get('/perps/oi')).headers.ratelimit).toBe('"default";r=54;t=60');
    expect(limits.size).toBe(2);
  });

  it('may be 64 without an answer; one more closes the connection', async () => {
    const api = await start({ times: patient });
    const line = await RawLine.open(api);
    line.socket.write(get('/api/v1/openapi').repeat(65));
    await vi.waitUntil(() => line.statuses.length === 65, { timeout: LONG_MS });
    line.socket.write(get('/api/v1/openapi').repeat(66));
    await line.closed();
    expect(line.statuses.length).toBeLessThan(65 + 66);
    expect(await isWell(api)).toBe(true);
  });
});

describe('a peer that has closed its side', () => {
  it('still gets its answer, and no connection is left', async () => {
    const api = await start();
    const line = await RawLine.open(api);
    line.socket.end(oi);
    await line.closed();
    expect(line.statuses).toEqual(['200']);
    await vi.waitUntil(async () => (await api.connections()) === 0, { timeout: LONG_MS });
  });

  it('or never closes it after the error, is disconnected', async () => {
    const api = await start({ times: patient });
    const line = await RawLine.open(api);
    line.socket.write('GARBAGE\r\n\r\n');
    await line.closed();
    expect(line.statuses).toEqual(['400']);
    api.clock.advance(2_000);
    await vi.waitUntil(async () => (await api.connections()) === 0, { timeout: LONG_MS });
  });
});

describe('one address', () => {
  it('may have a limited number of connections, and more when some are closed', async () => {
    const api = await start({ settings: { quota: 'off', trustProxy: false, connectionsPerAddress: 3 } });
    const three = [await RawLine.open(api), await RawLine.open(api), await RawLine.open(api)];
    const refused = await RawLine.open(api);
    await refused.closed();
    expect(refused.statuses).toEqual(['429']);
    expect(refused.text).toContain('3 connections');
    expect(refused.text).toMatch(/^Retry-After: 5\r$/m);
    three[0]?.socket.destroy();
    await vi.waitUntil(
      async () => {
        const line = await RawLine.open(api);
        line.socket.write(oi);
        await vi.waitUntil(() => line.statuses.length > 0 || line.isClosed, { timeout: LONG_MS });
        return line.statuses[0] === '200';
      },
      { timeout: LONG_MS },
    );
  });

  it('is not a proxy, which speaks for many', async () => {
    const api = await start({ settings: { quota: 'off', trustProxy: 1, connectionsPerAddress: 1 } });
    await RawLine.open(api);
    expect(await isWell(api)).toBe(true);
  });
});

describe('an address in another spelling', () => {
  it.each([
    ['escaped', () => '/%61pi/v%31/perps/oi'],
    ['with the host', (port: number) => `http://127.0.0.1:${port}/api/v1/perps/oi`],
  ])('counts as what it leads to: %s', async (_, target) => {
    const api = await start({ settings: { quota: 'enforce', trustProxy: false } });
    const line = await RawLine.open(api);
    line.socket.write(
      `GET ${target(api.port)} HTTP/1.1\r\nHost: x\r\n\r\n`
        .repeat(61)
        .replace(/\r\n\r\n$/, '\r\nConnection: close\r\n\r\n'),
    );
    await line.closed();
    expect(line.statuses).toHaveLength(61);
    expect(line.statuses.at(-1)).toBe('429');
    expect(line.text).toContain('RateLimit: "default";r=0;');
  });
});

describe('any other door', () => {
  it.each([
    '/admin',
    '/debug',
    '/sim',
    '/keys',
    '/config',
    '/.env',
    '/api/v1/admin',
    '/api/v1/keys',
    '/profile',
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
  ])('is not there: %s', async (path) => {
    const api = await start();
    for (const method of ['GET', 'POST', 'PUT', 'DELETE'] as const) {
      expect((await api.fetch(path, { method })).status, method).toBe(404);
    }
  });
});

describe('a page', () => {
  it.each(['/healthz', '/readyz', '/metrics'])('at %s lets a browser do nothing with it', async (path) => {
    const api = await start();
    const { headers } = await api.fetch(path);
    expect(headers).toMatchObject({
      'content-security-policy':
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(headers).not.toHaveProperty('server');
    expect(headers).not.toHaveProperty('x-powered-by');
  });
});
