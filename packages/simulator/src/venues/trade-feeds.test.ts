import { ManualClock } from '@crosstape/core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { isFields } from '../json.ts';
import type { ReportedTrades } from '../report-trades.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { RecordedSocket } from '../testing/recorded-socket.ts';
import { TESTED_FEEDS } from '../testing/tested-feeds.ts';
import type { ReadTrade, TestedFeed } from '../testing/tested-feed.ts';
import { tradeFrames } from '../trade-frames.ts';
import type { TradeReport } from './trade-ledger.ts';
import { coinsOfVenues } from '../../../../test/world-coins.ts';

const T0 = Date.UTC(2026, 10, 16, 14, 30);
/** Shorter than the silence after which a venue cuts off a client. */
const SPAN_MS = 20_000;

let clock: ManualClock;
let simulator: Simulator;
beforeAll(async () => {
  clock = new ManualClock(T0);
  simulator = await startSimulator({ port: 0, seed: 5, clock, coins: coinsOfVenues });
});
afterEach(() => void simulator.faults.clear());
afterAll(() => simulator.close());

const keyOf = ({ ts, side, price, size }: ReadTrade): string => `${ts} ${side} ${price} ${size}`;

const fillsOf = (trades: readonly ReadTrade[]): number =>
  trades.reduce((sum, { count = 1 }) => sum + count, 0);

/** Names and types of a frame's fields; for a list, of its first entry. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return [shapeOf(value[0])];
  if (!isFields(value)) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shapeOf(one)]));
}

/** Trades received on a socket so far. */
const tradesOf = (feed: TestedFeed, { frames }: RecordedSocket): readonly ReadTrade[] =>
  frames.flatMap((frame) => feed.read(JSON.parse(frame)));

async function subscribe(feed: TestedFeed): Promise<RecordedSocket> {
  const socket = await RecordedSocket.open(simulator.url, `/${feed.venue}${feed.path}`);
  socket.send(feed.subscribe);
  await vi.waitUntil(() => socket.frames.length >= feed.opening.length, { timeout: 10_000 });
  return socket;
}

async function reportOf({ venue, symbol }: TestedFeed, fromMs: number): Promise<TradeReport> {
  const query = `venue=${venue}&market=${encodeURIComponent(symbol)}&fromMs=${fromMs}`;
  const answer = await fetch(`${simulator.url}/sim/trades?${query}`);
  const { markets } = (await answer.json()) as ReportedTrades;
  return markets[0]!;
}

const advance = (ms: number): void => {
  for (let passed = 0; passed < ms; passed += 250) clock.advance(250);
};

/** Trades of the past, a page before the other, until a time. */
async function readBack(feed: TestedFeed, newest: ReadTrade, untilMs: number): Promise<readonly ReadTrade[]> {
  let read: readonly ReadTrade[] = [];
  let before = newest;
  for (let pages = 0; pages < 30 && (read[0]?.ts ?? Number.POSITIVE_INFINITY) > untilMs; pages += 1) {
    const answer = await fetch(`${simulator.url}/${feed.venue}${feed.history(before)}`);
    const page = feed.readHistory(await answer.json());
    const known = new Set(read.map((trade) => trade.id ?? keyOf(trade)));
    const older = page.filter((trade) => !known.has(trade.id ?? keyOf(trade)));
    const [oldest] = older;
    if (!oldest) break;
    read = [...older, ...read];
    before = oldest;
  }
  return read;
}

describe.each(TESTED_FEEDS)('trades of $venue', (feed) => {
  it('are acknowledged, sent as they happen, numbered as the venue does, and the same over REST', async () => {
    const sinceMs = clock.now();
    const socket = await subscribe(feed);
    const openings = socket.frames.slice(0, feed.opening.length).map((frame): unknown => JSON.parse(frame));
    expect(openings).toEqual(feed.opening.map((frame) => expect.objectContaining(frame)));
    const backfilled = fillsOf(tradesOf(feed, socket));
    advance(SPAN_MS);
    const { made } = await reportOf(feed, sinceMs);
    expect(made).toBeGreaterThan(5);
    await vi.waitUntil(() => fillsOf(tradesOf(feed, socket)) >= made + backfilled, { timeout: 10_000 });
    const sent = tradesOf(feed, socket);
    expect(fillsOf(sent)).toBe(made + backfilled);
    const subscription = { path: feed.path, headers: {}, message: JSON.stringify(feed.subscribe) };
    const unsent = [...tradeFrames(simulator.market, feed.venue, subscription)!(sinceMs, clock.now())];
    const live = sent.filter(({ ts }) => ts >= sinceMs);
    expect(unsent.flatMap((frame) => feed.read(JSON.parse(frame)))).toEqual(live);
    for (const { price, size, ts, side } of sent) {
      expect(Number(price)).toBeGreaterThan(0);
      expect(Number(size)).toBeGreaterThan(0);
      expect(ts).toBeLessThan(clock.now());
      expect(['buy', 'sell']).toContain(side);
    }
    if (feed.isCounted) {
      for (const [i, trade] of sent.entries()) {
        const before = sent[i - 1];
        if (before) expect(Number(trade.id) - (trade.count ?? 1)).toBe(Number(before.id));
      }
    } else expect(new Set(sent.map((trade) => trade.id)).size).toBe(sent.length);
    const goldens = socket.frames.map((frame): unknown => JSON.parse(frame)).filter(feed.isGolden);
    expect(shapeOf(goldens.at(-1))).toEqual(shapeOf(JSON.parse(feed.golden)));
    const read = await readBack(feed, sent.at(-1)!, sinceMs);
    const past = new Map(read.map((trade) => [trade.id ?? keyOf(trade), trade]));
    const single = sent.filter(({ ts, count = 1 }) => count === 1 && ts >= (read[0]?.ts ?? 0) + 1);
    expect(single.length).toBeGreaterThan(3);
    for (const trade of single) {
      const same = past.get(trade.id ?? '') ?? past.get(keyOf(trade));
      expect(same && keyOf(same)).toBe(keyOf(trade));
    }
    expect((await reportOf(feed, sinceMs)).neverSent).toBe(0);
    socket.close();
  });

  it('are counted as never sent exactly when no client got them', async () => {
    const socket = await subscribe(feed);
    const sinceMs = clock.now();
    const before = new Set(tradesOf(feed, socket).map((trade) => trade.id ?? keyOf(trade)));
    simulator.faults.add({ venue: feed.venue, part: 'ws', fault: 'drop', probability: 0.35 });
    simulator.faults.add({ venue: feed.venue, part: 'ws', fault: 'truncate', probability: 0.1 });
    simulator.faults.add({ venue: feed.venue, part: 'ws', fault: 'duplicate', probability: 0.1 });
    simulator.faults.add({ venue: feed.venue, part: 'ws', fault: 'reorder', probability: 0.2 });
    advance(SPAN_MS);
    simulator.faults.clear();
    advance(5_000);
    const { made, neverSent, gaps } = await reportOf(feed, sinceMs);
    const arrived = (): ReadonlyMap<string, ReadTrade> => {
      const whole = socket.frames.flatMap((frame) => {
        try {
          return feed.read(JSON.parse(frame));
        } catch {
          return [];
        }
      });
      const fresh = whole.filter((trade) => !before.has(trade.id ?? keyOf(trade)));
      return new Map(fresh.map((trade) => [trade.id ?? keyOf(trade), trade]));
    };
    await vi.waitUntil(() => fillsOf([...arrived().values()]) >= made - neverSent, { timeout: 10_000 });
    expect(fillsOf([...arrived().values()])).toBe(made - neverSent);
    expect(neverSent).toBeGreaterThan(0);
    if (feed.isCounted) expect(gaps.reduce((sum, gap) => sum + gap.toId - gap.fromId + 1, 0)).toBe(neverSent);
    socket.close();
  });
});

describe('faults of trades', () => {
  const feed = TESTED_FEEDS.find(({ venue }) => venue === 'binance') as TestedFeed;

  it('skip ids from then on, on sockets and over REST alike', async () => {
    const socket = await subscribe(feed);
    advance(1000);
    simulator.faults.add({ venue: feed.venue, fault: 'jump', by: 500, forMs: 500 });
    advance(10_000);
    await vi.waitUntil(() => tradesOf(feed, socket).length > 150);
    const sent = (): readonly number[] => tradesOf(feed, socket).map(({ id }) => Number(id));
    const ids = sent();
    const at = ids.findIndex((id, i) => i > 0 && id !== ids[i - 1]! + 1);
    expect(at).toBeGreaterThan(0);
    expect(ids[at]! - ids[at - 1]!).toBe(501);
    const path = `/fapi/v1/aggTrades?symbol=BTCUSDT&fromId=${ids[at - 1]! + 1}&limit=1000`;
    const rows = feed.readHistory(await (await fetch(`${simulator.url}/${feed.venue}${path}`)).json());
    const answered = rows.map(({ id }) => Number(id));
    // Frames that are still on their way have the rest.
    await vi.waitFor(() => expect(sent().slice(at)).toEqual(answered));
    socket.close();
  });

  it('let REST lag behind the socket', async () => {
    simulator.faults.add({ venue: feed.venue, fault: 'lag', lagMs: 30_000 });
    const path = '/fapi/v1/aggTrades?symbol=BTCUSDT&limit=5';
    const rows = feed.readHistory(await (await fetch(`${simulator.url}/${feed.venue}${path}`)).json());
    expect(rows.at(-1)?.ts).toBeLessThan(clock.now() - 30_000);
    expect(rows.at(-1)?.ts).toBeGreaterThan(clock.now() - 60_000);
  });

  it('are reported in words when the question makes no sense', async () => {
    const ask = async (query: string): Promise<unknown> =>
      ((await (await fetch(`${simulator.url}/sim/trades?${query}`)).json()) as { error: string }).error;
    expect(await ask('venue=hyperliquid')).toMatch(/^venue is one of bybit, /);
    expect(await ask('venue=binance&market=NONE')).toBe('the trades of NONE were never requested');
    expect(await ask('venue=binance&fromMs=today')).toBe('fromMs is a time in milliseconds');
  });
});
