import { ManualClock, type MarketTrade, MINUTE_MS, seededRandom, type Trade } from '@crosstape/core';
import { type Fault, type Simulator, startSimulator } from '@crosstape/simulator';
import { primaryVenue, readablePublishers, spotVenues } from '@crosstape/venues';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Engine, startEngine } from '../../ingest/engine.ts';
import { quiet } from '../../ingest/testing/rig.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { MemoryStore } from '../../store/testing/memory-store.ts';
import { spansIn, stretchesOf } from '../candles/settle-candles.ts';
import { type Gap, GapLedger, gapName } from '../tape/gap-ledger.ts';
import { type MarketRecording, startMarketRecording } from './market-recording.ts';
import { venueFills } from './testing/venue-fills.ts';
import { coinsOfVenues } from '../../../../../test/world-coins.ts';

const UNREAD = 'frames of the venue could not be read';

/** Every trade feed of another than the primary venue under one fault after the other, against the simulated venues. */

const T0 = Date.UTC(2026, 10, 16, 14, 30);
const STEP_MS = 250;
/** The longest that missing trades are requested again, before some are lost for good. */
const SETTLE_MAX_MS = 600_000;
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
/** Without their other feeds: some carry the same trades, and trades sent only there would count as sent. */
const feeds = readablePublishers
  .filter(({ id, connector }) => id !== primaryVenue.id && connector?.marketTrades)
  .map((publisher) => ({
    ...publisher,
    ...(publisher.connector && { connector: { ...publisher.connector, feeds: [] } }),
  }));

/** OKX merges fills of one price into a trade, and the simulator counts fills: their sizes are compared. */
const mergingFeeds = ['okx', 'okx-spot'];

type AnyFault = Fault extends infer One ? (One extends Fault ? Omit<One, 'venue'> : never) : never;
const drop: AnyFault = { fault: 'drop', probability: 0.3 };
const restDown: AnyFault = { fault: 'status', status: 500, part: 'rest' };
const cut: AnyFault = { fault: 'cut', part: 'ws', probability: 0.2 };
/** On uncounted feeds, answers to later outages would contain some of what garbage and drops lose: they come last. */
const stages: readonly (readonly AnyFault[])[] = [
  [{ fault: 'duplicate', probability: 0.5 }],
  [{ fault: 'reorder', probability: 0.5 }],
  [cut],
  // Requests for missing trades are refused, or answered without the newest trades.
  [cut, { fault: 'refuse', part: 'rest' }],
  [cut, { fault: 'lag', lagMs: 5_000 }],
  [{ fault: 'garbage', part: 'ws', probability: 0.1 }],
];
/** Faults of counted feeds: for others the losses are unknown. */
const countedStages: readonly AnyFault[] = [
  drop,
  { fault: 'freeze', probability: 0.5 },
  // Skipped ids are not lost trades.
  { fault: 'jump', by: 500, probability: 0.2 },
];

interface Recorded {
  readonly trades: Trade[];
  readonly gaps: Map<string, Gap>;
}
interface Report {
  readonly made: number;
  readonly neverSent: number;
  readonly gaps: readonly { readonly fromId: number; readonly toId: number }[];
}

const store = new MemoryStore();
let clock: ManualClock;
let simulator: Simulator;
let engine: Engine;
let recording: MarketRecording;
let hadAll = false;
const recorded = new Map<string, Recorded>();

function of(id: string): Recorded {
  const known = recorded.get(id) ?? { trades: [], gaps: new Map<string, Gap>() };
  recorded.set(id, known);
  return known;
}

/** Whether no number is missing. */
function hasAll(): boolean {
  const gaps = [...recorded.values()].flatMap((market) => [...market.gaps.values()]);
  return gaps.every(({ missing = 0 }) => missing === 0);
}

async function run(forMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < forMs; passedMs += STEP_MS) {
    clock.advance(STEP_MS);
    await quiet(40);
  }
}

function strike(fault: AnyFault, struck = feeds): void {
  for (const { id } of struck) simulator.faults.add({ ...fault, venue: id } as Fault);
}

beforeAll(async () => {
  clock = new ManualClock(T0);
  const bus = new LocalBus(clock);
  const sources = [primaryVenue, ...feeds].map(({ id }) => id);
  simulator = await startSimulator({ port: 0, seed: 7, rate: 0.5, clock, coins: coinsOfVenues, sources });
  recording = startMarketRecording({
    choice: { patterns: [/:(pf_)?(xbt|btc)[-_/]?usdt?([-_]swap)?$/i] },
    clock,
    bus,
    log: silent,
    store,
    retentionDays: 7,
    keptFromMs: () => undefined,
    primaryVenue: primaryVenue.id,
    onTrade: ({ id }, trade) => of(id).trades.push(trade),
    onGap: (id, gap) => of(id).gaps.set(gapName(gap), gap),
  });
  engine = startEngine({
    venues: [primaryVenue, ...feeds],
    primaryVenue: primaryVenue.id,
    originsOf: ({ id }) => {
      const rest = `${simulator.url}/${id}`;
      return { rest, ws: rest.replace('http', 'ws') };
    },
    bus,
    clock,
    random: seededRandom(3),
    jobs: { run: () => Promise.reject(new Error('no workers here')), stop: async () => {} },
    log: silent,
    sink: () => undefined,
    markets: recording.open,
  });
  await run(10_000);
  for (const faults of stages) {
    for (const fault of faults) strike(fault);
    await run(6_000);
    simulator.faults.clear();
    // Sockets reconnect, and failed refills are requested again after ten seconds.
    await run(12_000);
  }
  const counted = feeds.filter(({ connector }) => connector?.marketTrades?.ids.counted !== undefined);
  for (const fault of countedStages) {
    strike(fault, counted);
    await run(4_000);
    simulator.faults.clear();
    // Failed refills are requested again after ten seconds, and skipped ids a second time.
    await run(14_000);
  }
  // An answer may be too late for its request on a busy machine: it is requested again after a minute, and later.
  for (let waitedMs = 0; !hasAll() && waitedMs < SETTLE_MAX_MS; waitedMs += 1_000) await run(1_000);
  hadAll = hasAll();
  // What is dropped now cannot be requested again.
  strike(drop);
  strike(restDown);
  await run(6_000);
  simulator.faults.clear();
  strike(restDown);
  // A loss shows with the next trade, and later trades wait for five seconds.
  await run(20_000);
  simulator.faults.clear();
});

afterAll(async () => {
  await engine.stop();
  await recording.stop();
  await simulator.close();
});

it.each(feeds.map((feed) => [feed.id, feed] as const))(
  '%s: the ledger counts exactly what was lost, and nothing is doubled',
  async (id, { venue = id, connector }) => {
    const isSpot = spotVenues.some((spot) => spot.id === id);
    const prefix = isSpot ? `${venue}-spot:` : `${venue}:`;
    const found = [...recorded].filter(([market]) => market.startsWith(prefix));
    expect(found.length).toBeGreaterThan(0);
    for (const [market, { trades, gaps }] of found) {
      const [fromMs, toMs] = [timeOf(trades[0] as Trade) + 1, clock.now() - 10_000];
      const { made, neverSent, gaps: neverSentIds } = await reported(id, market, fromMs, toMs);
      const seen = trades.filter((trade) => timeOf(trade) >= fromMs && timeOf(trade) < toMs);
      expect(new Set(trades.map((trade) => `${timeOf(trade)} ${trade.tid}`)).size).toBe(trades.length);
      const isCounted = connector?.marketTrades?.ids.counted !== undefined;
      if (!mergingFeeds.includes(id)) {
        // On an uncounted feed, an answer about the first garbage may have had what the garbage after it lost.
        const garbled = [...gaps.values()].filter(({ reason }) => reason === UNREAD);
        const spans = outside(isCounted ? [] : garbled, fromMs, toMs);
        for (const [from, to] of spans) {
          const span = await reported(id, market, from, to);
          const own = seen.filter((trade) => timeOf(trade) >= from && timeOf(trade) < to);
          expect({ from, to, trades: own.length }).toEqual({ from, to, trades: span.made - span.neverSent });
        }
        expect(seen.length).toBeLessThanOrEqual(made - neverSent);
      } else {
        const fills = await venueFills(`${simulator.url}/${id}`, connector!.marketTrades!, symbolOf(market), {
          fromMs,
          toMs,
        });
        expect(fills.length).toBe(made);
        const isLost = ({ tid }: MarketTrade): boolean =>
          neverSentIds.some(({ fromId, toId }) => fromId <= tid && tid <= toId);
        expect(sizeOf(seen)).toBeCloseTo(sizeOf(fills.filter((fill) => !isLost(fill))), 6);
      }
      if (!isCounted) {
        // Nothing proves that an outage has cost nothing.
        expect([...gaps.values()].filter(({ state }) => state === 'refilled')).toEqual([]);
        continue;
      }
      const missing = [...gaps.values()].reduce((sum, gap) => sum + (gap.missing ?? 0), 0);
      expect(missing).toBe(neverSent);
    }
  },
);

it('called no minute complete that has other trades than the venues made in it', async () => {
  for (const { id, venue = id, connector } of feeds) {
    if (connector?.marketTrades?.ids.counted === undefined || mergingFeeds.includes(id)) continue;
    const prefix = spotVenues.some((spot) => spot.id === id) ? `${venue}-spot` : venue;
    for (const [market, { trades }] of recorded) {
      if (!market.startsWith(`${prefix}:`)) continue;
      const ledger = new GapLedger(store, prefix);
      const symbol = symbolOf(market);
      for (let from = T0 + MINUTE_MS; from + MINUTE_MS < clock.now() - 10_000; from += MINUTE_MS) {
        const to = from + MINUTE_MS;
        const stretches = await stretchesOf(ledger, symbol, from, to);
        if (spansIn(stretches, ['missing', 'partial']).length > 0) continue;
        const own = trades.filter(({ ts }) => ts >= from && ts < to);
        expect({ market, from, trades: own.length }).toEqual({
          market,
          from,
          trades: (await reported(id, market, from, to)).made,
        });
        expect(own.filter((trade) => timeOf(trade) < from)).toEqual([]);
      }
    }
  }
});

it('had every number, or knew that the venue skipped it, as long as the venues answered', () => {
  expect(hadAll).toBe(true);
});

it('lost trades on most counted feeds, which the ledger counts', () => {
  const gaps = [...recorded.values()].flatMap((market) => [...market.gaps.values()]);
  expect(gaps.filter(({ missing = 0 }) => missing > 0).length).toBeGreaterThan(10);
  expect(gaps.filter(({ state }) => state === 'refilled').length).toBeGreaterThan(10);
});

/** Trades of a market that the simulated venue made but never sent. */
async function reported(venue: string, market: string, fromMs: number, toMs: number): Promise<Report> {
  const query = `market=${symbolOf(market)}&fromMs=${fromMs}&toMs=${toMs}`;
  const answer = await fetch(`${simulator.url}/sim/trades?venue=${venue}&${query}`);
  return ((await answer.json()) as { markets: readonly [Report] }).markets[0];
}

/** The times between gaps. */
function outside(gaps: readonly Gap[], fromMs: number, toMs: number): readonly (readonly [number, number])[] {
  const spans: [number, number][] = [];
  let from = fromMs;
  for (const gap of gaps.toSorted((a, b) => a.from - b.from)) {
    if (gap.from > from) spans.push([from, Math.min(gap.from, toMs)]);
    from = Math.max(from, gap.to);
  }
  if (from < toMs) spans.push([from, toMs]);
  return spans;
}

function symbolOf(market: string): string {
  return market.slice(market.indexOf(':') + 1);
}

function sizeOf(trades: readonly Pick<Trade, 'size'>[]): number {
  return trades.reduce((sum, { size }) => sum + size, 0);
}

function timeOf({ ts, venueTs = ts }: Trade): number {
  return venueTs;
}
