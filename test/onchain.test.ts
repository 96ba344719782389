import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onchainPublishers } from '@crosstape/venues';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isLong } from './long.ts';
import { World } from './world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** A page is read on a thread, for which the world's time does not wait. */
const PATIENCE_MS = 30 * MINUTE_MS;

let world: World;
beforeAll(async () => {
  const sources = onchainPublishers.map(({ id }) => id);
  world = await World.open({ rate: 0.02, stepMs: 250, askEveryMs: 2_000, sources });
});
afterEach(() => {
  world.simulator.faults.clear();
});
afterAll(() => world.close());

interface Reply {
  readonly status: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>>;
}

async function ask(path: string): Promise<Reply> {
  const { status, body } = await world.json(`/onchain/${path}`);
  return { status, data: body.data as unknown as Reply['data'], meta: body.meta };
}

async function askUntil(path: string, holds: (answer: Reply) => boolean): Promise<Reply> {
  let answer: Reply | undefined;
  await world.until(async () => {
    answer = await ask(path);
    return holds(answer);
  }, PATIENCE_MS);
  return answer as Reply;
}

const isGood = ({ status, meta }: Reply): boolean => status === 200 && meta.stale === undefined;

/** Time passes quickly without clients. */
async function restart(offMs = 0, flags: readonly string[] = []): Promise<void> {
  await world.stopService();
  world.clock.advance(offMs);
  await world.startService(flags);
}

describe('the on-chain sources', () => {
  it('return flows, treasuries and valuation, marked as simulated', async () => {
    const flows = await askUntil('etf-flows', isGood);
    const { rows, tickers, latestTotalUsdm } = flows.data as {
      rows: { dateLabel: string; dateMs: number; total: number; values: object; partial?: boolean }[];
      tickers: string[];
      latestTotalUsdm: number;
    };
    expect(flows.meta.source).toBe('sim:farside');
    expect(tickers).toContain('MSBT');
    // Noon of the 12th: the day before has been reported by all.
    expect(rows.at(-1)).toMatchObject({ dateLabel: '11 Nov 2026', total: latestTotalUsdm });
    expect(Object.keys(rows.at(-1)?.values ?? {})).toEqual(tickers);
    expect(rows.some(({ partial }) => partial)).toBe(false);
    expect(rows.length).toBeGreaterThan(18);
    expect(flows.data).not.toHaveProperty('cumulativeFromMs');

    const ether = await askUntil('etf-flows?asset=ethereum', isGood);
    expect(ether.data.tickers).toContain('ETHB');

    const treasuries = await askUntil('treasuries', isGood);
    expect(treasuries.data.companies).toHaveLength(263);
    expect(treasuries.meta.source).toBe('sim:coingecko');

    const valuation = await askUntil('valuation', isGood);
    expect(valuation.data).toMatchObject({
      asset: 'bitcoin',
      asOfDate: '2026-11-04',
      asOfByMetric: { mvrvZScore: '2026-11-05', reserveRisk: '2026-11-04', realizedCap: '2026-11-11' },
    });
  });

  it('are served at once after restarts, and not polled again: no quota is spent', async () => {
    const before = await Promise.all(['etf-flows', 'valuation'].map(ask));
    for (let i = 0; i < 2; i += 1) await restart(10 * MINUTE_MS);
    const after = await Promise.all(['etf-flows', 'valuation'].map(ask));
    expect(after).toEqual(before);
    await world.run(10_000);
    expect(await Promise.all(['etf-flows', 'valuation'].map(ask))).toEqual(before);
    // Five metrics requested three times would be more than the eight of an hour.
    expect(world.simulator.violations['bitcoindata']).toEqual({});
    expect(world.simulator.violations['coingecko']).toEqual({});
  });

  it('keep bytes and tag while the page stays as it is, fetched again or not', async () => {
    const tagOf = async (): Promise<string | null> =>
      (await world.get('/api/v1/onchain/etf-flows')).headers.get('etag');
    const [before, tag] = [await ask('etf-flows'), await tagOf()];
    await restart(HOUR_MS);
    const lookedAt = async (): Promise<number> => {
      const response = await world.get('/api/v1/onchain/etf-flows');
      return world.clock.now() - 1_000 * Number(response.headers.get('age'));
    };
    const startedMs = world.clock.now();
    await world.until(async () => (await lookedAt()) >= startedMs - 1_000, PATIENCE_MS);
    expect(await ask('etf-flows')).toEqual(before);
    expect(await tagOf()).toBe(tag);
  });

  // Without a service: features/onchain/endpoints/onchain.test.ts of the server.
  const problems = [
    ['a wall that answers 200', { fault: 'wall', status: 200 }, 'blocked'],
    ['another layout', { fault: 'rename', field: 'FBTC' }, 'changed'],
    ['a site that is down', { fault: 'refuse' }, 'down'],
    ['a wall that answers 403', { fault: 'wall', status: 403 }, 'blocked'],
    ['a wall that answers 503', { fault: 'wall', status: 503 }, 'blocked'],
    ['half a page', { fault: 'truncate' }, 'changed'],
    ['noise', { fault: 'garbage' }, 'changed'],
  ] as const;
  it.each(isLong ? problems : problems.slice(0, 1))(
    'of the ETF page, behind %s, the last good day is served as stale',
    async (_, fault, status) => {
      const good = await askUntil('etf-flows', ({ status: code }) => code === 200);
      world.simulator.faults.add({ venue: 'farside', ...fault });
      await restart(HOUR_MS);
      const answer = await askUntil('etf-flows', ({ meta }) => {
        const [source] = (meta.sources ?? []) as { status: string }[];
        return source?.status === status;
      });
      expect(answer.status).toBe(200);
      expect(answer.meta.stale).toBe(true);
      expect(answer.data).toEqual(good.data);
    },
  );

  it('come back by themselves, with a day that is only partly reported', async () => {
    const midnight = Math.ceil(world.clock.now() / DAY_MS) * DAY_MS;
    await restart(midnight + 1.5 * HOUR_MS - world.clock.now());
    const { data } = await askUntil('etf-flows', isGood);
    const { rows, latestTotalUsdm } = data as {
      rows: { total: number; partial?: boolean }[];
      latestTotalUsdm: number;
    };
    expect(rows.at(-1)?.partial).toBe(true);
    expect(rows.at(-2)).not.toHaveProperty('partial');
    expect(latestTotalUsdm).toBe(rows.at(-2)?.total);
  });

  if (isLong) {
    it('name the metric that could not be renewed, and serve the old one', async () => {
      world.simulator.faults.add({ venue: 'bitcoindata', fault: 'rename', field: 'nupl' });
      await restart(DAY_MS);
      const answer = await askUntil('valuation', ({ data, meta }) => {
        const { realizedCap } = (data.asOfByMetric ?? {}) as Record<string, string>;
        return realizedCap === '2026-11-13' && hasOnly(meta, 'nupl');
      });
      expect(answer).toMatchObject({ status: 200, meta: { stale: true } });
      const { asOfDate, asOfByMetric } = answer.data as { asOfDate: string; asOfByMetric: object };
      expect(asOfByMetric).toMatchObject({ nupl: '2026-11-05', mvrvZScore: '2026-11-07' });
      expect(asOfDate).toBe('2026-11-05');
    });

    it.each([
      ['limited', { fault: 'limit' }, 'limited'],
      ['in a changed format', { fault: 'rename', field: 'total_holdings' }, 'changed'],
    ] as const)(
      'of CoinGecko, %s, the last good treasuries are served as stale',
      async (_, fault, status) => {
        const good = await askUntil('treasuries', ({ status: code }) => code === 200);
        world.simulator.faults.add({ venue: 'coingecko', ...fault });
        await restart(7 * HOUR_MS);
        const answer = await askUntil('treasuries', ({ meta }) => {
          const [source] = (meta.sources ?? []) as { status: string }[];
          return source?.status === status;
        });
        expect(answer).toMatchObject({ status: 200, meta: { stale: true } });
        expect(answer.data.companies).toHaveLength((good.data.companies as unknown[]).length);
      },
    );

    it('of bitcoin-data, limited, the last good metrics are served as stale', async () => {
      const good = await askUntil('valuation', ({ status }) => status === 200);
      world.simulator.faults.add({ venue: 'bitcoindata', fault: 'limit' });
      await restart(DAY_MS);
      const answer = await askUntil('valuation', ({ meta }) =>
        ((meta.sources ?? []) as { status: string }[]).some(({ status }) => status === 'limited'),
      );
      expect(answer).toMatchObject({ status: 200, meta: { stale: true }, data: good.data });
      world.simulator.faults.clear();
      await restart(13 * HOUR_MS);
      await askUntil('valuation', isGood);
    });

    it('of bitcoin-data, broken, the last good metrics are served, and it is not hammered', async () => {
      await askUntil('valuation', isGood);
      // Whatever was due after the restart before has come by then.
      await world.run(MINUTE_MS);
      const good = await ask('valuation');
      world.simulator.faults.add({ venue: 'bitcoindata', fault: 'status', status: 500 });
      const asked = (): number => world.simulator.faults.list()[0]?.hits ?? 0;
      await restart(DAY_MS);
      await askUntil('valuation', () => asked() > 0);
      for (let i = 0; i < 2; i += 1) {
        await restart(HOUR_MS);
        await world.run(5_000);
        expect(await ask('valuation')).toMatchObject({ status: 200, data: good.data });
      }
      // Each of the five metrics at most once.
      expect(asked()).toBeLessThanOrEqual(5);
      world.simulator.faults.clear();
      await restart(13 * HOUR_MS);
      await askUntil('valuation', isGood);
      expect(world.simulator.violations['bitcoindata']).toEqual({});
    });
  }

  it('are no longer served after a week without any good answer', async () => {
    for (const venue of ['farside', 'coingecko', 'bitcoindata'])
      world.simulator.faults.add({ venue, fault: 'refuse' });
    await restart(7 * DAY_MS + HOUR_MS);
    for (const path of ['etf-flows', 'treasuries', 'valuation']) {
      const { status, meta } = await askUntil(path, () => true);
      expect([path, status, meta.code]).toEqual([path, 503, 'upstream_unavailable']);
    }
  });
});

describe('ETF pages that an operator gives', () => {
  it('are read from a file, again and again, by the same rules', async () => {
    const file = join(world.folder, 'etf-bitcoin.html');
    const printed = (flow: string): string =>
      `<table><tr><th>Date</th><th>IBIT</th><th>FBTC</th><th>GBTC</th><th>Total</th></tr>
       <tr><td>18 Nov 2026</td><td>1.5</td><td>-</td><td>(0.5)</td><td>1.0</td></tr>
       <tr><td>19 Nov 2026</td><td>${flow}</td><td>-</td><td>0.0</td><td>${flow}</td></tr></table>`;
    writeFileSync(file, printed('2.5'));
    const flags = ['--etf-source', join(world.folder, 'etf-{asset}.html')];
    await restart(HOUR_MS, flags);
    const first = await askUntil('etf-flows', isGood);
    expect(first.data).toMatchObject({
      tickers: ['IBIT', 'FBTC', 'GBTC'],
      latestTotalUsdm: 2.5,
      cumulativeUsdm: 3.5,
    });
    expect(first.data).toHaveProperty('cumulativeFromMs');
    expect(first.meta.source).toBe('sim:operator:file');

    writeFileSync(file, printed('4.5'));
    await restart(10 * MINUTE_MS, flags);
    await askUntil('etf-flows', ({ data }) => data.latestTotalUsdm === 4.5);

    writeFileSync(file, 'not a page');
    await restart(10 * MINUTE_MS, flags);
    const broken = await askUntil('etf-flows', ({ meta }) => hasStatus(meta, 'changed'));
    expect(broken.meta.stale).toBe(true);
    expect(broken.data.latestTotalUsdm).toBe(4.5);

    rmSync(file);
    await restart(10 * MINUTE_MS, flags);
    await askUntil('etf-flows', ({ meta }) => hasStatus(meta, 'down'));
  });
});

function hasStatus(meta: Reply['meta'], status: string): boolean {
  const [source] = (meta.sources ?? []) as { status: string }[];
  return source?.status === status;
}

function hasOnly(meta: Reply['meta'], source: string): boolean {
  const sources = (meta.sources ?? []) as { source: string; status: string }[];
  return (
    sources.length === 1 && sources[0]?.source === `bitcoindata:${source}` && sources[0].status === 'changed'
  );
}
