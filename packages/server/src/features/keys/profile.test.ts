import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Failure } from '../../platform/errors.ts';
import { type Keys, openKeys } from './open-keys.ts';
import { silentLog } from '../../api/testing/stream-service.ts';
import { publishSampleMarket } from '../../api/testing/sample-market.ts';
import {
  type TestRequest,
  START_MS,
  startTestApi,
  type TestAnswer,
  type TestApi,
} from '../../api/testing/test-api.ts';
import { ManualClock } from '@crosstape/core';

let folder: string;
let keys: Keys;
let api: TestApi;

async function start(quota: 'off' | 'report' | 'enforce'): Promise<void> {
  const settings = { quota, trustProxy: 1 } as const;
  api = await startTestApi({ keys: keys.ring, keyIssuer: keys.ring, settings });
  publishSampleMarket(api);
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-profile-'));
  keys = await openKeys({ data: folder, clock: new ManualClock(START_MS), log: silentLog, writer: 'live' });
});
afterEach(async () => {
  await api.close();
  await keys.close();
  rmSync(folder, { recursive: true });
});

const create = (ask: TestRequest = {}): Promise<TestAnswer> =>
  api.fetch('/profile/keys', { method: 'POST', ...ask });
const bearer = (key: string): TestRequest => ({ headers: { Authorization: `Bearer ${key}` } });
const xKey = (key: string): TestRequest => ({ headers: { 'X-API-Key': key } });

async function newKey(): Promise<string> {
  return ((await create()).body.data as { key: string }).key;
}

it('a request with a JSON content type and no body is served where none is needed', async () => {
  await start('report');
  const json = { 'content-type': 'application/json' };
  const { status, body } = await create({ headers: json });
  expect(status).toBe(201);
  const { key } = body.data as { key: string };
  const headers = { ...json, 'X-API-Key': key };
  expect((await api.fetch('/profile/key', { method: 'DELETE', headers })).status).toBe(200);
  const build = await api.fetch('/api/v1/perps/rotations/build', { method: 'POST', headers: json });
  expect([build.status, build.body.error]).toEqual([400, 'The body must be a JSON object.']);
});

describe('a free key', () => {
  it.each(['off', 'report', 'enforce'] as const)(
    'is made, used, looked at and revoked by its owner, with quota %s',
    async (quota) => {
      await start(quota);
      const made = await create();
      expect(made.status).toBe(201);
      expect(made.headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      expect(made.headers).not.toHaveProperty('access-control-allow-origin');
      const { key, id } = made.body.data as { key: string; id: string };
      expect(made.body).toEqual({
        data: {
          key: expect.stringMatching(/^ct_free_\w{28}$/),
          id,
          tier: 'free',
          createdAt: START_MS,
          useBefore: START_MS + 23 * 3_600_000,
          requestsPerMinute: 300,
        },
        meta: { fetchedAt: START_MS, source: 'crosstape' },
      });
      expect((await api.get('/perps/oi', xKey(key))).body.meta).not.toHaveProperty('keyStatus');
      const shown = await api.fetch('/profile/key', bearer(key));
      expect(shown.status).toBe(200);
      expect(shown.body.data).toEqual({
        id,
        tier: 'free',
        createdAt: START_MS,
        requestsPerMinute: 300,
        requestsToday: 2,
        requestsTotal: 2,
        lastUsedAt: START_MS,
      });
      expect(shown.text).not.toContain(key.slice(8));
      const gone = await api.fetch('/profile/key', { method: 'DELETE', ...xKey(key) });
      expect(gone.body.data).toEqual({ id, revokedAt: START_MS });
      expect((await api.fetch('/profile/key', bearer(key))).status).toBe(401);
      const { status, body } = await api.get('/perps/oi', xKey(key));
      if (quota === 'enforce') expect(status).toBe(401);
      else expect(body.meta.keyStatus).toBe('invalid');
    },
  );

  it('is one of three that an address may make in a day, in every mode', async () => {
    await start('off');
    const from = (address: string): Promise<TestAnswer> =>
      create({ headers: { 'X-Forwarded-For': address } });
    for (let i = 0; i < 3; i += 1) expect((await from(`2001:db8:1:2::${i}`)).status).toBe(201);
    const { status, headers, body } = await from('2001:db8:1:2::9');
    expect(status).toBe(429);
    expect(headers['retry-after']).toBe('86400');
    expect(body).toMatchObject({ data: [], meta: { code: 'rate_limited' } });
    expect((await from('1.1.1.1')).status).toBe(201);
    api.clock.advance(86_400_000);
    expect((await from('2001:db8:1:2::9')).status).toBe(201);
  });

  it('is one of twelve that a /48 or a /24 may make in a day, however many of its addresses ask', async () => {
    await start('off');
    const statuses = async (addresses: readonly string[]): Promise<readonly number[]> => {
      const made: number[] = [];
      for (const address of addresses)
        made.push((await create({ headers: { 'X-Forwarded-For': address } })).status);
      return made;
    };
    const addresses = (count: number, of: (i: number) => string): readonly string[] =>
      Array.from({ length: count }, (_, i) => of(i));
    const refused = [429, 429];
    const made = Array.from({ length: 12 }, () => 201);
    expect(await statuses(addresses(14, (i) => `2001:db8:1:${i}::1`))).toEqual([...made, ...refused]);
    expect(await statuses(addresses(14, (i) => `198.51.100.${i + 1}`))).toEqual([...made, ...refused]);
    expect(await statuses(['2001:db8:2:1::1', '198.51.101.1'])).toEqual([201, 201]);
    // Repeated attempts of one address use up nothing of its network.
    const stubborn = await statuses(addresses(20, () => '2001:db8:3:1::1'));
    expect(stubborn.filter((status) => status === 201)).toHaveLength(3);
    const others = addresses(10, (i) => `2001:db8:3:${i + 2}::1`);
    expect(await statuses(others)).toEqual([...made.slice(3), 429]);
  });

  it('is reported as unavailable when there are too many', async () => {
    await start('report');
    vi.spyOn(keys.ring, 'createForCaller').mockRejectedValueOnce(new Failure('overloaded', 'No more keys.'));
    expect((await create()).status).toBe(503);
  });
});

describe('a page of another site', () => {
  const foreign: readonly Readonly<Record<string, string>>[] = [
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { Origin: 'http://127.0.0.1:1' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' },
  ];
  it.each(foreign)('is refused with %j', async (headers) => {
    await start('report');
    const key = await newKey();
    for (const [method, path] of [
      ['POST', '/profile/keys'],
      ['GET', '/profile/key'],
      ['DELETE', '/profile/key'],
    ] as const) {
      const answer = await api.fetch(path, { method, headers: { ...headers, 'X-API-Key': key } });
      expect(answer.status).toBe(403);
      expect(answer.body).toMatchObject({ data: [], meta: { code: 'forbidden' } });
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    }
    expect(await keys.ring.find(key)).toBeDefined();
  });

  it('gets nothing from a preflight', async () => {
    await start('report');
    const { status, headers } = await api.fetch('/profile/keys', {
      method: 'OPTIONS',
      headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
    });
    expect(status).toBe(405);
    expect(headers.allow).toContain('POST');
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('is not the page of the service itself, with or without a proxy that renames the host', async () => {
    await start('report');
    const own = { Origin: `http://127.0.0.1:${api.port}` };
    expect((await create({ headers: own })).status).toBe(201);
    const behind = { Origin: 'https://tape.example', 'Sec-Fetch-Site': 'same-origin' };
    expect((await create({ headers: behind })).status).toBe(201);
  });
});

describe('a caller without a key', () => {
  it('sees none and revokes none', async () => {
    await start('report');
    const key = await newKey();
    for (const method of ['GET', 'DELETE']) {
      for (const ask of [{}, xKey('ct_free_x'), bearer(''), xKey(key.slice(0, -1))]) {
        const { status, body } = await api.fetch('/profile/key', { method, ...ask });
        expect(status).toBe(401);
        expect(body.meta.code).toBe('unauthorized');
      }
      const { status, text } = await api.fetch(`/profile/key?api_key=${key}`, { method });
      expect(status).toBe(401);
      expect(text).toContain('X-API-Key');
    }
    expect(await keys.ring.find(key)).toBeDefined();
  });

  it('is asked to retry while keys cannot be checked', async () => {
    await start('enforce');
    const key = await newKey();
    vi.spyOn(keys.table, 'find').mockRejectedValue(new Error('gone'));
    const { status, headers } = await api.fetch('/profile/key', bearer(key));
    expect(status).toBe(503);
    expect(headers['retry-after']).toBe('5');
  });

  it('is counted like everywhere else', async () => {
    await start('enforce');
    for (let i = 0; i < 60; i += 1) await api.fetch('/profile/key', xKey('x'));
    expect((await api.fetch('/profile/key', xKey('x'))).status).toBe(429);
    expect((await create()).status).toBe(429);
  });
});
