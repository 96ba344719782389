import { decodeIds, decodeTicks, ManualClock, seededRandom } from '@crosstape/core';
import { type Simulator, startSimulator } from '@crosstape/simulator';
import { primaryVenue, type Publisher, readablePublishers, spotVenues } from '@crosstape/venues';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Engine, startEngine } from '../../ingest/engine.ts';
import { quiet } from '../../ingest/testing/rig.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import type { Store } from '../../store/store.ts';
import { MemoryStore } from '../../store/testing/memory-store.ts';
import { gunzipChunk } from '../tape/chunk-gzip.ts';
import { type Gap, GapLedger } from '../tape/gap-ledger.ts';
import { TickTable } from '../tape/tick-table.ts';
import { type MarketRecording, startMarketRecording } from './market-recording.ts';
import { MarketTable } from './market-table.ts';
import { isLong } from '../../../../../test/long.ts';

/**
 * Trade feeds of other than the primary venue when the ingest thread crashes and another takes its place: once
 * while the venues answer for the time in between, and once while they do not.
 */

const T0 = Date.UTC(2026, 10, 16, 14, 30);
const STEP_MS = 250;
/** More is traded than a venue sends of the past on a subscription. */
const LONG_MS = 600_000;
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const allFeeds = readablePublishers.filter(
  ({ id, connector }) => id !== primaryVenue.id && connector?.marketTrades,
);
/** How trades are numbered, and whether past ones can be requested: that is what a crash depends on. */
const kindOf = ({ connector }: Publisher): string => {
  const { ids, past } = connector?.marketTrades ?? {};
  return `${ids?.counted} ${past !== undefined}`;
};
/** One feed of each kind; with `LONG=1`, all. */
const feeds = allFeeds.filter(
  (feed, i) => isLong || allFeeds.findIndex((other) => kindOf(other) === kindOf(feed)) === i,
);
/** OKX merges fills of one price into a trade, and the simulator counts fills. */
const mergingFeeds = ['okx', 'okx-spot'];
/** Also followed by the flow feed: trades sent only there count as sent. */
const sharedMarket = 'coinbase-spot:BTC-USD';

interface Report {
  readonly made: number;
}

let clock: ManualClock;
let simulator: Simulator;
let life: Life;
const store = new MemoryStore();
/** When each life ended, and the next began. */
const crashes: { readonly fromMs: number; readonly toMs: number }[] = [];

/** One ingest thread. After its crash nothing pending is written. */
class Life {
  #hasCrashed = false;
  readonly #engine: Engine;
  readonly #recording: MarketRecording;

  constructor() {
    const bus = new LocalBus(clock);
    const own: Store = {
      table: store.table.bind(store) as Store['table'],
      commit: (changes) => (this.#hasCrashed ? new Promise(() => {}) : store.commit(changes)),
      probe: () => store.probe(),
      close: () => store.close(),
    };
    this.#recording = startMarketRecording({
      choice: { patterns: [/:(pf_)?(xbt|btc)[-_/]?usdt?([-_]swap)?$/i] },
      clock,
      bus,
      log: silent,
      store: own,
      retentionDays: 7,
      keptFromMs: () => undefined,
      primaryVenue: primaryVenue.id,
      onTrade: () => undefined,
      onGap: () => undefined,
    });
    this.#engine = startEngine({
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
      markets: this.#recording.open,
    });
  }

  async crash(): Promise<void> {
    this.#hasCrashed = true;
    await this.#engine.stop();
  }

  async stop(): Promise<void> {
    await this.#engine.stop();
    await this.#recording.stop();
  }
}

async function run(forMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < forMs; passedMs += STEP_MS) {
    clock.advance(STEP_MS);
    await quiet(12);
  }
}

async function crash(downMs: number): Promise<void> {
  const fromMs = clock.now();
  await life.crash();
  clock.advance(downMs);
  crashes.push({ fromMs, toMs: clock.now() });
  life = new Life();
}

beforeAll(async () => {
  clock = new ManualClock(T0);
  const sources = [primaryVenue, ...feeds].map(({ id }) => id);
  simulator = await startSimulator({ port: 0, seed: 7, rate: 0.5, clock, coins: ['BTC', 'ETH'], sources });
  life = new Life();
  await run(15_000);
  await crash(8_000);
  await run(25_000);
  // The venues list their markets, and have no trades of the time in between.
  for (const { id } of feeds) simulator.faults.add({ fault: 'lag', lagMs: 3_600_000, venue: id });
  await crash(LONG_MS);
  await run(25_000);
  await life.stop();
});

afterAll(() => simulator.close());

/** The venue's times of the recorded trades. */
async function recordedTimes(prefix: string, symbol: string): Promise<readonly number[]> {
  const table = new TickTable(store, prefix);
  const all = [symbol, 0, Number.MAX_SAFE_INTEGER, 1_000] as const;
  const ids = await table.chunkIds(...all);
  const sealed = (await table.chunks(...all)).map(({ data }, i) => ({
    columns: decodeTicks(gunzipChunk(data)),
    ids: decodeIds(gunzipChunk(ids[i]!.data)),
  }));
  return [...sealed, ...(await table.tail(symbol))].flatMap((piece) =>
    Array.from({ length: piece.columns.length }, (_, i) => piece.columns.ts[i]! - piece.ids.lateMs[i]!),
  );
}

/** The gaps of a market that overlap the time without an ingest thread. */
async function gapsOf(prefix: string, symbol: string, nth: number): Promise<readonly Gap[]> {
  const { fromMs, toMs } = crashes[nth]!;
  return new GapLedger(store, prefix).gaps(symbol, fromMs, toMs);
}

it.each(feeds.map((feed) => [feed.id, feed] as const))(
  '%s: what a crash cost is in the ledger, exactly where trades are counted',
  async (id, { venue = id, connector }) => {
    const isSpot = spotVenues.some((spot) => spot.id === id);
    const prefix = isSpot ? `${venue}-spot` : venue;
    const markets = (await new MarketTable(store).all()).filter(
      (one) => one.id.startsWith(`${prefix}:`) && one.id !== sharedMarket,
    );
    expect(markets.length).toBeGreaterThan(0);
    const feed = connector?.marketTrades;
    for (const { symbol } of markets) {
      const times = await recordedTimes(prefix, symbol);
      const [first] = await gapsOf(prefix, symbol, 0);
      const [second] = await gapsOf(prefix, symbol, 1);
      expect(first).toMatchObject({ reason: 'the service was not running' });
      expect(second).toMatchObject({ reason: 'the service was not running' });
      const [fromMs, toMs] = [times[0]! + 1, clock.now() - 10_000];
      const query = `market=${symbol}&fromMs=${fromMs}&toMs=${toMs}`;
      const answer = await fetch(`${simulator.url}/sim/trades?venue=${id}&${query}`);
      const [{ made }] = ((await answer.json()) as { markets: readonly [Report] }).markets;
      const recorded = times.filter((ms) => ms >= fromMs && ms < toMs).length;
      const gaps = await new GapLedger(store, prefix).gaps(symbol, 0, Number.MAX_SAFE_INTEGER);
      const missing = gaps.reduce((sum, gap) => sum + (gap.missing ?? 0), 0);
      // A feed without past trades cannot fill any gap.
      if (!feed?.past) expect(first?.state).toBe('missing');
      else if (feed.ids.counted === undefined) expect(first?.state).toBe('partial');
      else expect(first).toMatchObject({ state: 'refilled', missing: 0 });
      // Some venues send all of it again on a subscription.
      if (recorded < made) expect(second?.state).not.toBe('refilled');
      if (feed?.ids.counted === 'tid' && !mergingFeeds.includes(id)) expect(recorded + missing).toBe(made);
      // Numbers that are not ids are not recorded, so after a long time the count begins again.
      if (feed?.ids.counted === 'seq') expect(second).toMatchObject({ state: 'partial', method: 'socket' });
    }
  },
);

it('lost trades on most feeds, and counts them where they have numbers', async () => {
  let counted = 0;
  for (const { id, symbol } of await new MarketTable(store).all())
    for (const { missing = 0 } of await gapsOf(id.slice(0, id.indexOf(':')), symbol, 1))
      if (missing > 100) counted += 1;
  expect(counted).toBeGreaterThan(isLong ? 4 : 0);
});
