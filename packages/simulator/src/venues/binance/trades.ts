import type { VenueMarket } from '../../market/venue-market.ts';
import { fillsOf } from '../aggregate.ts';
import type { BookMarket } from '../order-book.ts';
import type { TradeMarket, WireDeal } from '../trade-ledger.ts';
import { wholeOf } from '../whole-number.ts';
import { type Question, Reply, type WireRoute } from '../wire.ts';
import { findTraded, INVALID_SYMBOL, missing, wrong } from './errors.ts';

const LIMIT_DEFAULT = 500;
const LIMIT_MAX = 1000;
/** How far back contracts' trades can be requested, and the longest time between both times of a request [D]. */
const KEPT_MS = 48 * 3_600_000;
const WINDOW_MAX_MS = 3_600_000;

/** How a market's trades, klines and book are printed. */
export interface BinanceTrades extends BookMarket {
  /** The price of a trade; the spot market adds zeros to it. */
  readonly tradePrice: (price: number) => string;
  /** Decimals of klines. */
  readonly decimals: { readonly price: number; readonly size: number };
  /** Contracts and pairs have some fields that the others have not. */
  readonly isContract: boolean;
}

export function contractTrades(market: VenueMarket, symbol: string): BinanceTrades | undefined {
  const listing = findTraded(market, symbol);
  if (!listing) return undefined;
  const { coin, share, quote, contractType, priceDecimals } = listing;
  const { sizeDecimals } = coin;
  // Forced orders are of the contract in USDT that has no end.
  const isMain = quote === 'USDT' && contractType !== 'CURRENT_QUARTER';
  const price = (value: number): string => value.toFixed(priceDecimals);
  return {
    market: { symbol, tape: market.tape({ symbol, coin, part: share, takes: () => isMain }) },
    price,
    tradePrice: price,
    size: (value) => Math.max(value, 10 ** -sizeDecimals).toFixed(sizeDecimals),
    decimals: { price: priceDecimals, size: sizeDecimals },
    isContract: true,
  };
}

/**
 * Of a contract, and of a pair:
 * {"e":"aggTrade","E":1755487578300,"s":"BTCUSDT","a":5933014,"p":"115309.8","q":"0.100","nq":"0.100","f":100,"l":105,
 *  "T":1755487578276,"m":true,"st":1}
 * {"e":"aggTrade","E":1672515782136,"s":"BNBBTC","a":12345,"p":"0.00100000","q":"100.00000000","f":100,"l":105,
 *  "T":1672515782136,"m":true,"M":true}
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/websocket-market-streams/Aggregate-Trade-Streams [D]
 * https://developers.binance.com/docs/binance-spot-api-docs/web-socket-streams#aggregate-trade-streams [D]
 */
export function printTrade(printed: BinanceTrades, deal: WireDeal, nowMs: number): object {
  const { market, isContract } = printed;
  const row = printRow(printed, deal);
  return { e: 'aggTrade', E: nowMs, s: market.symbol, ...row, ...(isContract && { st: 1 }) };
}

function printRow({ tradePrice, size, isContract }: BinanceTrades, deal: WireDeal): object {
  const q = size(deal.size, deal.price);
  const { first, last } = fillsOf(deal);
  return {
    a: deal.id,
    p: tradePrice(deal.price),
    q,
    ...(isContract && { nq: q }),
    f: first,
    l: last,
    T: deal.ts,
    m: deal.side === 'sell',
    ...(!isContract && { M: true }),
  };
}

/** https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Compressed-Aggregate-Trades-List [D] */
export const aggregateTrades = aggregateTradesRoute({
  path: '/fapi/v1/aggTrades',
  weight: 20,
  keptMs: KEPT_MS,
  find: contractTrades,
});

export function aggregateTradesRoute(route: {
  readonly path: string;
  readonly weight: number;
  readonly keptMs: number;
  find(market: VenueMarket, symbol: string): BinanceTrades | undefined;
}): WireRoute {
  const { path, weight, keptMs } = route;
  return {
    path,
    costs: () => ({ weight }),
    answer(question) {
      const symbol = question.query.get('symbol');
      if (!symbol) return missing('symbol');
      const printed = route.find(question.market, symbol);
      if (!printed) return INVALID_SYMBOL;
      const read = readAggregates(question, { market: printed.market, keptMs });
      return typeof read === 'string' ? wrong(read) : new Reply(read.map((deal) => printRow(printed, deal)));
    },
  };
}

/** Trades from an id, between two times, or the newest, oldest first; or the invalid parameter. */
function readAggregates(
  { query, trades, nowMs }: Question,
  { market, keptMs }: { readonly market: TradeMarket; readonly keptMs: number },
): readonly WireDeal[] | string {
  const [limit = LIMIT_DEFAULT, fromId, startMs, endMs] = ['limit', 'fromId', 'startTime', 'endTime'].map(
    (name) => wholeOf(query, name),
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
