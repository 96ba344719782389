import type { MarketTrade } from '@crosstape/core';
import { MOST, readRows } from './reading.ts';
import type { TradeEdges, TradeGap, TradePage, TradeRefill, VenueRequest } from './venue.ts';

export interface PastTradesOptions
  extends Pick<TradeRefill, 'weight' | 'perMinute' | 'reachMs' | 'rowsMax' | 'isNewestOnly' | 'request'> {
  /** Order of the rows of an answer. Pages continue at its end: to older trades after `newestFirst`, else to newer ones. */
  readonly order: 'newestFirst' | 'oldestFirst';
  rows(body: unknown, gap: TradeGap): readonly unknown[];
  trade(row: unknown, symbol: string): MarketTrade;
  /** The page after a full one, which ended with `last`; absent where the venue answers one page. */
  next?(last: LastRow, gap: TradeGap, path: string): VenueRequest;
}

interface LastRow {
  readonly row: unknown;
  readonly trade: MarketTrade;
}

/** Requests missing trades page by page, until a page reaches the end of the gap or is not full. */
export function pastTrades(options: PastTradesOptions): TradeRefill {
  const { rowsMax, order } = options;
  return {
    ...options,
    name: 'past-trades',
    parse(body, gap, path): TradePage {
      const list = options.rows(body, gap);
      const { rows, refused } = readRows(
        list.length,
        (i) => ({
          row: list[i],
          trade: options.trade(list[i], gap.market.symbol),
        }),
        MOST,
      );
      const last = rows.at(-1);
      const trades = rows.map(({ trade }) => trade);
      if (order === 'newestFirst') trades.reverse();
      const isCut = last !== undefined && list.length >= rowsMax && !isReached(last.trade, gap, order);
      // Pages by time continue a millisecond earlier, and leave out what else was traded in this one.
      const isCutWithin =
        isCut &&
        gap.edges !== undefined &&
        gap.afterTid === undefined &&
        trades[0]?.venueTs === trades.at(-1)?.venueTs;
      const covers = refused.length === 0 ? coverage(trades, gap, isCut, order) : undefined;
      return {
        trades: trades.filter((trade) => isWithin(trade, gap)),
        ...(refused.length > 0 && { refused }),
        ...(isCutWithin && { isCutWithin }),
        ...(isCut && options.next && { more: options.next(last, gap, path) }),
        ...(covers && { covers }),
        ...(gap.edges && { hasEdge: edgesIn(trades, gap.edges) }),
      };
    },
  };
}

function isWithin(
  { tid, venueTs }: MarketTrade,
  { afterTid, beforeTid, afterMs, beforeMs }: TradeGap,
): boolean {
  const isAfter = afterTid === undefined ? venueTs >= afterMs : tid > afterTid;
  return isAfter && (beforeTid === undefined ? venueTs <= beforeMs : tid < beforeTid);
}

function edgesIn(
  trades: readonly MarketTrade[],
  { after, before }: TradeEdges,
): NonNullable<TradePage['hasEdge']> {
  const has = (id: number): boolean => trades.some(({ tid }) => tid === id);
  return { after: has(after), before: has(before) };
}

/** Whether a trade lies beyond the end of the gap that pages go to. */
function isReached(
  { tid, venueTs }: MarketTrade,
  { afterTid, beforeTid, afterMs, beforeMs }: TradeGap,
  order: PastTradesOptions['order'],
): boolean {
  if (order === 'newestFirst') return afterTid === undefined ? venueTs < afterMs : tid <= afterTid;
  return beforeTid === undefined ? venueTs > beforeMs : tid >= beforeTid;
}

/** Trades with the time of the last one of a page that is cut may follow on the next page. */
function coverage(
  trades: readonly MarketTrade[],
  { afterMs, beforeMs }: TradeGap,
  isCut: boolean,
  order: PastTradesOptions['order'],
): TradePage['covers'] {
  const oldest = trades[0];
  const newest = trades.at(-1);
  if (!oldest || !newest) return undefined;
  const toMs = Math.min(beforeMs, newest.venueTs + 1);
  if (order === 'newestFirst') return { fromMs: isCut ? oldest.venueTs + 1 : afterMs, toMs };
  return { fromMs: afterMs, toMs: isCut ? newest.venueTs : toMs };
}
