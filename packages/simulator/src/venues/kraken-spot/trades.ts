import type { VenueMarket } from '../../market/venue-market.ts';
import { printPrice, printSize } from '../spot-pairs.ts';
import { spotTrades } from '../spot-trades.ts';
import type { TradeMarket, WireDeal } from '../trade-ledger.ts';
import type { Question } from '../wire.ts';
import type { Pair } from './pairs.ts';

export const TRADE_CHANNEL = 'trade';
const PAST_MAX = 1000;
const NS_PER_MS = 1_000_000n;

export function tradeMarket(market: VenueMarket, pair: Pair): TradeMarket {
  return spotTrades(market, `${pair.base}/${pair.quote}`, pair);
}

export function tradeTopic({ base, quote }: Pair): string {
  return `${TRADE_CHANNEL} ${base}/${quote}`;
}

/**
 * {"symbol":"MATIC/USD","side":"buy","price":0.5147,"qty":6423.46326,"ord_type":"limit","trade_id":4665846,
 *  "timestamp":"2023-09-25T07:48:36.925533Z"}: numbers; ids count the trades of a pair [D].
 */
export function printTrade(pair: Pair, deal: WireDeal): object {
  return {
    symbol: `${pair.base}/${pair.quote}`,
    side: deal.side,
    price: Number(printPrice(deal.price, pair)),
    qty: Number(printSize(deal.size)),
    ord_type: orderTypeOf(deal),
    trade_id: deal.id,
    timestamp: isoOf(deal.ts),
  };
}

function orderTypeOf({ order }: WireDeal): 'market' | 'limit' {
  return order % 4 === 0 ? 'limit' : 'market';
}

/**
 * Oldest first, after the time `since` in nanoseconds, or the newest; `last` is the `since` of the next page. `undefined`
 * when the parameters make no sense.
 * https://docs.kraken.com/api/docs/rest-api/get-recent-trades [D]
 */
export function readPast(
  { query, trades }: Question,
  market: TradeMarket,
): { readonly deals: readonly WireDeal[]; readonly last: string } | undefined {
  const since = query.get('since');
  const count = query.get('count') ?? String(PAST_MAX);
  if (!/^\d{1,4}$/.test(count) || (since !== null && !/^\d{1,20}$/.test(since))) return undefined;
  const limit = Math.min(PAST_MAX, Math.max(1, Number(count)));
  // The venue's times are finer than ours: everything in a later millisecond comes after it.
  const deals =
    since === null
      ? trades.newest(market, limit)
      : trades.sinceWhole(market, Number(BigInt(since) / NS_PER_MS) + 1, limit);
  const lastMs = deals.at(-1)?.ts;
  return { deals, last: lastMs === undefined ? (since ?? '0') : String(BigInt(lastMs) * NS_PER_MS) };
}

/** ["30243.40000","0.34507674",1688669597.827,"b","m","",61044952] [D] */
export function printPast(pair: Pair, deal: WireDeal): readonly (string | number)[] {
  const side = deal.side === 'buy' ? 'b' : 's';
  const type = orderTypeOf(deal) === 'market' ? 'm' : 'l';
  return [printPrice(deal.price, pair), printSize(deal.size), deal.ts / 1000, side, type, '', deal.id];
}

/** To the microsecond. */
export function isoOf(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('Z', '000Z');
}
