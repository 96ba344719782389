import type { VenueMarket } from '../../market/venue-market.ts';
import { fillsOf } from '../aggregate.ts';
import type { TradeMarket, WireDeal } from '../trade-ledger.ts';
import { type Question, Reply, type WireRoute } from '../wire.ts';
import { findTraded, INVALID_SYMBOL, missing, wrong } from './errors.ts';
import { type Listing, tradedOf } from './listing.ts';

const STREAM = /^([a-z0-9_]+)@aggTrade$/;
const LIMIT_DEFAULT = 500;
const LIMIT_MAX = 1000;
/** How far back they can be requested, and the longest time between both times of a request [D]. */
const KEPT_MS = 48 * 3_600_000;
const WINDOW_MAX_MS = 3_600_000;

/** The contract whose trades a stream carries. */
export function listingOfTrades(market: VenueMarket, stream: string): Listing | undefined {
  const symbol = STREAM.exec(stream)?.[1]?.toUpperCase();
  return symbol === undefined ? undefined : tradedOf(market).find((listing) => listing.symbol === symbol);
}

export function tradeMarket(
  market: VenueMarket,
  { symbol, coin, share, quote, contractType }: Listing,
): TradeMarket {
  // Forced orders are of the contract in USDT that has no end.
  const isMain = quote === 'USDT' && contractType !== 'CURRENT_QUARTER';
  return { symbol, tape: market.tape({ symbol, coin, part: share, takes: () => isMain }) };
}

/**
 * {"e":"aggTrade","E":1755487578300,"s":"BTCUSDT","a":5933014,"p":"115309.8","q":"0.100","nq":"0.100","f":100,"l":105,
 *  "T":1755487578276,"m":true,"st":1}
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/websocket-market-streams/Aggregate-Trade-Streams [D]
 */
export function printTrade(listing: Listing, deal: WireDeal, nowMs: number): object {
  const { a, ...rest } = printRow(listing, deal);
  return { e: 'aggTrade', E: nowMs, s: listing.symbol, a, ...rest, st: 1 };
}

interface Row {
  readonly a: number;
  readonly p: string;
  readonly q: string;
  readonly nq: string;
  readonly f: number;
  readonly l: number;
  readonly T: number;
  readonly m: boolean;
}

function printRow({ coin, priceDecimals }: Listing, deal: WireDeal): Row {
  const q = Math.max(deal.size, 10 ** -coin.sizeDecimals).toFixed(coin.sizeDecimals);
  const { first, last } = fillsOf(deal);
  return {
    a: deal.id,
    p: deal.price.toFixed(priceDecimals),
    q,
    nq: q,
    f: first,
    l: last,
    T: deal.ts,
    m: deal.side === 'sell',
  };
}

/** https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Compressed-Aggregate-Trades-List [D] */
export const aggregateTrades: WireRoute = {
  path: '/fapi/v1/aggTrades',
  costs: () => ({ weight: 20 }),
  answer(question) {
    const { market, query } = question;
    const symbol = query.get('symbol');
    if (!symbol) return missing('symbol');
    const listing = findTraded(market, symbol);
    if (!listing) return INVALID_SYMBOL;
    const read = readAggregates(question, { market: tradeMarket(market, listing), keptMs: KEPT_MS });
    return typeof read === 'string' ? wrong(read) : new Reply(read.map((deal) => printRow(listing, deal)));
  },
};

/** Trades from an id, between two times, or the newest, oldest first; or the invalid parameter. */
export function readAggregates(
  { query, trades, nowMs }: Question,
  { market, keptMs = Number.POSITIVE_INFINITY }: { readonly market: TradeMarket; readonly keptMs?: number },
): readonly WireDeal[] | string {
  const whole = (name: string): number | undefined => {
    const text = query.get(name);
    return text === null ? undefined : /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  };
  const [limit = LIMIT_DEFAULT, fromId, startMs, endMs] = ['limit', 'fromId', 'startTime', 'endTime'].map(
    whole,
  );
  const odd = Object.entries({ limit, fromId, startTime: startMs, endTime: endMs }).find(([, value]) =>
    Number.isNaN(value),
  );
  if (odd) return odd[0];
  if (limit < 1 || limit > LIMIT_MAX) return 'limit';
  if (fromId !== undefined) {
    const rows = trades.fromId(market, fromId, limit);
    return rows.filter(({ ts }) => ts >= nowMs - keptMs);
  }
  if (startMs === undefined && endMs === undefined) return trades.newest(market, limit);
  if (startMs === undefined) return trades.newest(market, limit, (endMs ?? nowMs) + 1);
  if (endMs !== undefined && (endMs < startMs || endMs - startMs >= WINDOW_MAX_MS)) return 'endTime';
  const toMs = Math.min(endMs ?? startMs + WINDOW_MAX_MS, nowMs) + 1;
  return trades.since(market, Math.max(startMs, nowMs - keptMs), limit, toMs);
}
