import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isLong } from './long.ts';
import { type Answer, World } from './world.ts';

type Row = Readonly<Record<string, unknown>>;

let world: World;
beforeAll(async () => {
  world = await World.open({ rate: 0.05, stepMs: 250, askEveryMs: 2_000, sources: ['deribit'] });
  await world.until(() => world.isReady(), 10_000);
});
afterAll(() => world.close());

/** What is answered, with time passing as it must while the service waits. */
async function ask(path: string): Promise<{ status: number; body: Answer }> {
  let answer: { status: number; body: Answer } | undefined;
  await world.until(async () => {
    answer = await world.json(path);
    return true;
  }, 60_000);
  return answer as { status: number; body: Answer };
}

describe('options', () => {
  it.each(['BTC', 'ETH', 'SOL', 'XRP'])('of %s are served on request', async (coin) => {
    for (const name of ['gex', 'chain', 'skew']) {
      const path = `/options/${name}?underlying=${coin}`;
      // The first answer may be that it takes too long: a thread has to start, in a time that is not the world's.
      await world.until(async () => (await world.json(path)).status === 200, 600_000);
      expect((await ask(path)).body.meta.source).toBe('sim:deribit');
    }
  });

  it('are coherent with one another and with the perpetuals', async () => {
    const { body: perps } = await ask('/perps/oi?coins=BTC');
    const mark = Number(perps.data[0]?.['oiUsd']) / Number(perps.data[0]?.['oiContracts']);
    let gex: Row = {};
    // The covered share is known once the other book has come.
    await world.until(async () => {
      gex = (await world.json('/options/gex?underlying=BTC')).body.data as unknown as Row;
      return gex['oiCoveredPct'] !== undefined;
    }, 120_000);
    const chain = (await ask('/options/chain?underlying=BTC')).body.data;
    const skew = (await ask('/options/skew?underlying=BTC')).body.data as unknown as Row;
    expect(Math.abs(Number(gex['spot']) / mark - 1)).toBeLessThan(0.01);
    expect(chain.length).toBeGreaterThan(1_200);
    const strikes = new Set((gex['strikes'] as readonly Row[]).map(({ strike }) => strike));
    for (const { strike, oi } of chain) if (Number(oi) > 0) expect(strikes.has(strike)).toBe(true);
    expect(gex['oiCoveredPct']).toBeGreaterThan(80);
    expect(gex['oiCoveredPct']).toBeLessThan(100);
    const expiries = new Set(chain.map(({ expiryMs }) => expiryMs));
    expect(Object.keys(skew['smileByExpiry'] as Row)).toHaveLength(expiries.size);
    const terms = skew['termStructure'] as readonly Row[];
    expect(terms).toHaveLength(expiries.size);
    for (const { atmIv } of terms) {
      expect(atmIv).toBeGreaterThan(0.1);
      expect(atmIv).toBeLessThan(2);
    }
  });

  it('are fetched again each half minute while they are requested, within the limits of the venue', async () => {
    const fetchedAt = async (): Promise<unknown> =>
      (await ask('/options/chain?underlying=BTC')).body.meta.fetchedAt;
    const before = await fetchedAt();
    await world.run(31_000);
    expect(await fetchedAt()).not.toBe(before);
    expect(world.simulator.violations['deribit']).toEqual({});
  });
});

describe('a failing venue is reported, and recovers by itself', () => {
  beforeEach(async () => {
    await world.until(
      async () => !('stale' in (await world.json('/options/chain?underlying=BTC')).body.meta),
      60_000,
    );
  });

  // Without a service: ingest/poller.test.ts of the server.
  const problems = [
    { name: 'blocked', fault: { fault: 'status', status: 451 }, status: 'blocked' },
    { name: 'limited', fault: { fault: 'status', status: 429, retryAfterS: 10 }, status: 'limited' },
    { name: 'refusing in the words of its protocol', fault: { fault: 'limit' }, status: 'limited' },
    { name: 'sending garbage', fault: { fault: 'garbage' }, status: 'changed' },
    {
      name: 'sending numbers as strings',
      fault: { fault: 'retype', field: 'open_interest' },
      status: 'changed',
    },
  ] as const;
  it.each(isLong ? problems : problems.slice(-1))('$name', async ({ fault, status }) => {
    world.simulator.faults.add({ venue: 'deribit', ...fault });
    const path = '/options/chain?underlying=BTC';
    await world.until(async () => (await world.json(path)).body.meta.stale === true, 120_000);
    const { body } = await ask(path);
    expect(body.data.length).toBeGreaterThan(1_200);
    expect(body.meta['sources']).toMatchObject([{ source: 'deribit:btc-book-summary', status }]);
    world.simulator.faults.clear();
    await world.until(async () => !('stale' in (await world.json(path)).body.meta), 400_000);
  });

  it('in one book only: the others are served as usual', async () => {
    world.simulator.faults.add({
      venue: 'deribit',
      fault: 'retype',
      field: 'open_interest',
      path: 'currency=USDC',
    });
    const metaOf = async (path: string): Promise<Answer['meta']> => (await ask(path)).body.meta;
    await world.until(async () => {
      await world.json('/options/chain?underlying=BTC');
      return (await world.json('/options/chain?underlying=SOL')).body.meta.stale === true;
    }, 120_000);
    expect((await metaOf('/options/gex?underlying=XRP'))['sources']).toMatchObject([
      { source: 'deribit:usdc-book-summary', status: 'changed' },
    ]);
    const before = Number((await metaOf('/options/gex?underlying=BTC')).fetchedAt);
    await world.run(31_000);
    for (const name of ['gex', 'chain', 'skew']) {
      const meta = await metaOf(`/options/${name}?underlying=BTC`);
      expect(meta).not.toHaveProperty('stale');
      expect(Number(meta.fetchedAt)).toBeGreaterThan(before);
    }
    world.simulator.faults.clear();
    await world.until(
      async () => !('stale' in (await world.json('/options/chain?underlying=SOL')).body.meta),
      400_000,
    );
  });

  it('in the index only: gamma is stale, chain and skew are not', async () => {
    world.simulator.faults.add({ venue: 'deribit', fault: 'rename', field: 'index_price' });
    const path = '/options/gex?underlying=BTC';
    await world.until(async () => (await world.json(path)).body.meta.stale === true, 120_000);
    const { status, body } = await ask(path);
    expect(status).toBe(200);
    // Of one coin or two it is their own problem, until nothing good has come for long.
    expect(body.meta['sources']).toMatchObject([
      { source: 'deribit:index-price', status: expect.stringMatching(/^(changed|stale)$/) },
    ]);
    for (const name of ['chain', 'skew'])
      expect((await ask(`/options/${name}?underlying=BTC`)).body.meta).not.toHaveProperty('stale');
    // Chains continue without it; the last good exposure outlives them, as old as it is.
    await world.run(60_000);
    const later = await ask(path);
    expect(later.status).toBe(200);
    expect(later.body.meta.stale).toBe(true);
    expect(later.body.meta['ageMs']).toBeGreaterThan(60_000);
    world.simulator.faults.clear();
    await world.until(async () => !('stale' in (await world.json(path)).body.meta), 400_000);
  });
});
