import {
  DAY_MS,
  HOUR_MS,
  type HourAudit,
  ManualClock,
  MINUTE_MS,
  type Trade,
  type VenueCandle,
} from '@crosstape/core';
import { primaryVenue, type CandleSpan, type VenueCandles } from '@crosstape/venues';
import { beforeEach, expect, it, vi } from 'vitest';
import { SourceFailure } from '../../ingest/source-failure.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import type { LmdbStore } from '../../store/lmdb-store.ts';
import { storePerTest } from '../../store/testing/store-per-test.ts';
import { auditStateTopic, auditTopic, candlesTopic } from '../../topics.ts';
import type { Gap } from '../tape/gap-ledger.ts';
import type { OpenedMarket } from '../candles/opened-markets.ts';
import { AuditTable } from './audit-table.ts';
import { HourlyAudit } from './hourly-audit.ts';
import { RepairedTable } from './repaired-table.ts';
import { minutesOf, ticksOf, tradesFrom } from './testing/recorded-hour.ts';

const NOON = Date.UTC(2026, 10, 16, 12);
const DELAY_MS = 30_000;
const LATE = { timeout: 15_000, interval: 10 };
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const trades = tradesFrom(NOON - 4 * HOUR_MS, 6 * 60);

const place = storePerTest();
let store: LmdbStore;
beforeEach(() => {
  ({ store } = place);
});

function venueRows(rows: readonly Trade[], { fromMs, toMs }: CandleSpan): readonly VenueCandle[] {
  return minutesOf(rows)
    .filter(({ ts }) => ts >= fromMs && ts < toMs)
    .map(({ ts, open, high, low, close, volume, trades: count }) => ({
      ts,
      open,
      high,
      low,
      close,
      volume: String(volume),
      trades: count ?? 0,
    }));
}

/** A service that recorded `recorded`, of a venue that traded `trades`. */
class World {
  readonly clock = new ManualClock(NOON + DELAY_MS);
  readonly bus = new LocalBus(this.clock);
  readonly table = new AuditTable(store);
  readonly asked: CandleSpan[] = [];
  recorded = trades;
  recordedSinceMs = NOON - 3 * HOUR_MS;
  gaps: readonly Gap[] = [];
  failure: SourceFailure | undefined;
  isClockSure = true;
  readonly audit: HourlyAudit;

  constructor(symbols: readonly string[] = ['BTC'], weightPerMinute = 1_200, startShare?: number) {
    const { clock, bus } = this;
    const opened = () =>
      symbols.map((symbol) => ({
        id: `hyperliquid:${symbol}`,
        symbol,
        ticks: {
          tail: async () => [ticksOf(this.recorded)],
          newest: async () => undefined,
          newestNames: async () => [],
          chunks: async () => [],
          chunkIds: async () => [],
        },
        gaps: {
          gaps: async () => this.gaps,
          spans: async () => [{ from: 0, to: Number.MAX_SAFE_INTEGER }],
        },
        recordedSinceMs: this.recordedSinceMs,
      }));
    this.audit = new HourlyAudit({
      store,
      bus,
      clock,
      log: silent,
      keptFromMs: (keepMs) => (this.isClockSure ? this.clock.now() - keepMs : undefined),
      delayMs: DELAY_MS,
      ...(startShare !== undefined && { startShare }),
      marketsOf: async () => opened() as unknown as readonly OpenedMarket[],
    });
    this.audit.add({
      publisher: primaryVenue,
      candles: primaryVenue.connector?.candles as VenueCandles,
      weightPerMinute,
      read: async (span) => {
        this.asked.push(span);
        if (this.failure) throw this.failure;
        return venueRows(trades, span);
      },
    });
  }

  start(): void {
    this.audit.start();
    this.bus.publish(candlesTopic, { isCaughtUp: true });
  }

  hours(): Promise<readonly HourAudit[]> {
    return this.table.hours('hyperliquid:BTC', 0, Number.MAX_SAFE_INTEGER);
  }

  async until(count: number): Promise<readonly HourAudit[]> {
    await vi.waitUntil(async () => (await this.hours()).length >= count, { timeout: 10_000 });
    return this.hours();
  }
}

it('catches up with three hours at the start, and then compares each hour after its end', async () => {
  const world = new World();
  const published: unknown[] = [];
  world.bus.subscribe(auditTopic, ({ hour, verdict }) => published.push([hour, verdict]));
  world.start();
  const hours = [NOON - 3 * HOUR_MS, NOON - 2 * HOUR_MS, NOON - HOUR_MS];
  expect((await world.until(3)).map(({ hour, verdict }) => [hour, verdict])).toEqual(
    hours.map((hour) => [hour, 'equal']),
  );
  expect(world.asked).toMatchObject([{ fromMs: NOON - 3 * HOUR_MS, toMs: NOON }]);
  await vi.waitUntil(() => world.bus.latest(auditStateTopic)?.message.counts['hyperliquid']?.equal === 3);
  const day = NOON - (NOON % DAY_MS);
  await vi.waitUntil(async () => (await world.table.days(day, day + 1))[0]?.counts.equal === 3);
  world.clock.advance(HOUR_MS - 1);
  expect(world.asked).toHaveLength(1);
  await vi.waitUntil(async () => {
    world.clock.advance(1);
    return (await world.hours()).length === 4;
  }, LATE);
  expect(world.asked.at(-1)).toMatchObject({ fromMs: NOON, toMs: NOON + HOUR_MS });
  await vi.waitUntil(() => published.length === 4, LATE);
  await world.audit.stop();
});

it('reports an hour that differs, and keeps a gap that the tape reports apart from it', async () => {
  const world = new World();
  const lost = NOON - 30 * MINUTE_MS;
  world.recorded = trades.filter(({ ts }) => ts < lost || ts >= lost + MINUTE_MS);
  const gap = { coin: 'BTC', from: NOON - 2.5 * HOUR_MS, to: NOON - 2.4 * HOUR_MS } as const;
  world.gaps = [{ ...gap, state: 'partial', reason: 'test' }];
  world.start();
  const rows = await world.until(3);
  expect(rows.map(({ verdict }) => verdict)).toEqual(['incomplete', 'equal', 'differs']);
  expect(rows[2]?.minutes?.map(({ ts }) => ts)).toEqual([lost]);
  await vi.waitUntil(() => world.bus.latest(auditStateTopic)?.message.differing.length === 1);
  expect(world.bus.latest(auditStateTopic)?.message.differing).toMatchObject([
    { market: 'hyperliquid:BTC', hour: NOON - HOUR_MS },
  ]);
  await world.audit.stop();
});

it('keeps trades that the venue returns beside the tape, and is not degraded by a repaired hour', async () => {
  const world = new World();
  const lost = NOON - 30 * MINUTE_MS;
  const isLost = ({ ts }: Trade): boolean => ts >= lost && ts < lost + MINUTE_MS;
  world.recorded = trades.filter((trade) => !isLost(trade));
  const returned = trades.map(({ coin, ts, ...trade }) => ({ ...trade, symbol: coin, venueTs: ts }));
  world.audit.addPast('hyperliquid', async () => ({ trades: returned, isWhole: true }));
  world.start();
  const rows = await world.until(3);
  const missing = trades.filter(isLost);
  expect(rows[2]).toMatchObject({
    verdict: 'differs',
    refill: { trades: missing.length, isRepaired: true },
  });
  const repaired = await new RepairedTable(store).read('hyperliquid:BTC', 0, Number.MAX_SAFE_INTEGER);
  expect(repaired.map(({ tid }) => tid)).toEqual(missing.map(({ tid }) => tid));
  const day = NOON - (NOON % DAY_MS);
  await vi.waitUntil(async () => (await world.table.days(day, day + 1))[0]?.counts.differs === 1);
  await vi.waitUntil(() => world.bus.latest(auditStateTopic)?.message.counts['hyperliquid']?.differs === 1);
  await world.audit.stop();
  expect(world.bus.latest(auditStateTopic)?.message.differing).toEqual([]);
});

it('requests the minutes of a reported gap again, and keeps what the venue returns beside the tape', async () => {
  const world = new World();
  const lost = NOON - 30 * MINUTE_MS;
  const isLost = ({ ts }: Trade): boolean => ts >= lost && ts < lost + MINUTE_MS;
  world.recorded = trades.filter((trade) => !isLost(trade));
  world.gaps = [{ coin: 'BTC', from: lost, to: lost + MINUTE_MS, state: 'missing', reason: 'test' }];
  const returned = trades.map(({ coin, ts, ...trade }) => ({ ...trade, symbol: coin, venueTs: ts }));
  world.audit.addPast('hyperliquid', async () => ({ trades: returned, isWhole: true }));
  world.start();
  const rows = await world.until(3);
  const missing = trades.filter(isLost);
  expect(rows[2]).toMatchObject({
    verdict: 'incomplete',
    refill: { trades: missing.length, isRepaired: true },
  });
  const repaired = await new RepairedTable(store).read('hyperliquid:BTC', 0, Number.MAX_SAFE_INTEGER);
  expect(repaired.map(({ tid }) => tid)).toEqual(missing.map(({ tid }) => tid));
  await world.audit.stop();
});

it('requests nothing of the hour when recording began', async () => {
  const world = new World();
  const start = NOON - 2.5 * HOUR_MS;
  world.recordedSinceMs = start;
  world.recorded = trades.filter(({ ts }) => ts >= start);
  world.gaps = [{ coin: 'BTC', from: 0, to: start, state: 'missing', reason: 'test' }];
  const requested: unknown[] = [];
  world.audit.addPast('hyperliquid', async (gap) => {
    requested.push(gap);
    return { trades: [], isWhole: true };
  });
  world.start();
  const rows = await world.until(3);
  expect(rows.map(({ verdict }) => verdict)).toEqual(['incomplete', 'equal', 'equal']);
  expect(requested).toEqual([]);
  await world.audit.stop();
});

it('is unavailable while the venue does not answer, and compares the hour once it does', async () => {
  const world = new World();
  world.failure = new SourceFailure('down', 'The venue answered HTTP 503.');
  world.start();
  const rows = await world.until(3);
  expect(rows.map(({ verdict, reason }) => [verdict, reason])).toEqual(
    [1, 2, 3].map(() => ['unavailable', 'The venue answered HTTP 503.']),
  );
  world.failure = undefined;
  await vi.waitUntil(async () => {
    world.clock.advance(10 * MINUTE_MS);
    return (await world.hours()).filter(({ verdict }) => verdict === 'equal').length === 3;
  }, LATE);
  await world.audit.stop();
});

it('spends at most a twentieth of what the venue allows, and continues in the next hour', async () => {
  const symbols = Array.from({ length: 8 }, (_, i) => `C${i}`);
  // 5 % of 40 a minute are 120 an hour: five requests at 23, as long as 20 are left.
  const world = new World(symbols, 40);
  world.start();
  const isAudited = (markets: number) => () =>
    world.bus.latest(auditStateTopic)?.message.counts['hyperliquid']?.equal === 3 * markets;
  for (let market = 1; market <= 5; market += 1) {
    await vi.waitUntil(isAudited(market), LATE);
    world.clock.advance(3 * MINUTE_MS);
  }
  await vi.waitUntil(() => {
    world.clock.advance(MINUTE_MS);
    return world.asked.length > 5;
  }, LATE);
  expect(world.clock.now()).toBeGreaterThan(NOON + HOUR_MS);
  // Remaining hours come first.
  await vi.waitUntil(() => {
    world.clock.advance(MINUTE_MS);
    return world.asked.length > 7;
  }, LATE);
  expect(world.asked.slice(0, 8).map(({ market }) => market.symbol)).toEqual(symbols);
  await world.audit.stop();
});

it('catches up at the start as fast as the venue allows, where it may', async () => {
  const symbols = Array.from({ length: 8 }, (_, i) => `C${i}`);
  const world = new World(symbols, 1_200, 1);
  world.start();
  for (let market = 1; market <= symbols.length; market += 1) {
    const isAudited = (): boolean =>
      world.bus.latest(auditStateTopic)?.message.counts['hyperliquid']?.equal === 3 * market;
    await vi.waitUntil(isAudited, LATE);
    // A request of 23 takes 1,150 ms of 1,200 a minute.
    world.clock.advance(1_150);
  }
  await world.audit.stop();
});

it('requests the trades of at most five hours of a venue in one round', async () => {
  const symbols = Array.from({ length: 8 }, (_, i) => `C${i}`);
  const world = new World(symbols);
  const lost = [NOON - 30 * MINUTE_MS, NOON + 30 * MINUTE_MS];
  world.recorded = trades.filter(({ ts }) => !lost.includes(ts - (ts % MINUTE_MS)));
  let requests = 0;
  world.audit.addPast('hyperliquid', async () => {
    requests += 1;
    return { trades: [], isWhole: true };
  });
  world.start();
  for (const round of [1, 2]) {
    await vi.waitUntil(() => {
      world.clock.advance(30_000);
      const counts = world.bus.latest(auditStateTopic)?.message.counts['hyperliquid'];
      return counts?.differs === 8 * round;
    }, LATE);
    expect(requests).toBe(5 * round);
  }
  await world.audit.stop();
});

it('reads only the markets that changed when a day is summed up again', async () => {
  const table = new AuditTable(store);
  const day = NOON - (NOON % DAY_MS);
  const row = { hour: NOON, verdict: 'equal' } as const;
  const sum = { venue: 'okx', day, markets: new Map() };
  await table.put([{ ...row, market: 'a' } as HourAudit, { ...row, market: 'b' } as HourAudit]);
  await table.sumUp(sum, ['a', 'b']);
  const differs = { hour: NOON + HOUR_MS, verdict: 'differs', diffPct: 2 } as const;
  await table.put([{ ...differs, market: 'a' } as HourAudit, { ...differs, market: 'b' } as HourAudit]);
  await table.sumUp(sum, ['a']);
  expect(await table.days(day, day + 1)).toMatchObject([
    { counts: { equal: 2, differs: 1 }, worst: [{ market: 'a', hour: NOON + HOUR_MS }] },
  ]);
});

it('removes results and repaired trades after 90 days, and nothing while the time is not sure', async () => {
  const old = NOON - 91 * DAY_MS;
  const repaired = new RepairedTable(store);
  await repaired.put('hyperliquid:BTC', [{ ts: old, tid: 1, side: 'buy', price: 1, size: 1 }]);
  const left = () => repaired.read('hyperliquid:BTC', 0, NOON);
  const world = new World();
  world.isClockSure = false;
  world.start();
  // Known once the round is over.
  await vi.waitUntil(() => world.bus.latest(auditStateTopic)?.message.nextAtMs !== undefined, LATE);
  await world.audit.stop();
  expect(await left()).toHaveLength(1);
  const later = new World();
  later.start();
  await vi.waitFor(async () => expect(await left()).toHaveLength(0), LATE);
  await later.audit.stop();
});
