import { ManualClock, type MarketTrade } from '@crosstape/core';
import { primaryVenue, spotVenues, type TradeFeed, type TradeGap, venues } from '@crosstape/venues';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ReportedTrades } from '../report-trades.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { RecordedSocket } from '../testing/recorded-socket.ts';
import { TESTED_FEEDS } from '../testing/tested-feeds.ts';

const T0 = Date.UTC(2026, 10, 16, 14, 30);
const SPAN_MS = 10_000;
/** Enough trades in so short a time on every venue. */
const RATE = 10;
const PAGES_MAX = 20;

/** Contracts and pairs: some of a coin that is counted by thousands, some in contracts of the venue. */
const FEEDS = [...venues, ...spotVenues].flatMap(({ id, connector }) => {
  const feed = connector?.marketTrades;
  if (!feed) return [];
  const tested = TESTED_FEEDS.find(({ venue }) => venue === id);
  if (!tested) throw new Error(`${id} has no tested-feed.ts`);
  return [{ id, feed, market: tested.connectorMarket ?? { symbol: tested.symbol } }];
});

let clock: ManualClock;
let simulator: Simulator;
beforeAll(async () => {
  clock = new ManualClock(T0);
  simulator = await startSimulator({ port: 0, seed: 5, clock, rate: RATE });
});
afterAll(() => simulator.close());

/** Reads a gap as the service does: page by page. */
async function refill(id: string, feed: TradeFeed, gap: TradeGap): Promise<readonly MarketTrade[]> {
  const found = new Map<number, MarketTrade>();
  const reached = { after: false, before: false };
  let request = feed.past?.request(gap);
  for (let page = 0; request && page < PAGES_MAX; page += 1) {
    const answer = await fetch(`${simulator.url}/${id}${request.path}`, { headers: request.headers ?? {} });
    const parsed = feed.past?.parse(await answer.json(), gap, request.path);
    expect(parsed?.refused ?? []).toEqual([]);
    for (const trade of parsed?.trades ?? []) found.set(trade.tid, trade);
    for (const side of ['after', 'before'] as const) reached[side] ||= parsed?.hasEdge?.[side] === true;
    request = parsed?.more;
  }
  // Only then do numbers that are not in the answer count as skipped.
  if (feed.ids.counted) expect(reached).toEqual({ after: true, before: true });
  return [...found.values()].toSorted((a, b) => a.venueTs - b.venueTs || a.tid - b.tid);
}

it('has a trade feed of every venue but the primary', () => {
  const secondary = [...venues, ...spotVenues].filter(({ id }) => id !== primaryVenue.id);
  expect(FEEDS.map(({ id }) => id)).toEqual(secondary.map(({ id }) => id));
});

it('continues a page of Gate by offset', async () => {
  const span = `from=${T0 / 1000 - 60}&to=${T0 / 1000 - 1}`;
  const page = async (offset: number): Promise<readonly number[]> => {
    const query = `contract=BTC_USDT&${span}&limit=10&offset=${offset}`;
    const answer = await fetch(`${simulator.url}/gate/api/v4/futures/usdt/trades?${query}`);
    return ((await answer.json()) as readonly { readonly id: number }[]).map(({ id }) => id);
  };
  const ids = [...(await page(0)), ...(await page(10))];
  expect(ids).toEqual(Array.from({ length: 20 }, (_, i) => ids[0]! - i));
});

describe.each(FEEDS)('our connector of $id', ({ id, feed, market }) => {
  it('reads every trade of the socket, counts them, and fills a gap from history', async () => {
    const socket = await RecordedSocket.open(simulator.url, `/${id}${feed.path}`, feed.headers ?? {});
    const parse = feed.open(() => ({}));
    const sinceMs = clock.now();
    socket.send(feed.subscribe([market.symbol]));
    const kinds = (): readonly string[] => socket.frames.map((frame) => feed.open(() => ({}))(frame).kind);
    await vi.waitUntil(() => kinds().some((kind) => kind === 'subscribed' || kind === 'marketTrades'), {
      timeout: 10_000,
    });
    for (let passed = 0; passed < SPAN_MS; passed += 100) clock.advance(100);
    const query = `venue=${id}&market=${encodeURIComponent(market.symbol)}&fromMs=${sinceMs}`;
    const report = (await (await fetch(`${simulator.url}/sim/trades?${query}`)).json()) as ReportedTrades;
    const made = report.markets[0]?.made ?? 0;
    expect(made).toBeGreaterThan(3);
    const read = (): readonly MarketTrade[] =>
      socket.frames.flatMap((text) => {
        const frame = parse(text);
        expect(frame.kind).not.toBe('refused');
        if (frame.kind !== 'marketTrades') return [];
        expect(frame.refused ?? []).toEqual([]);
        return frame.isBackfill ? [] : frame.trades;
      });
    const countOf = (trades: readonly MarketTrade[]): number =>
      trades.reduce((sum, { count = 1 }) => sum + count, 0);
    await vi.waitUntil(() => countOf(read()) >= made, { timeout: 10_000 });
    const live = read();
    expect(countOf(live)).toBe(made);
    const { counted } = feed.ids;
    if (counted) {
      const numbers = live.map((trade) => trade[counted] ?? Number.NaN);
      for (const [i, trade] of live.entries())
        if (i > 0) expect(numbers[i]! - (trade.count ?? 1)).toBe(numbers[i - 1]);
    }
    if (feed.past) {
      const [first, last] = [live[0]!, live.at(-1)!];
      const ends = counted === 'tid' ? { afterTid: first.tid, beforeTid: last.tid } : {};
      const edges = { after: first.tid, before: last.tid };
      const gap = { market, afterMs: first.venueTs, beforeMs: last.venueTs, edges, ...ends };
      const missing = live.slice(1, -1).filter(({ venueTs, count = 1 }) => {
        const isInside = venueTs > first.venueTs && venueTs < last.venueTs;
        return isInside && count === 1;
      });
      const found = new Map((await refill(id, feed, gap)).map((trade) => [trade.tid, trade]));
      const whole = feed.past.isNewestOnly ? missing.slice(-20) : missing;
      for (const { tid, price, size, side, venueTs, symbol } of whole)
        expect(found.get(tid) ?? findLike({ price, size, side, venueTs }, found)).toMatchObject({
          symbol,
          price,
          size,
          side,
          venueTs,
        });
    }
    socket.close();
  });
});

/** Where history has no ids: the trade of the same time, price, size and side. */
function findLike(
  wanted: Pick<MarketTrade, 'price' | 'size' | 'side' | 'venueTs'>,
  found: ReadonlyMap<number, MarketTrade>,
): MarketTrade | undefined {
  return [...found.values()].find(
    (one) =>
      one.venueTs === wanted.venueTs &&
      one.price === wanted.price &&
      one.size === wanted.size &&
      one.side === wanted.side,
  );
}
