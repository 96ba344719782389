import { ManualClock, sleep } from '@crosstape/core';
import { type Publisher, readablePublishers } from '@crosstape/venues';
import { expect, it } from 'vitest';
import { readBackfill } from '../../platform/backfill-days.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { MemoryStore } from '../../store/testing/memory-store.ts';
import { backfillTopic } from '../../topics.ts';
import { Backfill } from '../backfill/backfill.ts';
import { CandleTable } from './candle-table.ts';
import { CandleTasks } from './candle-task.ts';
import type { OpenedMarket } from './opened-markets.ts';

const MINUTE_MS = 60_000;
const NOW = Date.UTC(2026, 10, 16, 12);
const COINS = 20;
const VENUES = 14;
/** What the simulator takes for an answer on a machine that is not busy. */
const ANSWER_MS = 20;
const LIMIT_MS = 15 * MINUTE_MS;

/** One request, in a venue's own weight units. */
interface Asked {
  readonly atMs: number;
  readonly weight: number;
}

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const publishers = readablePublishers.filter(({ connector }) => connector?.candles);

it('requests a year of hours of 20 coins from every venue within 15 minutes, no minute above its limit', async () => {
  const clock = new ManualClock(NOW);
  const bus = new LocalBus(clock);
  const store = new MemoryStore();
  const table = new CandleTable(store);
  const backfill = new Backfill({ bus, clock, log: silent });
  const days = readBackfill('1h:365') ?? { '1h': 0, '1m': 0 };
  const marketsOf = async (publisher: string): Promise<readonly OpenedMarket[]> =>
    Array.from({ length: COINS }, (_, i) => ({ id: `${publisher}:C${i}`, symbol: `C${i}` }) as OpenedMarket);
  for (const { id } of publishers)
    for (const market of await marketsOf(id))
      await table.commit([table.puttingState(market.id, { tapeFrom: NOW - 90 * MINUTE_MS, settledTo: NOW })]);
  const asked = new Map<string, Asked[]>();
  const tasks = new CandleTasks({ store, clock, days, marketsOf, inTurn: (work) => work() });
  for (const publisher of publishers) {
    const { candles, limits } = publisher.connector as NonNullable<Publisher['connector']>;
    if (!candles) continue;
    const requests: Asked[] = [];
    asked.set(publisher.id, requests);
    backfill.add(
      tasks.of({
        publisher,
        candles,
        weightPerMinute: limits.weightPerMinute,
        read: async (span) => {
          const { weight = candles.weight } = candles.request(span);
          requests.push({ atMs: clock.now(), weight });
          await sleep(clock, ANSWER_MS);
          // One candle of each answer is enough: what is counted are the requests.
          return [{ ts: span.fromMs, open: 1, high: 1, low: 1, close: 1, volume: '1' }];
        },
      }),
    );
  }
  backfill.start();
  const isDone = (): boolean => bus.latest(backfillTopic)?.message.isDone === true;
  while (!isDone() && clock.now() - NOW < LIMIT_MS) {
    clock.advance(ANSWER_MS);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const left = bus.latest(backfillTopic)?.message.marketsLeft;
  await backfill.stop();
  expect(left).toBe(0);
  expect(asked.size).toBe(VENUES);
  for (const { id, connector } of publishers)
    expect(mostInAMinute(asked.get(id) ?? []), id).toBeLessThanOrEqual(
      connector?.limits.weightPerMinute ?? 0,
    );
});

/** The most weight of the requests of any minute. */
function mostInAMinute(requests: readonly Asked[]): number {
  const within = (from: number): readonly Asked[] =>
    requests.filter(({ atMs }) => atMs >= from && atMs < from + MINUTE_MS);
  return Math.max(...requests.map(({ atMs }) => within(atMs).reduce((sum, { weight }) => sum + weight, 0)));
}
