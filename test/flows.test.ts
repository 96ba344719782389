import { createMarket, FlowView } from '@crosstape/simulator';
import { fxPublishers, koreanVenue, onchainPublishers, spotVenues } from '@crosstape/venues';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { World } from './world.ts';

const MINUTE_MS = 60_000;
/**
 * In the market of this seed, by the minute after noon: venues are apart from the 1st to the 8th, Korea has a spike from
 * the 2nd to the 8th, and the tether leaves its peg at the 6th for the rest of the test.
 */
const SEED = 11_349;
const RATE = 0.1;
/** The age limit of figures: a poll or two, and a report. */
const LAG_MS = 20_000;
const STEP_MS = 500;
/** Everything has been fetched once. */
const FETCHED_MS = 5_000;
/** What a tether is worth from the 11th minute on. */
const OFF_PEG = 1.0071;
/** What flows are made of. */
const worldSources = [koreanVenue, ...spotVenues, ...fxPublishers, ...onchainPublishers].map(({ id }) => id);

let world: World;
let startMs: number;
const view = new FlowView(createMarket({ seed: SEED, rate: RATE }), 'BTC');
beforeAll(async () => {
  const flags = ['--flow-coins', 'SOL,XRP'];
  world = await World.open({ seed: SEED, rate: RATE, stepMs: STEP_MS, flags, sources: worldSources });
  startMs = world.clock.now();
  // The pages of the ETFs are read on a thread, for which the world's time waits here once they have come.
  await world.run(FETCHED_MS);
  await Promise.all(['bitcoin', 'ethereum'].map((asset) => world.json(`/onchain/etf-flows?asset=${asset}`)));
});
afterAll(() => world.close());

interface Truth {
  readonly usdt: number;
  readonly dispersionBps: number;
  readonly kimchiBps: number;
}

/** The market's own values, whatever the service reports. */
function truthAt(atMs: number, leftOut: readonly string[] = []): Truth {
  const answer = [...view.spotTickers(atMs)].filter(([source]) => !leftOut.includes(source));
  const usdt = answer.flatMap(([, rows]) => rows.filter(({ coin }) => coin === 'USDT'))[0]?.last ?? 1;
  const prices = answer
    .flatMap(([, rows]) => rows.filter(({ coin }) => coin === 'BTC'))
    .map(({ last, quote }) => (quote === 'USDT' ? last * usdt : last))
    .toSorted((a, b) => a - b);
  const [low = 0, high = 0] = [prices[0], prices.at(-1)];
  const middle = prices.length % 2 ? prices[2] : ((prices[1] ?? 0) + (prices[2] ?? 0)) / 2;
  const korean = (view.korea(atMs).tickers[0]?.last ?? 0) / view.usdKrw(atMs).rate;
  return {
    usdt,
    dispersionBps: (1e4 * (high - low)) / (middle ?? 1),
    kimchiBps: 1e4 * (korean / (middle ?? 1) - 1),
  };
}

/** Whether a value was true at some time of the last seconds. */
function expectTrue(value: unknown, of: (truth: Truth) => number, slack: number): void {
  const nowMs = world.clock.now();
  const values = Array.from({ length: 26 }, (_, i) => of(truthAt(nowMs - (i * LAG_MS) / 25)));
  expect(value).toBeGreaterThanOrEqual(Math.min(...values) - slack);
  expect(value).toBeLessThanOrEqual(Math.max(...values) + slack);
}

interface Reply {
  readonly status: number;
  readonly data: Record<string, never>;
  readonly meta: { partial: boolean; sources: { source: string; status: string; coins?: string[] }[] };
}

async function ask(path: string): Promise<Reply> {
  const { status, body } = await world.json(`/flows/${path}`);
  return { status, data: body.data as never, meta: body.meta as never };
}

interface Row {
  readonly venue: string;
  readonly priceUsd: number;
  readonly rawPrice: number;
  readonly quote: string;
  readonly basisBps: number;
  readonly stale: boolean;
}
interface Spread {
  readonly rows: readonly Row[];
  readonly usdtUsd: number;
  readonly freshVenues: number;
  readonly dispersionBps: number;
  readonly skewMs: number;
}

async function spreads(): Promise<{ btc: Spread; meta: Reply['meta'] }> {
  const { data, meta } = await ask('venue-spreads?coins=BTC');
  return { btc: (data as unknown as Spread[])[0] as Spread, meta };
}

async function signals(): Promise<Record<string, string>> {
  const { data } = await ask('signals?coins=BTC');
  const list = data as unknown as { id: string; severity: string }[];
  return Object.fromEntries(list.map(({ id, severity }) => [id, severity]));
}

const idOf = (slug: string, ids: Record<string, string>): string | undefined =>
  Object.keys(ids).find((id) => id.split(':')[1] === slug);

async function passTo(atMinute: number): Promise<void> {
  await world.run(startMs + atMinute * MINUTE_MS - world.clock.now());
}

describe('flows, minute by minute', () => {
  it('report diverging venues and a Korean spike with the right numbers and one signal each', async () => {
    const ids = { dispersion: new Set<string | undefined>(), korea: new Set<string | undefined>() };
    const severities: string[][] = [];
    for (let at = 1; at <= 8; at += 1) {
      await passTo(at);
      const { btc } = await spreads();
      // All prices are of the same moment, so that what moves meanwhile is no dispersion.
      expect(btc.skewMs).toBeLessThanOrEqual(2_000);
      expectTrue(btc.dispersionBps, ({ dispersionBps }) => dispersionBps, 2);
      expectTrue(btc.usdtUsd, ({ usdt }) => usdt, 1e-4);
      const { data } = await ask('kimchi');
      expectTrue(data.premiumBps, ({ kimchiBps }) => kimchiBps, 15);
      const on = await signals();
      ids.dispersion.add(idOf('venue-dispersion', on));
      ids.korea.add(idOf('regional-premium', on));
      severities.push([
        on[idOf('venue-dispersion', on) ?? ''] ?? '-',
        on[idOf('regional-premium', on) ?? ''] ?? '-',
      ]);
    }
    // From the 3rd to the 6th minute both are hot; each keeps its id.
    expect(severities.slice(2, 6)).toEqual(Array.from({ length: 4 }, () => ['hot', 'hot']));
    expect([...ids.dispersion].filter((id) => id !== undefined)).toHaveLength(1);
    expect([...ids.korea].filter((id) => id !== undefined)).toHaveLength(1);
    // In the 8th both conditions are over, and the signals are not.
    expect(severities[7]).not.toContain('-');
    // What is over is no longer called strong, though it peaked there.
    const { data } = await ask('signals?coins=BTC');
    for (const signal of data as unknown as { current: number; peak: number; title: string }[]) {
      expect(Math.abs(signal.peak)).toBeGreaterThanOrEqual(Math.abs(signal.current));
      expect(signal.title).not.toMatch(/Strong|far/);
    }
  });

  it('cover everything once trades have been received for five minutes', async () => {
    const { data, meta } = await ask('summary?coins=BTC,ETH,SOL,XRP');
    const { rows } = data as unknown as { rows: { coin: string; coverage: object }[] };
    for (const { coverage } of rows) {
      expect(coverage).toEqual({
        globalSpot: 'full',
        kimchi: 'live',
        etfProxy: 'live',
        primaryMicro: 'live',
      });
    }
    expect(rows.map(({ coin }) => coin)).toEqual(['BTC', 'ETH', 'SOL', 'XRP']);
    expect(meta).toMatchObject({
      partial: false,
      sources: [],
      source: expect.stringContaining('sim:coinbase'),
    });
    const etf = await ask('etf');
    expect(etf.data).toMatchObject({ spotProxy: { confidence: 'high', tapeComplete: true } });
  });

  it('convert by the tether that has left its peg: venues quoted in it are not called cheap', async () => {
    await passTo(11);
    const { btc, meta } = await spreads();
    expect(meta).toMatchObject({ partial: false, sources: [] });
    expect(btc.usdtUsd).toBeCloseTo(OFF_PEG, 3);
    for (const { quote, priceUsd, rawPrice, basisBps } of btc.rows) {
      expect(Math.abs(basisBps)).toBeLessThan(8);
      expect(rawPrice / priceUsd).toBeCloseTo(quote === 'USDT' ? 1 / OFF_PEG : 1, 3);
    }
    const { data } = await ask('kimchi');
    expectTrue(data.premiumBps, ({ kimchiBps }) => kimchiBps, 10);
    expect(data.interpretation).toBe('neutral');
  });

  it('end their signals two minutes after the condition, not before', async () => {
    // Venues are together again since the 8th minute, and Korea is as dear as they are since shortly after.
    await passTo(11.5);
    const on = await signals();
    expect(idOf('venue-dispersion', on)).toBeUndefined();
    expect(idOf('regional-premium', on)).toBeUndefined();
  });

  it('name a venue that is frozen and a provider that is down, and continue without them', async () => {
    world.simulator.faults.add({ venue: 'okx-spot', fault: 'skew', skewMs: -120_000 });
    world.simulator.faults.add({ venue: 'dunamu', fault: 'status', status: 500 });
    await passTo(13.5);
    const { btc, meta } = await spreads();
    expect(btc.freshVenues).toBe(4);
    expect(btc.rows.filter(({ stale }) => stale).map(({ venue }) => venue)).toEqual(['okx']);
    expect(meta).toMatchObject({
      partial: true,
      sources: [{ source: 'okx-spot', status: 'stale', coins: ['BTC'] }],
    });
    const kimchi = await ask('kimchi');
    expectTrue(kimchi.data.premiumBps, ({ kimchiBps }) => kimchiBps, 10);
    expect(kimchi.meta.sources.map(({ source, status }) => [source.split(':')[0], status])).toEqual(
      expect.arrayContaining([
        ['dunamu', 'down'],
        ['okx-spot', 'stale'],
      ]),
    );
    const { data } = await ask('summary?coins=BTC');
    expect(data).toMatchObject({ rows: [{ coverage: { globalSpot: 'partial', kimchi: 'live' } }] });
    const etf = await ask('etf');
    expect(etf.data).toMatchObject({ spotProxy: { confidence: 'medium' } });
    const explained = await ask('venue-spreads?coins=BTC&explain=1');
    expect(explained.meta).toMatchObject({
      explain: {
        leftOut: expect.arrayContaining([
          { coin: 'BTC', what: 'okx', why: 'The newest price of BTC on okx is old.' },
        ]),
      },
    });
  });

  it('are whole again when the faults are over', async () => {
    for (const venue of ['okx-spot', 'dunamu']) world.simulator.faults.clear({ venue });
    await passTo(15.5);
    const { btc, meta } = await spreads();
    expect([btc.freshVenues, meta.partial, meta.sources]).toEqual([5, false, []]);
    expect((await ask('kimchi')).data).toMatchObject({ usdKrwSource: 'dunamu' });
  });

  it('are recorded by the minute, with what was failing then, and nothing of the time that was down', async () => {
    // The first provider of a rate is down from before the start.
    world.simulator.faults.add({ venue: 'dunamu', fault: 'status', status: 500 });
    await world.stopService();
    const offMs = world.clock.now();
    world.clock.advance(3 * MINUTE_MS);
    const onMs = world.clock.now();
    await world.startService();
    const after = Math.floor((onMs - startMs) / MINUTE_MS);
    await passTo(after + 2.1);
    expect((await ask('kimchi')).data).toMatchObject({ usdKrwSource: 'frankfurter', usdKrwStale: false });
    const history = async (metric: string): Promise<{ t: number; v: number; sources: unknown[] }[]> =>
      ((await ask(`history?coin=BTC&metric=${metric}`)).data as { points: never }).points;
    const at = (points: readonly { t: number; v: number }[], m: number): number | undefined =>
      points.find(({ t }) => t === startMs + m * MINUTE_MS)?.v;
    const partial = await history('sourcePartial');
    const minutes = partial.map(({ t }) => (t - startMs) / MINUTE_MS);
    expect(minutes.slice(0, 15)).toEqual(Array.from({ length: 15 }, (_, i) => i));
    expect(partial.filter(({ t }) => t >= offMs && t + MINUTE_MS <= onMs)).toEqual([]);
    expect(minutes).toEqual(expect.arrayContaining([after, after + 1]));
    expect([4, 8, 10, 12, 13, after + 1].map((m) => at(partial, m))).toEqual([0, 0, 0, 1, 1, 1]);
    const kimchi = await history('kimchiPremiumBps');
    for (const m of [3, 5, 10, 12]) {
      expect(at(kimchi, m)).toBeCloseTo(truthAt(startMs + m * MINUTE_MS + 50_000).kimchiBps, -2);
    }
    // The windows of the trades start over, so their metrics are missing for five minutes, as at the very start.
    const micro = (await history('primaryMicroNetUsd5m')).map(({ t }) => (t - startMs) / MINUTE_MS);
    expect(micro.filter((m) => m < 4 || m >= after)).toEqual([]);
    expect(micro).toEqual(expect.arrayContaining([6, 9, 14]));
  });
});
