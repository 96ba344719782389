import { HOUR_MS, ManualClock, MINUTE_MS, sleep, type VenueCandle } from '@crosstape/core';
import { startSimulator } from '@crosstape/simulator';
import { type CandleSpan, type Publisher, readablePublishers, type VenueCandles } from '@crosstape/venues';
import { expect, it } from 'vitest';
import { LocalBus } from '../../platform/local-bus.ts';
import { MemoryStore } from '../../store/testing/memory-store.ts';
import { backfillTopic } from '../../topics.ts';
import { Backfill } from '../backfill/backfill.ts';
import { CandleTable, hourLevel } from './candle-table.ts';
import { CandleTasks } from './candle-task.ts';
import type { OpenedMarket } from './opened-markets.ts';

const YEAR_DAYS = 365;
const isLong = process.env.LONG === '1';
/** Days of history; the year of all coins takes two minutes of the simulator's time. */
const DAYS = isLong ? YEAR_DAYS : 5;
const NOW = Date.UTC(2026, 10, 16, 12);
const TAPE_FROM = NOW - 90 * MINUTE_MS;
const TAPE_HOUR = NOW - 2 * HOUR_MS;
const VENUES = 14;
/** Time per answer of the simulator on an idle machine: 23 ms on average. */
const ANSWER_MS = 30;
const LIMIT_MS = 15 * MINUTE_MS;

/** One request, in a venue's own weight units. */
interface Asked {
  readonly atMs: number;
  readonly weight: number;
}

const coins =
  'BTC ETH SOL XRP HYPE DOGE SUI ENA LINK BNB AVAX ADA AAVE LTC ZEC WLD FARTCOIN TAO WIF NEAR'.split(' ');
const requested = isLong ? coins : ['BTC'];
const asTether = (coin: string): string => `${coin}USDT`;
/** How the venues spell the market of a coin. */
const symbols: Readonly<Record<string, (coin: string) => string>> = {
  hyperliquid: (coin) => coin,
  binance: asTether,
  bybit: asTether,
  okx: (coin) => `${coin}-USDT-SWAP`,
  bitget: asTether,
  gate: (coin) => `${coin}_USDT`,
  mexc: (coin) => `${coin}_USDT`,
  dydx: (coin) => `${coin}-USD`,
  kraken: (coin) => `PF_${coin === 'BTC' ? 'XBT' : coin}USD`,
  coinbase: (coin) => `${coin}-USD`,
  'binance-spot': asTether,
  'kraken-spot': (coin) => KRAKEN_KEYS[coin] ?? `${coin}USD`,
  'okx-spot': (coin) => `${coin}-USDT`,
  'bybit-spot': asTether,
};
const KRAKEN_KEYS: Readonly<Record<string, string>> = {
  BTC: 'XXBTZUSD',
  ETH: 'XETHZUSD',
  LTC: 'XLTCZUSD',
  XRP: 'XXRPZUSD',
  ZEC: 'XZECZUSD',
  DOGE: 'XDGUSD',
};

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const publishers = readablePublishers.filter(({ connector }) => connector?.candles);

interface Requested {
  readonly clock: ManualClock;
  readonly table: CandleTable;
  /** Symbols of the markets of a publisher, and how they are spelled in requests where that differs. */
  readonly symbolsOf: (publisher: string) => readonly Pick<OpenedMarket, 'symbol' | 'restSymbol'>[];
  readonly store: MemoryStore;
  readonly days: number;
  readonly read: (publisher: Publisher, span: CandleSpan) => Promise<readonly VenueCandle[]>;
  /** What the clock waits for. */
  readonly underWay?: () => Promise<unknown> | undefined;
}

/** Runs the back-fill of hours until it is done; returns how many markets are left when it is not in time. */
async function requestHours({
  clock,
  days,
  table,
  store,
  symbolsOf,
  read,
  underWay,
}: Requested): Promise<number | undefined> {
  const bus = new LocalBus(clock);
  const backfill = new Backfill({ bus, clock, log: silent });
  const marketsOf = async (publisher: string): Promise<readonly OpenedMarket[]> =>
    symbolsOf(publisher).map((one) => ({ ...one, id: `${publisher}:${one.symbol}` }) as OpenedMarket);
  for (const { id } of publishers)
    for (const market of await marketsOf(id))
      await table.commit([table.puttingState(market.id, { tapeFrom: TAPE_FROM, settledTo: NOW })]);
  const backfillDays = { '1h': days, '1m': 0 };
  const tasks = new CandleTasks({ store, clock, days: backfillDays, marketsOf, inTurn: (work) => work() });
  for (const publisher of publishers) {
    const { candles, limits } = publisher.connector as NonNullable<Publisher['connector']>;
    if (!candles) continue;
    const { weightPerMinute } = limits;
    backfill.add(tasks.of({ publisher, candles, weightPerMinute, read: (span) => read(publisher, span) }));
  }
  backfill.start();
  const isDone = (): boolean => bus.latest(backfillTopic)?.message.isDone === true;
  while (!isDone() && clock.now() - NOW < LIMIT_MS) {
    await underWay?.();
    clock.advance(ANSWER_MS);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const left = bus.latest(backfillTopic)?.message.marketsLeft;
  await backfill.stop();
  return left;
}

it('requests a year of hours of 20 coins from every venue within 15 minutes, no minute above its limit', async () => {
  const clock = new ManualClock(NOW);
  const store = new MemoryStore();
  const asked = new Map<string, Asked[]>(publishers.map(({ id }) => [id, []]));
  const left = await requestHours({
    days: YEAR_DAYS,
    clock,
    store,
    table: new CandleTable(store),
    symbolsOf: () => coins.map((symbol) => ({ symbol })),
    read: async ({ id, connector }, span) => {
      const { weight = connector?.candles?.weight ?? 0 } = connector?.candles?.request(span) ?? {};
      asked.get(id)?.push({ atMs: clock.now(), weight });
      await sleep(clock, ANSWER_MS);
      // One candle per answer is enough: the test counts requests.
      return [{ ts: span.fromMs, open: 1, high: 1, low: 1, close: 1, volume: '1' }];
    },
  });
  expect(left).toBe(0);
  expect(asked.size).toBe(VENUES);
  for (const { id, connector } of publishers) {
    expect(asked.get(id)?.length, id).toBeGreaterThanOrEqual(coins.length);
    expect(mostInAMinute(asked.get(id) ?? []), id).toBeLessThanOrEqual(
      connector?.limits.weightPerMinute ?? 0,
    );
  }
});

it(
  `stores ${DAYS} days of hours of ${requested.length} coins of every simulated venue within 15 minutes, which counts no request too many`,
  async () => {
    const clock = new ManualClock(NOW);
    const traded = isLong ? { rate: 1 } : { rate: 0.05, coins: requested };
    const simulator = await startSimulator({ port: 0, seed: 5, clock, ...traded });
    const store = new MemoryStore();
    const table = new CandleTable(store);
    const requests = new Set<Promise<unknown>>();
    const read: Requested['read'] = async ({ id, connector }, span) => {
      const candles = connector?.candles as VenueCandles;
      const { method, path, headers = {}, body } = candles.request(span);
      // The clock pauses until all answers have arrived, so that the load of the machine does not matter.
      const request = fetch(`${simulator.url}/${id}${path}`, {
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }).then((response) => response.json());
      requests.add(request);
      const answer = await request.finally(() => requests.delete(request));
      await sleep(clock, ANSWER_MS);
      return candles.parse(answer, span).candles;
    };
    try {
      const symbolsOf = (publisher: string) =>
        requested.map((coin) => {
          const symbol = symbols[publisher]?.(coin) ?? '';
          return { symbol, ...(publisher === 'kraken-spot' && { restSymbol: symbol }) };
        });
      const underWay = (): Promise<unknown> => Promise.allSettled(requests);
      expect(await requestHours({ days: DAYS, clock, store, table, symbolsOf, read, underWay })).toBe(0);
      for (const { id, connector } of publishers)
        for (const { symbol } of symbolsOf(id)) {
          const market = `${id}:${symbol}`;
          const blocks = await table.newestBlocks(hourLevel, market, 0, NOW, 1_000);
          const stored = blocks.toReversed().flatMap(({ candles }) => candles.map(({ ts }) => ts));
          const hours = Math.min(
            DAYS * 24,
            connector?.candles?.newestMax?.['1h'] ?? Number.POSITIVE_INFINITY,
          );
          // The oldest hour has begun before, and the newest are recorded.
          expect(stored.length, market).toBeGreaterThanOrEqual(hours - 6);
          expect(stored, market).toEqual(stored.map((_, i) => TAPE_HOUR - (stored.length - i) * HOUR_MS));
        }
      for (const [venue, broken] of Object.entries(simulator.violations)) expect(broken, venue).toEqual({});
    } finally {
      await simulator.close();
    }
  },
  isLong ? 1_800_000 : undefined,
);

/** The most weight of the requests of any minute. */
function mostInAMinute(requests: readonly Asked[]): number {
  let [most, sum, first] = [0, 0, 0];
  for (const { atMs, weight } of requests) {
    sum += weight;
    for (; requests[first]!.atMs <= atMs - MINUTE_MS; first += 1) sum -= requests[first]!.weight;
    most = Math.max(most, sum);
  }
  return most;
}
