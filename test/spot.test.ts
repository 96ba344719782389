import { FlowView } from '@crosstape/simulator';
import { fxPublishers, koreanVenue, spotVenues } from '@crosstape/venues';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { World } from './world.ts';

const MINUTE_MS = 60_000;
const worldSources = [...spotVenues, koreanVenue, ...fxPublishers].map(({ id }) => id);
const venues = spotVenues.map(({ venue }) => venue);

let world: World;
beforeAll(async () => {
  world = await World.open({ rate: 0.05, stepMs: 250, askEveryMs: 1_000, sources: worldSources });
  await untilWhole('/markets/spot', 15);
});
afterEach(() => {
  world.simulator.faults.clear();
});
afterAll(() => world.close());

interface Row {
  readonly coin: string;
  readonly venue: string;
  readonly price: number;
  readonly bid: number;
  readonly ask: number;
  readonly change24hPct: number;
  readonly quote: string;
  readonly rawPrice: number;
  readonly fetchedAt: number;
  readonly stale?: boolean;
}

interface Source {
  readonly source: string;
  readonly status: string;
  readonly coins?: readonly string[];
}

interface Reply {
  readonly status: number;
  readonly rows: readonly Row[];
  readonly sources: readonly Source[];
  readonly meta: Readonly<Record<string, unknown>>;
}

async function ask(path: string): Promise<Reply> {
  const { status, body } = await world.json(path);
  const rows = body.data as unknown as Row[];
  return { status, rows, sources: (body.meta.sources ?? []) as Source[], meta: body.meta };
}

async function askUntil(
  path: string,
  holds: (answer: Reply) => boolean,
  withinMs = 2 * MINUTE_MS,
): Promise<Reply> {
  let answer: Reply | undefined;
  await world.until(async () => {
    answer = await ask(path);
    return holds(answer);
  }, withinMs);
  return answer as Reply;
}

/** All venues are connected and none is failing. */
function untilWhole(path: string, count: number): Promise<Reply> {
  return askUntil(path, ({ rows, meta }) => rows.length === count && !meta.sources && !meta.stale);
}

/** Time passes quickly without clients. */
async function restartAt(atMs: number): Promise<void> {
  await world.stopService();
  world.clock.advance(atMs - world.clock.now());
  await world.startService();
  await untilWhole('/markets/spot', 15);
}

/** What a tether costs in dollars in the simulated world. */
function tetherAt(atMs: number): number {
  const rows = new FlowView(world.simulator.market, 'BTC').spotTickers(atMs).get('kraken-spot') ?? [];
  return rows.find(({ coin }) => coin === 'USDT')?.last ?? Number.NaN;
}

const of = (rows: readonly Row[], venue: string): Row => rows.find((row) => row.venue === venue) as Row;

describe('the spot venues', () => {
  it('return the price of each coin in dollars, marked as simulated', async () => {
    const { rows, meta } = await world.meanwhile(ask('/markets/spot'));
    expect(meta.source).toBe(venues.map((venue) => `sim:${venue}`).join('+'));
    expect(rows.map(({ coin, venue }) => `${coin} ${venue}`)).toEqual(
      ['BTC', 'ETH', 'SOL'].flatMap((coin) => venues.map((venue) => `${coin} ${venue}`)),
    );
    for (const row of rows) {
      const { index } = world.simulator.market.quote(row.coin, row.fetchedAt);
      expect(Math.abs(row.price / index - 1), `${row.coin} ${row.venue}`).toBeLessThan(0.01);
      expect(row.bid).toBeLessThan(row.ask);
      const before = world.simulator.market.quote(row.coin, row.fetchedAt - 24 * 60 * MINUTE_MS).index;
      expect(
        Math.abs(row.change24hPct - (index / before - 1) * 100),
        `${row.coin} ${row.venue}`,
      ).toBeLessThan(1);
      const isDollar = row.venue === 'coinbase' || row.venue === 'kraken';
      expect(row.quote).toBe(isDollar ? 'USD' : 'USDT');
    }
  });

  it('are fetched for a coin that was not requested before, in the unit of the primary venue', async () => {
    for (const coin of ['DOGE', 'PEPE']) {
      const { rows } = await untilWhole(`/markets/spot?coins=${coin}`, 5);
      const name = rows[0]?.coin as string;
      const { index } = world.simulator.market.quote(name, world.clock.now());
      for (const row of rows)
        expect(Math.abs(row.price / index - 1), `${coin} ${row.venue}`).toBeLessThan(0.01);
    }
  });

  it('include the Korean book of such a coin', async () => {
    await world.until(async () => {
      const { body } = await world.json('/flows/kimchi?coin=DOGE');
      const { bidAskPressure } = body.data as unknown as { readonly bidAskPressure?: number | null };
      return typeof bidAskPressure === 'number';
    }, MINUTE_MS);
  });

  it('agree when the tether has left its peg, because it is converted', async () => {
    let atMs = world.clock.now() + 5 * MINUTE_MS;
    const isOff = (ms: number): boolean => Math.abs(tetherAt(ms) - 1) > 0.0035;
    while (!isOff(atMs) || !isOff(atMs + 2 * MINUTE_MS)) atMs += MINUTE_MS;
    await restartAt(atMs);
    const { rows } = await untilWhole('/markets/spot?coins=BTC', 5);
    const binance = of(rows, 'binance');
    expect(Math.abs(binance.rawPrice / binance.price - 1)).toBeGreaterThan(0.003);
    expect(binance.price / binance.rawPrice).toBeCloseTo(tetherAt(world.clock.now()), 3);
    // No further apart than one that has gone astray, and not by what the tether is off on top.
    expect(Math.abs(binance.price / of(rows, 'coinbase').price - 1)).toBeLessThan(0.0075);
  });

  const problems = [
    ['limits us', 'bybit-spot', { fault: 'status', status: 429, retryAfterS: 20 }, 'limited'],
    ['has changed', 'kraken-spot', { fault: 'rename', field: 'c' }, 'changed'],
    // Those of any source are also in packages/server/src/ingest/poller.test.ts.
    ['does not answer', 'okx-spot', { fault: 'refuse' }, 'down'],
    ['blocks us', 'binance-spot', { fault: 'status', status: 451 }, 'blocked'],
  ] as const;
  it.each(problems.slice(0, process.env.LONG === '1' ? problems.length : 2))(
    'name the source where one %s, are not stale for it, and come back by themselves',
    async (_, venue, fault, status) => {
      world.simulator.faults.add({ venue, ...fault });
      const answer = await askUntil('/markets/spot', ({ sources }) =>
        sources.some((one) => one.status === status),
      );
      expect(answer.sources).toMatchObject([{ source: `${venue}:tickers`, status }]);
      expect([answer.status, answer.rows.length, answer.meta.stale]).toEqual([200, 15, undefined]);
      world.simulator.faults.clear();
      await untilWhole('/markets/spot', 15);
    },
  );

  it('are stale by their own time where a venue sends old prices as new', async () => {
    world.simulator.faults.add({ venue: 'okx-spot', fault: 'skew', skewMs: -90_000 });
    const answer = await askUntil('/markets/spot?coins=BTC', ({ rows }) => rows.some(({ stale }) => stale));
    expect(answer.rows.filter(({ stale }) => stale).map(({ venue }) => venue)).toEqual(['okx']);
    expect(answer.meta.stale).toBeUndefined();
    world.simulator.faults.clear();
    await untilWhole('/markets/spot?coins=BTC', 5);
  });

  it('omit the change of a day where it is unavailable, and name the coins', async () => {
    world.simulator.faults.add({ venue: 'kraken-spot', fault: 'rename', field: 'XLTCZUSD' });
    const answer = await askUntil('/markets/spot?coins=LTC', ({ rows }) => rows.length === 4);
    expect(answer.rows.map(({ venue }) => venue)).not.toContain('kraken');
    expect(
      answer.sources.some(({ source, coins }) => source === 'kraken-spot' && coins?.includes('LTC')),
    ).toBe(true);
  });

  it('quoted in USDT are stale when no venue prices USDT any more', async () => {
    for (const venue of ['coinbase', 'kraken-spot']) {
      world.simulator.faults.add({ venue, fault: 'hang', part: 'rest' });
      world.simulator.faults.add({ venue, fault: 'freeze', part: 'ws' });
    }
    const answer = await askUntil(
      '/markets/spot?coins=BTC',
      ({ rows }) => rows.filter(({ stale }) => stale).length === 5,
      3 * MINUTE_MS,
    );
    expect(answer.sources.map(({ source }) => source.split(':')[0])).toEqual(['coinbase', 'kraken-spot']);
    expect(answer.meta.stale).toBe(true);
    world.simulator.faults.clear();
    await untilWhole('/markets/spot?coins=BTC', 5);
  });

  it.each([
    ['cut off', { fault: 'cut' }],
    ['frozen', { fault: 'freeze' }],
  ] as const)('are received trading again after their feed was %s', async (_, fault) => {
    const metric = async (name: string): Promise<string> => {
      const text = await (await world.get('/metrics')).text();
      return new RegExp(`^crosstape_source_${name} (\\d+)$`, 'm').exec(text)?.[1] ?? '';
    };
    const ok = 'status{source="coinbase:trades",status="ok"}';
    expect(await metric(ok)).toBe('1');
    world.simulator.faults.add({ venue: 'coinbase', part: 'ws', ...fault });
    await world.until(async () => (await metric(ok)) === '', 2 * MINUTE_MS);
    world.simulator.faults.clear();
    await world.until(async () => (await metric(ok)) === '1', 2 * MINUTE_MS);
    await world.until(async () => (await metric(ok.replace('trades', 'quotes'))) === '1', 2 * MINUTE_MS);
    expect(Number(await metric('reconnects_total{source="coinbase:trades"}'))).toBeGreaterThan(0);
  });

  it('have kept every limit, and received trades of Coinbase throughout', async () => {
    for (const id of worldSources) expect([id, world.simulator.violations[id]]).toEqual([id, {}]);
    const metrics = await (await world.get('/metrics')).text();
    for (const source of [
      'coinbase:trades',
      'binance-spot:quotes',
      'upbit:orderbook',
      'dunamu:forex',
      'frankfurter:rate',
    ])
      expect(metrics).toContain(`crosstape_source_status{source="${source}",status="ok"} 1`);
  });
});
