import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS, MINUTE_MS } from '@crosstape/core';
import { type Simulator, startSimulator, viewOfVenue } from '@crosstape/simulator';
import { aggregatedVenues, allPublishers, coinalyzeWith, liquidationAggregator } from '@crosstape/venues';
import { afterEach, describe, expect, it } from 'vitest';
import { type LiquidationReader, openLiquidations } from './liquidation-reader.ts';
import { startTestApi, type TestApi } from '../../api/testing/test-api.ts';
import type { Engine } from '../../ingest/engine.ts';
import { startSimulatedEngine } from '../../ingest/testing/simulated-engine.ts';
import { startLiquidations } from './liquidations.ts';
import type { Log } from '../../platform/log.ts';
import { LiquidationTable } from './liquidation-table.ts';
import { LmdbStore } from '../../store/lmdb-store.ts';
import { usdRatesTopic } from '../../topics.ts';
import { isLong } from '../../../../../test/long.ts';
import { coinsOfVenues } from '../../../../../test/world-coins.ts';

const SEED = 8;
/** Two minutes later the positions in ZEC are closed by force, eight of them within a minute. */
const START_MS = Date.UTC(2026, 10, 12, 13, 6);
const KEY = 'c0ffee-0123-secret';
const QUIET_TURNS = 15;
/** Clock steps for hours without delicate timing. */
const STRIDE_MS = 5_000;

interface Liquidated {
  readonly coin: string;
  readonly measured: { readonly longUsd: number; readonly shortUsd: number; readonly count: number };
  readonly venues: readonly string[];
  readonly aggregated?: readonly string[];
  readonly sinceTs?: number;
}

interface Reply {
  readonly rows: ReadonlyMap<string, Liquidated>;
  readonly source: string;
  /** Error by source. */
  readonly problems: ReadonlyMap<string, string>;
}

/** Some venues of the simulator, the engine, the record and the answers, on one clock. */
interface Chain {
  readonly api: TestApi;
  readonly simulator: Simulator;
  readonly logged: string[];
  strike(fault: object): Promise<void>;
  heal(): Promise<void>;
  pass(ms: number, stepMs?: number): Promise<void>;
  until(holds: (reported: Reply) => boolean, withinMs: number): Promise<Reply>;
  ask(search?: string): Promise<Reply>;
  close(): Promise<void>;
}

let chain: Chain;
afterEach(() => chain.close());

async function start(
  ids: readonly string[],
  { key, faults = [] }: { readonly key?: string; readonly faults?: readonly object[] } = {},
): Promise<Chain> {
  const folder = await mkdtemp(join(tmpdir(), 'crosstape-liquidations-'));
  const store = new LmdbStore(folder);
  const venues = aggregatedVenues.filter((id) => ids.includes(id));
  const aggregator = key === undefined ? undefined : { id: liquidationAggregator.id, venues };
  let reader: LiquidationReader | undefined;
  const api = await startTestApi({
    startMs: START_MS,
    liquidations: {
      totals: (isReplaced) => reader?.totals(isReplaced) ?? new Map(),
      connections: () => reader?.connections() ?? [],
      get wholeSinceMs() {
        return reader?.wholeSinceMs ?? 0;
      },
      ...(aggregator && { aggregator }),
    },
  });
  const { clock, bus } = api;
  const simulated = ['hyperliquid', 'okx', 'binance', 'gate', liquidationAggregator.id];
  const coins = [...coinsOfVenues, 'ZEC'];
  const simulator = await startSimulator({ port: 0, seed: SEED, clock, coins, sources: simulated });
  const logged: string[] = [];
  const note = (fields: object, message: string): void => {
    logged.push(
      `${JSON.stringify(fields, (_name, value: unknown) => (value instanceof Error ? `${value.stack} ${String(value.cause)}` : value))} ${message}`,
    );
  };
  const log: Log = { debug: note, info: note, warn: note, error: note };
  // No spot venue runs here.
  const rate = { rate: 1, asOfMs: clock.now(), isStale: false, venues: ['kraken'] };
  bus.publish(usdRatesTopic, { atMs: clock.now(), rates: { USDT: rate, USDC: rate }, failing: {} });
  const liquidations = await startLiquidations({
    keptFromMs: (keepMs) => clock.now() - keepMs,
    clock,
    bus,
    log,
    store,
    primaryVenue: 'hyperliquid',
  });
  reader = await openLiquidations({ clock, bus, log, table: new LiquidationTable(store) });
  const strike = async (fault: object): Promise<void> => {
    const answer = await fetch(`${simulator.url}/sim/faults`, {
      method: 'POST',
      body: JSON.stringify(fault),
    });
    if (!answer.ok) throw new Error(await answer.text());
  };
  for (const fault of faults) await strike(fault);
  const engine: Engine = startSimulatedEngine({
    url: simulator.url,
    venues: [
      ...allPublishers.filter(({ id }) => ids.includes(id)),
      ...(key === undefined ? [] : [coinalyzeWith(key)]),
    ],
    bus,
    clock,
    log,
    sink: liquidations.receive,
  });
  const pass = async (ms: number, stepMs = 250): Promise<void> => {
    for (let leftMs = ms; leftMs > 0; leftMs -= stepMs) {
      clock.advance(Math.min(stepMs, leftMs));
      for (let turn = 0; turn < QUIET_TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const ask = async (search = ''): Promise<Reply> => {
    const { body } = await api.get(`/perps/liquidations${search}`);
    const data = body.data as readonly Liquidated[];
    const sources = (body.meta['sources'] ?? []) as readonly { source: string; error: string }[];
    return {
      rows: new Map(data.map((row) => [row.coin, row])),
      source: String(body.meta['source']),
      problems: new Map(sources.map(({ source, error }) => [source, error])),
    };
  };
  return {
    api,
    simulator,
    logged,
    strike,
    heal: async () => {
      await fetch(`${simulator.url}/sim/faults`, { method: 'DELETE' });
    },
    pass,
    ask,
    async until(holds, withinMs) {
      for (let passedMs = 0; passedMs < withinMs; passedMs += 5_000) {
        const reported = await ask();
        if (holds(reported)) return reported;
        await pass(5_000);
      }
      throw new Error(`it did not come true within ${withinMs} ms: ${holds.toString()}`);
    },
    async close() {
      await engine.stop();
      await liquidations.stop();
      await simulator.close();
      await api.close();
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Dollars that the market closed by force on a venue in the last day, by coin. */
function truthOf(venue: string): Map<string, number> {
  const view = viewOfVenue(chain.simulator.market, venue);
  const nowMs = chain.api.clock.now();
  const sums = new Map<string, number>();
  for (const coin of view?.coins ?? []) {
    for (let fromMs = nowMs - DAY_MS; fromMs < nowMs; fromMs += MINUTE_MS) {
      for (const { price, size } of view?.liquidations(coin, fromMs, fromMs + MINUTE_MS) ?? [])
        sums.set(coin.name, (sums.get(coin.name) ?? 0) + price * size);
    }
  }
  return sums;
}

const usdOf = (row: Liquidated | undefined): number =>
  (row?.measured.longUsd ?? 0) + (row?.measured.shortUsd ?? 0);

describe('OKX', () => {
  const cut = async (): Promise<void> => {
    await chain.strike({ venue: 'okx', part: 'ws', fault: 'cut' });
    await chain.strike({ venue: 'okx', part: 'ws', fault: 'refuse' });
    await chain.pass(3 * MINUTE_MS);
    expect((await chain.ask()).problems.get('okx:liquidations')).toMatch(/is not connected/);
  };

  // Without a venue: ingest/feed-refill.test.ts.
  if (isLong) {
    it('has a day of before the first start, and a cut during a cascade loses nothing, once its past has caught up', async () => {
      chain = await start(['okx']);
      await chain.until(({ rows }) => rows.size > 5, 2 * MINUTE_MS);
      await cut();
      await chain.heal();
      // The REST API is 69 minutes behind: its data do not bridge the gap yet.
      await chain.pass(31 * MINUTE_MS, STRIDE_MS);
      const early = await chain.ask();
      expect(early.problems.get('okx:liquidations')).toMatch(/was not connected for/);
      await chain.pass(90 * MINUTE_MS, STRIDE_MS);
      await chain.until(
        ({ rows, problems }) =>
          problems.size === 0 && [...rows.values()].every((row) => row.sinceTs === undefined),
        5 * MINUTE_MS,
      );
      // An answer is reused for ten seconds.
      await chain.pass(12_000);
      const { rows } = await chain.ask();
      const truth = truthOf('okx');
      expect(truth.get('ZEC')).toBeGreaterThan(0);
      for (const [coin, usd] of truth) {
        // Venues count in contracts; the smallest is a few dollars.
        expect(Math.abs(usdOf(rows.get(coin)) - usd), coin).toBeLessThan(0.03 * usd + 20);
      }
      expect(chain.simulator.violations['okx']).toEqual({});
    });
  }

  it('keeps a gap when no source has the missed rows', async () => {
    chain = await start(['okx']);
    await chain.until(({ rows }) => rows.size > 5, 2 * MINUTE_MS);
    await cut();
    await chain.heal();
    await chain.strike({ venue: 'okx', part: 'rest', fault: 'status', status: 500 });
    const { problems } = await chain.until(
      ({ problems: reported }) => /not connected for/.test(reported.get('okx:liquidations') ?? ''),
      3 * MINUTE_MS,
    );
    expect(problems.get('okx:liquidations')).toBe(
      'The liquidation feed of okx was not connected for 3 of the last 1440 minutes.',
    );
    await chain.pass(4 * MINUTE_MS, 2_000);
    expect((await chain.ask()).problems.has('okx:liquidations')).toBe(true);
  });
});

describe('the aggregator', () => {
  const deaf = ['binance', 'gate'].map((venue) => ({ venue, part: 'ws', fault: 'status', status: 451 }));

  it('stands in for disconnected venues, coin by coin, and says so', async () => {
    chain = await start(['okx', 'binance', 'gate'], { key: KEY, faults: deaf });
    const reported = await chain.until(
      ({ rows }) => (rows.get('BTC')?.aggregated?.length ?? 0) === 3,
      10 * MINUTE_MS,
    );
    const btc = reported.rows.get('BTC');
    // OKX is connected, but its day is not complete before its history has caught up.
    const all = ['binance', 'gate', 'okx'];
    expect(btc).toMatchObject({ aggregated: all, venues: all });
    const truth = ['okx', 'binance', 'gate'].reduce(
      (sum, venue) => sum + (truthOf(venue).get('BTC') ?? 0),
      0,
    );
    expect(usdOf(btc) / truth).toBeCloseTo(1, 1);
    expect(reported.source).toContain('coinalyze');
    const alone = await chain.ask('?coins=BTC');
    expect(alone.problems.size).toBe(0);
    expect(chain.simulator.violations['coinalyze']).toEqual({});
  });

  it('is absent without a key: the disconnected venues are named', async () => {
    chain = await start(['okx', 'binance'], { faults: deaf });
    const { rows, source, problems } = await chain.until(
      ({ rows: reported }) => reported.size > 5,
      3 * MINUTE_MS,
    );
    expect([...rows.values()].some((row) => row.aggregated)).toBe(false);
    expect(source).not.toContain('coinalyze');
    expect(problems.get('binance:liquidations')).toMatch(/451/);
  });

  const failures = [
    { name: 'refuses the key', fault: { fault: 'status', status: 403 } },
    { name: 'cannot be reached', fault: { fault: 'refuse' } },
    // Without a venue: ingest/poller.test.ts.
    { name: 'talks nonsense', fault: { fault: 'garbage' } },
    { name: 'limits us', fault: { fault: 'status', status: 429 } },
  ];
  it.each(isLong ? failures : failures.slice(0, 2))(
    'is named when it $name, and the key appears nowhere',
    async ({ fault }) => {
      const faults = [...deaf, { venue: 'coinalyze', part: 'rest', ...fault }];
      chain = await start(['okx', 'binance'], { key: KEY, faults });
      const { problems } = await chain.until(
        ({ problems: reported }) => /\S/.test(reported.get('coinalyze:future-markets') ?? ''),
        2 * MINUTE_MS,
      );
      await chain.pass(MINUTE_MS, 1_000);
      const pages = await Promise.all(
        ['/metrics', '/healthz', '/readyz', '/api/v1/sources', '/api/v1/perps/liquidations'].map((url) =>
          chain.api.fetch(url),
        ),
      );
      const output = [...pages.map(({ text }) => text), ...problems.values(), ...chain.logged].join('\n');
      expect(chain.logged.length).toBeGreaterThan(0);
      expect(output).toContain('coinalyze');
      expect(output).not.toContain(KEY);
    },
  );
});
