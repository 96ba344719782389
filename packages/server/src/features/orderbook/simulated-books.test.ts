import {
  applyDelta,
  BOOK_LEVELS_MAX,
  type Book,
  type BookLevel,
  bookDelta,
  type BookSides,
  ManualClock,
} from '@crosstape/core';
import { type Simulator, startSimulator } from '@crosstape/simulator';
import { primaryVenue } from '@crosstape/venues';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LocalBus } from '../../platform/local-bus.ts';
import { bookTopic, followTopic, healthTopic } from '../../topics.ts';
import { BookKeeper } from './book-keeper.ts';
import type { Engine } from '../../ingest/engine.ts';
import { quiet } from '../../ingest/testing/rig.ts';
import { startSimulatedEngine } from '../../ingest/testing/simulated-engine.ts';

/** The connector of the primary venue against the simulated one, whose market knows every book of every moment. */

const T0 = Date.UTC(2026, 10, 16, 14, 30);
const STEP_MS = 100;
const TOP_LEVELS = 5;
const COINS = ['BTC', 'kPEPE', 'DOGE'];

let clock: ManualClock;
let bus: LocalBus;
let simulator: Simulator;
let engine: Engine;
let published: Book[];

beforeEach(async () => {
  clock = new ManualClock(T0);
  bus = new LocalBus(clock);
  simulator = await startSimulator({
    port: 0,
    seed: 5,
    rate: 3,
    clock,
    coins: COINS,
    sources: [primaryVenue.id],
  });
  published = [];
  for (const coin of COINS) bus.subscribe(bookTopic(coin), (book) => published.push(book));
  const keeper = new BookKeeper({ venue: primaryVenue.id, clock, bus });
  engine = startSimulatedEngine({
    url: simulator.url,
    venues: [primaryVenue],
    bus,
    clock,
    sink: keeper.receive,
  });
});

afterEach(async () => {
  await engine.stop();
  await simulator.close();
});

/** Lets time pass; followers renew their demand meanwhile. */
async function run(forMs: number, coins: readonly string[] = COINS): Promise<void> {
  for (let passedMs = 0; passedMs < forMs; passedMs += STEP_MS) {
    if (passedMs % 5_000 === 0 && coins.length > 0)
      bus.publish(followTopic, { venue: primaryVenue.id, feed: 'books', coins });
    clock.advance(STEP_MS);
    await quiet(6);
  }
}

function marketBook(coin: string, atMs: number): BookSides {
  const { bids, asks } = simulator.market.book(coin, atMs, BOOK_LEVELS_MAX);
  const levels = (side: typeof bids): BookLevel[] =>
    side.map(({ price, size, orders }) => [price, size, orders]);
  return { bids: levels(bids), asks: levels(asks) };
}

/** The expected book, from the market alone and the publication times. */
function expected({ coin, ts, deepTs }: Book): BookSides {
  const top = marketBook(coin, ts);
  if (ts === deepTs) return top;
  const deep = deepTs === undefined ? { bids: [], asks: [] } : marketBook(coin, deepTs);
  const side = (name: 'bids' | 'asks', sign: number): BookLevel[] => {
    const best = top[name].slice(0, TOP_LEVELS);
    const worst = best[TOP_LEVELS - 1]![0];
    const below = deep[name].filter(([price]) => sign * price > sign * worst);
    return [...best, ...below].slice(0, BOOK_LEVELS_MAX);
  };
  return { bids: side('bids', -1), asks: side('asks', 1) };
}

/** Every book matches the market, and deltas lead from each to the next. */
function check(books: readonly Book[]): void {
  for (const coin of COINS) {
    let followed: BookSides | undefined;
    let before: BookSides | undefined;
    for (const book of books) {
      if (book.coin !== coin) continue;
      const now = { bids: book.bids, asks: book.asks };
      expect(now).toEqual(expected(book));
      followed = followed && before ? applyDelta(followed, bookDelta(before, now)) : now;
      expect(followed).toEqual(now);
      before = now;
    }
    expect(followed).toBeDefined();
  }
}

const status = (): string | undefined =>
  bus.latest(healthTopic(primaryVenue.id))?.message.find(({ gives }) => gives.includes('books'))?.status;

async function subscriptions(): Promise<number> {
  const sim = (await (await fetch(`${simulator.url}/sim`)).json()) as {
    venues: Record<string, { subscriptions: number }>;
  };
  return sim.venues[primaryVenue.id]!.subscriptions;
}

describe('the books of the simulated venue', () => {
  test('are published as its market has them, best levels twice a second, and deltas lead from each to the next', async () => {
    await run(90_000);
    check(published);
    for (const coin of COINS) {
      const books = published.filter((book) => book.coin === coin);
      expect(books.length).toBeGreaterThan(140);
      const settled = books.slice(5);
      expect(settled.filter(({ bids, asks }) => bids.length < 10 && asks.length < 10)).toEqual([]);
      expect(Math.max(...settled.map(({ ts, deepTs = 0 }) => ts - deepTs))).toBeLessThan(6_000);
    }
    expect(status()).toBe('ok');
    expect(simulator.violations[primaryVenue.id]).toEqual({});
  });

  test('are rebuilt after the venue has cut the connection, and contain nothing older', async () => {
    await run(20_000);
    const before = published.length;
    const cutMs = clock.now();
    simulator.faults.add({ venue: primaryVenue.id, fault: 'cut', part: 'ws', forMs: 3_000 });
    await run(30_000);
    const lost = published.slice(before).filter(({ stale }) => stale);
    expect(new Set(lost.map(({ coin }) => coin))).toEqual(new Set(COINS));
    const after = published.slice(published.findLastIndex(({ stale }) => stale) + 1);
    expect(after.length).toBeGreaterThan(50);
    check(after);
    for (const { deepTs = cutMs } of after) expect(deepTs).toBeGreaterThanOrEqual(cutMs);
    expect(status()).toBe('ok');
  });

  test('are called stale when the venue falls silent, and so is the feed', async () => {
    await run(20_000);
    simulator.faults.add({ venue: primaryVenue.id, fault: 'freeze', part: 'ws' });
    await run(30_000);
    for (const coin of COINS) expect(bus.latest(bookTopic(coin))?.message.stale).toBe(true);
    expect(status()).not.toBe('ok');
  });

  test('cost the venue nothing when they have no followers any more', async () => {
    await run(5_000, []);
    const trades = await subscriptions();
    await run(10_000);
    expect(await subscriptions()).toBe(trades + 2 * COINS.length);
    await run(30_000, []);
    expect(await subscriptions()).toBe(trades);
    const count = published.length;
    await run(5_000, []);
    expect(published).toHaveLength(count);
  });
});
