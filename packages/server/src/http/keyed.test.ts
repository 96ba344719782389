import { afterEach, describe, expect, it } from 'vitest';
import { type KeyOwner, type KeyStore, MemoryKeyStore, tiers } from '../platform/key-store.ts';
import { makeKey } from '../platform/key-text.ts';
import { systemSecretBytes } from '../platform/random.ts';
import { tierQuotas } from '../platform/quota.ts';
import { publishSampleMarket } from '../api/testing/sample-market.ts';
import {
  type TestRequest,
  startTestApi,
  type TestApi,
  type TestApiOptions,
} from '../api/testing/test-api.ts';

const free = makeKey('free', systemSecretBytes);
const pro = makeKey('pro', systemSecretBytes);
const owners = { [free]: { id: 'f1', tier: 'free' }, [pro]: { id: 'p1', tier: 'pro' } } as const;

/** A key store that finds keys only by look-up, and counts look-ups. */
class SlowKeys implements KeyStore {
  readonly uses: string[] = [];
  isAvailable = true;
  readonly #all = new MemoryKeyStore(owners);
  readonly #found = new Set<string>();

  recall(key: string): KeyOwner | undefined {
    return this.#found.has(key) ? this.#all.recall(key) : undefined;
  }

  async find(key: string): Promise<KeyOwner | undefined> {
    if (!this.isAvailable) throw new Error('the store is away');
    this.#found.add(key);
    return this.#all.find(key);
  }

  count({ id }: KeyOwner): void {
    this.uses.push(id);
  }
}

const opened: TestApi[] = [];
async function start(quota: 'off' | 'report' | 'enforce', options: TestApiOptions = {}): Promise<TestApi> {
  const settings = { quota, trustProxy: false } as const;
  const api = await startTestApi({ keys: new SlowKeys(), settings, ...options });
  opened.push(api);
  publishSampleMarket(api);
  return api;
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((api) => api.close()));
});

const ANONYMOUS = '"default";q=60;w=60';

/** Ways to send a key: path and headers. */
const ways: Readonly<Record<string, (key: string, path: string) => [string, TestRequest]>> = {
  'X-API-Key': (key, path) => [path, { headers: { 'X-API-Key': key } }],
  Authorization: (key, path) => [path, { headers: { Authorization: `Bearer ${key}` } }],
  'a bearer in any case': (key, path) => [path, { headers: { Authorization: `bEARER  ${key}` } }],
  api_key: (key, path) => [`${path}${path.includes('?') ? '&' : '?'}api_key=${key}`, {}],
  'api_key, escaped': (key, path) => [`${path}?api%5Fkey=${key.replaceAll('_', '%5F')}`, {}],
};

describe.each(Object.entries(ways))('a key in %s', (_, way) => {
  it.each(tiers)(
    'of tier %s has its own quota, hot or not, which is not that of its address',
    async (tier) => {
      const api = await start('enforce');
      const key = tier === 'free' ? free : pro;
      const limit = tierQuotas[tier];
      for (let used = 1; used <= 3; used += 1) {
        const { status, headers, body } = await api.get(...way(key, '/perps/oi'));
        expect(status).toBe(200);
        expect(body.meta).not.toHaveProperty('keyStatus');
        expect(headers).toMatchObject({
          'ratelimit-policy': `"default";q=${limit};w=60`,
          ratelimit: `"default";r=${limit - used};t=60`,
          'cache-control': 'private, max-age=30',
        });
      }
      expect((await api.get('/perps/oi')).headers.ratelimit).toBe('"default";r=59;t=60');
    },
  );
});

describe('the quota of a key', () => {
  it('refuses the request after the last when enforced, 304 and failures counted, and not the address', async () => {
    const api = await start('enforce');
    const ask = { headers: { 'X-API-Key': free } };
    const { etag = '' } = (await api.get('/perps/oi', ask)).headers;
    const cached = { headers: { ...ask.headers, 'If-None-Match': etag } };
    for (let i = 0; i < 100; i += 1) expect((await api.get('/perps/oi', cached)).status).toBe(304);
    for (let i = 0; i < 100; i += 1) expect((await api.get('/perps/oi?x=1', ask)).status).toBe(400);
    for (let i = 0; i < 99; i += 1) await api.get('/perps/oi', ask);
    const { status, headers, body } = await api.get('/perps/oi', ask);
    expect(status).toBe(429);
    expect(headers['retry-after']).toBe('60');
    expect(body.error).toContain('300 requests');
    expect((await api.get('/perps/oi')).status).toBe(200);
    expect((await api.get('/perps/oi', { headers: { 'X-API-Key': pro } })).status).toBe(200);
    api.clock.advance(60_000);
    expect((await api.get('/perps/oi', ask)).status).toBe(200);
  });

  it('is counted per key, wherever its owner is', async () => {
    const api = await start('enforce', { settings: { quota: 'enforce', trustProxy: 1 } });
    const from = (address: string): Promise<unknown> =>
      api
        .get('/perps/oi', { headers: { 'X-API-Key': free, 'X-Forwarded-For': address } })
        .then(({ headers }) => headers.ratelimit);
    expect(await from('1.1.1.1')).toBe('"default";r=299;t=60');
    expect(await from('2.2.2.2')).toBe('"default";r=298;t=60');
  });

  it('is not reported when off, and uses are counted in every mode, except refused ones', async () => {
    for (const quota of ['off', 'report', 'enforce'] as const) {
      const keys = new SlowKeys();
      const api = await start(quota, { keys });
      const ask = { headers: { Authorization: `Bearer ${pro}` } };
      for (const path of ['/perps/oi', '/perps/oi', '/perps/funding', '/perps/oi?x=1'])
        expect('ratelimit' in (await api.get(path, ask)).headers).toBe(quota !== 'off');
      await api.get('/perps/oi', { headers: { Authorization: 'Bearer x' } });
      expect(keys.uses).toEqual(['p1', 'p1', 'p1', 'p1']);
    }
  });
});

describe('a key that cannot be checked', () => {
  it.each(['off', 'report', 'enforce'] as const)(
    'is served as anonymous and reported as such, with quota %s',
    async (quota) => {
      const keys = new SlowKeys();
      keys.isAvailable = false;
      const api = await start(quota, { keys });
      const { status, headers, body } = await api.get('/perps/oi', { headers: { 'X-API-Key': free } });
      expect(status).toBe(200);
      expect(body.meta.keyStatus).toBe('unavailable');
      expect(headers['cache-control']).toBe('private, no-store');
      expect(headers['ratelimit-policy']).toBe(quota === 'off' ? undefined : ANONYMOUS);
      expect(headers['ratelimit-enforced']).toBe(quota === 'report' ? '?0' : undefined);
      keys.isAvailable = true;
      const again = await api.get('/perps/oi', { headers: { 'X-API-Key': free } });
      expect(again.body.meta).not.toHaveProperty('keyStatus');
    },
  );
});

describe('several keys', () => {
  it('count as the one that the contract names first', async () => {
    const api = await start('report');
    const ask = { headers: { 'X-API-Key': pro, Authorization: `Bearer ${free}` } };
    const { headers } = await api.get(`/perps/oi?api_key=${free}`, ask);
    expect(headers['ratelimit-policy']).toContain('q=3000');
  });

  it('in the address are one too many, hot or not', async () => {
    const api = await start('report');
    for (let i = 0; i < 2; i += 1) {
      expect((await api.get(`/perps/oi?api_key=${free}`)).status).toBe(200);
      const { status, text } = await api.get(`/perps/oi?api_key=${free}&api_key=${free}`);
      expect(status).toBe(400);
      expect(text).toContain('`api_key` is given more than once');
      expect(text).not.toContain(free.slice(8));
    }
  });
});

it('never echoes a key, wherever it was sent by mistake', async () => {
  const api = await start('report');
  for (const path of [
    `/perps/${free.replaceAll('_', '%5F')}`,
    `/perps/${free}`,
    `/perps/oi?coins=${free}`,
    `/perps/oi?venues=${free}`,
    `/perps/oi?${free}=1`,
  ]) {
    const { status, text } = await api.get(path);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).not.toContain(free.slice(8));
  }
  const { status, text } = await api.get(`/perps/oi?api_key=secret%zz`);
  expect(status).toBe(400);
  expect(text).not.toContain('secret');
});
