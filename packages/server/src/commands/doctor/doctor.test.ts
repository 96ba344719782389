import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS } from '@crosstape/core';
import type { Publisher } from '@crosstape/venues';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../platform/system-clock.ts';
import { hasRedis, TestRedis } from '../../cluster/testing/redis-server.ts';
import type { Terminal } from '../command.ts';
import { checkRedis } from './check-redis.ts';
import { checkSources } from './check-sources.ts';
import { checkStore } from './check-store.ts';
import { checkClock, checkNode, doctor } from './doctor.ts';
import { assumeTrades, estimateDisk, measureTrades } from './estimate-disk.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-doctor-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function run(...args: readonly string[]): Promise<{ code: number; text: string }> {
  let text = '';
  const terminal = {
    environment: {},
    out: (line: string) => {
      text += `${line}\n`;
    },
  } as unknown as Terminal;
  return { code: await doctor.run(args, terminal), text };
}

describe('crosstape doctor', () => {
  it('finds nothing wrong with a simulated market, and leaves nothing behind', async () => {
    const { code, text } = await run('--upstream', 'sim', '--data', join(folder, 'new'));
    expect(code).toBe(0);
    expect(text).toMatch(/^✓ {2}hyperliquid +\d+ ms +\d+ ms$/m);
    expect(text).toMatch(/^✓ {2}data folder +.*new will be created$/m);
    expect(text).toMatch(/^✓ {2}sources +all \d+ answer$/m);
    expect(text).toMatch(
      /^✓ {2}disk +about .* for 7 days of 12,000,000 trades a day \(assumed\) of the primary venue, and more for top:20, .* free$/m,
    );
    const again = await checkStore(join(folder, 'new'), 'live');
    expect(again.findings[0]?.detail).toContain('will be created');
  });

  it('names the newest crash report', async () => {
    const data = join(folder, 'crashed');
    mkdirSync(data);
    for (const day of ['01', '02'])
      writeFileSync(join(data, `crash-2026-01-${day}T00-00-00-000Z.json`), '{}');
    const { text } = await run('--upstream', 'sim', '--data', data);
    expect(text).toMatch(/^! {2}last crash +see .*crash-2026-01-02T00-00-00-000Z\.json/m);
  });

  it('fails when the data folder cannot be one', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const { code, text } = await run('--upstream', 'sim', '--data', file);
    expect(code).toBe(1);
    expect(text).toMatch(/^✗ {2}data folder +.*cannot be used/m);
  });

  it.runIf(hasRedis)('reports whether a shared Redis answers, and its configuration', async () => {
    const server = await TestRedis.start('--maxmemory-policy', 'allkeys-lru');
    try {
      const [redis, settings] = await checkRedis(server.url);
      expect(redis).toMatchObject({ what: 'Redis', verdict: 'ok' });
      expect(redis?.detail).toMatch(/^127\.0\.0\.1:\d+ runs version \d+\.\S+; responds in \d+\.\d ms$/);
      expect(settings).toMatchObject({ verdict: 'warn', detail: expect.stringContaining('allkeys-lru') });
    } finally {
      await server.close();
    }
    expect(await checkRedis(server.url, 300)).toMatchObject([{ verdict: 'fail' }]);
  });

  it('does not take a setting that it does not understand', async () => {
    await expect(run('--prot', '1')).rejects.toThrow('unknown flag --prot');
  });
});

describe('a source', () => {
  let server: Server | undefined;
  afterEach(() => void server?.close());

  const publisher = (id: string, parts: object): Publisher =>
    ({
      id,
      name: id,
      connector: {
        origins: { rest: '', ws: '' },
        resources: [{ request: { method: 'GET', path: `/${id}` } }],
        feeds: [],
        ...parts,
      },
    }) as unknown as Publisher;

  it('is said to be blocked, limited, silent or well by what it answers', async () => {
    const statuses: Readonly<Record<string, number>> = {
      '/well': 200,
      '/walled': 451,
      '/busy': 429,
      '/': 404,
    };
    const listening = createServer((request, response) => {
      response.writeHead(statuses[request.url ?? ''] ?? 500, { date: new Date(0).toUTCString() }).end();
    });
    server = listening;
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    const rest = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
    const closed = { rest: 'http://127.0.0.1:1', ws: 'ws://127.0.0.1:1' };
    const checks = await checkSources({
      publishers: [
        publisher('well', {}),
        publisher('walled', {}),
        publisher('busy', {}),
        publisher('broken', {}),
        publisher('by-key', { resources: [], lookups: [] }),
        publisher('keyless', { resources: [] }),
        publisher('gone', { feeds: [{ path: '/ws' }] }),
      ],
      originsOf: ({ id }) => (id === 'gone' ? closed : { rest, ws: '' }),
      clock: systemClock,
    });
    expect(
      checks.map(({ id, rest: { isOk, words } }) => [id, isOk, words.replace(/^\d+ ms$/, 'ms')]),
    ).toEqual([
      ['well', true, 'ms'],
      ['walled', false, 'blocked (HTTP 451)'],
      ['busy', false, 'limited (HTTP 429)'],
      ['broken', false, 'HTTP 500'],
      ['by-key', true, 'ms'],
      ['keyless', true, 'not asked without a key'],
      ['gone', false, 'ECONNREFUSED'],
    ]);
    expect(checks.at(-1)?.socket).toEqual({ isOk: false, words: 'ECONNREFUSED' });
    expect(checkClock(checks)).toMatchObject({ what: 'clock', verdict: 'fail' });
  });
});

describe('the clock', () => {
  it.each([
    [[100, -50_000_000, 90], 'ok', /^0\.1 s ahead of the 3 sources/],
    [[-3_000], 'warn', /^3\.0 s behind .*: set it/],
    [[61_000, 62_000], 'fail', /^62\.0 s ahead/],
    [[], 'warn', /^not known/],
  ] as const)('ahead of theirs by %j is %s', (aheads, verdict, detail) => {
    const found = checkClock(aheads.map((aheadMs) => ({ rest: { isOk: true, words: '', aheadMs } })));
    expect(found).toMatchObject({ verdict, detail: expect.stringMatching(detail) as unknown });
  });
});

it.each([
  ['20.19.0', 'ok'],
  ['22.1.0', 'ok'],
  ['20.18.9', 'fail'],
  ['18.20.0', 'fail'],
])('calls Node %s %s', (version, verdict) => {
  expect(checkNode(version).verdict).toBe(verdict);
});

describe('the disk that is needed', () => {
  it('grows with coins and days, and is compared with what is free', () => {
    const need = assumeTrades('BTC,doge');
    expect(need).toEqual({ tradesPerDay: 3_300_000, basis: 'assumed' });
    const week = { retentionDays: 7, recordMarkets: 'primary' };
    expect(estimateDisk(need, week, 2 ** 40)).toMatchObject({ verdict: 'ok' });
    expect(estimateDisk(need, { ...week, retentionDays: 365 }, 2 ** 30)).toMatchObject({ verdict: 'warn' });
    expect(estimateDisk(need, week, undefined).detail).toBe(
      'about 587 MiB for 7 days of 3,300,000 trades a day (assumed)',
    );
    expect(estimateDisk(need, { ...week, recordMarkets: 'top:3' }, undefined).detail).toMatch(
      /\(assumed\) of the primary venue, and more for top:3$/,
    );
  });

  it('comes from the record where that has a whole day', async () => {
    const table = (startTs: number) => ({
      coins: async () => ['BTC', 'ETH'],
      names: async (coin: string) => [{ coin, startTs, endTs: startTs, trades: 1_000 }],
    });
    const isBtc = (coin: string): boolean => coin === 'BTC';
    expect(await measureTrades(table(0), isBtc, DAY_MS)).toEqual({ tradesPerDay: 1_000, basis: 'recorded' });
    expect(await measureTrades(table(DAY_MS / 2), isBtc, DAY_MS)).toBeUndefined();
  });
});
