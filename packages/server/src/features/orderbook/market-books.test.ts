import { type Book, type BookLevel, coinUnitsOf, ManualClock, type Market } from '@crosstape/core';
import { type Fault, type Simulator, startSimulator } from '@crosstape/simulator';
import { primaryVenue, type Publisher, readablePublishers } from '@crosstape/venues';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../ingest/engine.ts';
import { quiet } from '../../ingest/testing/rig.ts';
import { startSimulatedEngine } from '../../ingest/testing/simulated-engine.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { bookTopic, followTopic } from '../../topics.ts';
import { MarketBooks } from './market-books.ts';

/** The book feeds of all other venues against the simulated ones, under one fault after the other. */

const T0 = Date.UTC(2026, 10, 16, 14, 30);
const STEP_MS = 200;
const LEVELS = 20;
const feeds = readablePublishers.filter(({ connector }) => connector?.marketBooks);
/** Their messages have no number: lost ones are not detected. TCP loses nothing. */
const unnumbered = ['gate', 'coinbase'];
const numbered = ['bybit', 'okx', 'bitget', 'dydx', 'kraken', 'kraken-spot'];
/** Each of them is 0.2 s. */
const FAULTY_STEPS = 15;
const PATIENCE_STEPS = 150;
/** The newest published book is one of as many that were sent last. */
const RECENT_BOOKS = 4;

let clock: ManualClock;
let bus: LocalBus;
let simulator: Simulator;
let engine: Engine;
/** The followed market of each publisher, and its published books. */
const markets = new Map<string, Market>();
const published = new Map<string, Book[]>();
const listedOnce = new Set<string>();

beforeAll(async () => {
  clock = new ManualClock(T0);
  bus = new LocalBus(clock);
  const sources = [primaryVenue, ...feeds].map(({ id }) => id);
  simulator = await startSimulator({
    port: 0,
    seed: 5,
    rate: 0.2,
    clock,
    coins: ['BTC', 'ETH', 'kPEPE'],
    sources,
  });
  engine = startSimulatedEngine({
    url: simulator.url,
    venues: [primaryVenue, ...feeds].map(withListsOnly),
    bus,
    clock,
    books: (feed) => {
      const books = new MarketBooks({ feed, clock, bus });
      const { id } = feed.publisher;
      const listed = (all: readonly Market[]): void => {
        books.listed(all);
        const market = all.find(({ coin, quote }) => coin === 'kPEPE' && quote !== 'USDC') ?? all[0];
        if (!market || listedOnce.has(id)) return;
        listedOnce.add(id);
        markets.set(id, market);
        bus.subscribe(bookTopic(market.id), (book) => of(id).push(book));
      };
      return { receive: books.receive, listed };
    },
  });
  await untilNone(() => idsOf((id) => of(id).length < 2));
});

afterAll(async () => {
  await engine.stop();
  await simulator.close();
});

function of(id: string): Book[] {
  const known = published.get(id) ?? [];
  published.set(id, known);
  return known;
}

/** The same without anything unrelated to books. */
function withListsOnly(publisher: Publisher): Publisher {
  const { connector } = publisher;
  if (!connector) return publisher;
  const isList = ({ gives }: { readonly gives: readonly string[] }): boolean =>
    gives.includes('instruments') || gives.includes('spotTickers');
  return {
    ...publisher,
    connector: { ...connector, resources: connector.resources.filter(isList), lookups: [], feeds: [] },
  };
}

let steps = 0;
type SentBook = ReturnType<Simulator['book']>;
/** The last books that each simulated venue sent, and their text once it was compared. */
const recent = new Map<string, { readonly book: SentBook; text?: string }[]>();

/** Lets time pass while the books are followed. */
async function step(): Promise<void> {
  if (steps % 20 === 0)
    for (const [venue, { symbol }] of markets)
      bus.publish(followTopic, { venue, feed: 'market-books', coins: [symbol] });
  steps += 1;
  clock.advance(STEP_MS);
  await quiet(6);
  for (const [id, { symbol }] of markets) {
    const book = simulator.book(id, symbol);
    recent.set(id, [...(recent.get(id) ?? []), { book }].slice(-RECENT_BOOKS));
  }
}

/** Lets time pass until the list is empty. */
async function untilNone(left: () => readonly string[]): Promise<void> {
  for (let i = 0; i < PATIENCE_STEPS && left().length > 0; i += 1) await step();
  expect(left()).toEqual([]);
}

const idsOf = (isLeft: (id: string) => boolean): readonly string[] =>
  feeds.flatMap(({ id }) => (isLeft(id) ? id : []));

/** The best levels that a simulated venue sent, in coins, as text. */
function textOf(id: string, sent: SentBook): string {
  const units = coinUnitsOf(markets.get(id) as Market);
  const levels = (side: readonly (readonly [string, string, number])[] = []): readonly BookLevel[] =>
    side
      .slice(0, LEVELS)
      .map(([price, size]) => [units.price(Number(price)), units.size(Number(size)), 0] as const);
  return JSON.stringify({ bids: levels(sent?.bids), asks: levels(sent?.asks) });
}

/** Whether the newest published book was sent lately. Numbers of orders, which few venues send, are left out. */
function isSame(id: string): boolean {
  const book = of(id).at(-1);
  const plain = (side: readonly BookLevel[]) => side.map(([price, size]) => [price, size, 0] as const);
  const text = book && JSON.stringify({ bids: plain(book.bids), asks: plain(book.asks) });
  if (text === undefined || book?.stale) return false;
  return (recent.get(id) ?? []).some((one) => (one.text ??= textOf(id, one.book)) === text);
}

const strike = (fault: object, ids: readonly Publisher[] = feeds): void => {
  for (const { id } of ids) simulator.faults.add({ ...fault, venue: id, part: 'ws' } as Fault);
};

it('has a book of every venue whose trades are recorded', () => {
  const traded = readablePublishers.filter(({ connector }) => connector?.marketTrades);
  expect(feeds.map(({ id }) => id)).toEqual(traded.map(({ id }) => id));
});

describe.each([
  ['nothing', []],
  ['doubled frames', [{ fault: 'duplicate', probability: 0.5 }]],
  ['lost connections', [{ fault: 'cut', probability: 0.05 }]],
  ['noise', [{ fault: 'garbage', probability: 0.1 }]],
])('under %s', (_, faults) => {
  it('publishes the books that the venues sent', async () => {
    for (const fault of faults) strike(fault);
    for (let i = 0; i < FAULTY_STEPS; i += 1) await step();
    simulator.faults.clear();
    await untilNone(() => idsOf((id) => !isSame(id)));
  });
});

it('begins a book again when a numbered message is missing', async () => {
  strike(
    { fault: 'drop', probability: 0.3 },
    feeds.filter(({ id }) => !unnumbered.includes(id)),
  );
  for (let i = 0; i < FAULTY_STEPS; i += 1) await step();
  simulator.faults.clear();
  await untilNone(() => idsOf((id) => !unnumbered.includes(id) && !isSame(id)));
  const restarted = numbered.filter((id) => of(id).some(({ stale }) => stale));
  expect(restarted).toEqual(numbered);
});

it('never publishes a crossed or unsorted book, nor more than 20 levels a side', () => {
  const isOrdered = ({ bids, asks }: Book): boolean => {
    const prices = [...asks.toReversed(), ...bids].map(([price]) => price);
    return prices.every((price, i) => i === 0 || price < (prices[i - 1] as number));
  };
  const wrong = [...published].flatMap(([id, books]) =>
    books.every((book) => isOrdered(book) && Math.max(book.bids.length, book.asks.length) <= LEVELS)
      ? []
      : id,
  );
  expect(wrong).toEqual([]);
});

it('breaks no limit of a venue', () => {
  for (const { id } of feeds) expect(simulator.violations[id], id).toEqual({});
});

it('leaves the books after their last subscriber', async () => {
  markets.clear();
  const left = (): readonly string[] => {
    const ids = idsOf((id) => of(id).length > 0);
    for (const books of published.values()) books.length = 0;
    return ids;
  };
  // Until nothing is published for as long as an unchanged book would be.
  for (let silentSteps = 0, i = 0; silentSteps < 30 && i < PATIENCE_STEPS; i += 1) {
    await step();
    silentSteps = left().length === 0 ? silentSteps + 1 : 0;
  }
  expect(left()).toEqual([]);
});
