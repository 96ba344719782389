import type { TapeDeal } from '../../market/tape.ts';
import type { VenueMarket } from '../../market/venue-market.ts';
import { newestOf } from '../kline-window.ts';
import { ExactSum } from '../exact-sum.ts';
import { intervalMsOf, readKlines } from '../klines.ts';
import { plainDecimal } from '../plain-decimal.ts';
import type { TradeMarket, WireDeal } from '../trade-ledger.ts';
import { wholeOf } from '../whole-number.ts';
import type { Question } from '../wire.ts';
import { contractsOf, type Listing, printPrice } from './listing.ts';
import type { PrintCount } from './sizes.ts';

export const TRADE_CHANNEL = 'futures.trades';
const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1000;

export function tradeMarket(market: VenueMarket, { name, coin }: Listing): TradeMarket {
  return { symbol: name, tape: market.tape({ symbol: name, coin }) };
}

/**
 * {"size":-108,"id":27753479,"create_time":1545136464,"create_time_ms":1545136464123,"price":"96.4",
 *  "contract":"BTC_USDT"}: contracts, below zero when the taker sold. Over REST `create_time_ms` is in seconds.
 * https://www.gate.com/docs/developers/futures/ws/en/#trades-notification [D]
 */
export function printTrade(listing: Listing, deal: WireDeal, printCount: PrintCount): object {
  return { ...printShared(listing, deal, printCount), create_time_ms: deal.ts };
}

export function printPast(listing: Listing, deal: WireDeal, printCount: PrintCount): object {
  return { ...printShared(listing, deal, printCount), create_time_ms: deal.ts / 1000 };
}

function printShared(listing: Listing, deal: WireDeal, printCount: PrintCount): object {
  const contracts = Math.max(1, contractsOf(deal.size, listing));
  return {
    size: printCount(deal.side === 'sell' ? -contracts : contracts),
    id: deal.id,
    create_time: Math.floor(deal.ts / 1000),
    price: printPrice(deal.price, listing),
    contract: listing.name,
  };
}

/**
 * Newest first: before `last_id`, or between `from` and `to` in seconds but for the newest `offset`; or the invalid
 * parameter.
 */
export function readPast({ query, trades }: Question, market: TradeMarket): readonly WireDeal[] | string {
  const names = ['limit', 'last_id', 'from', 'to', 'offset'];
  const values = names.map((name) => wholeOf(query, name));
  const odd = values.findIndex((value) => Number.isNaN(value));
  if (odd >= 0) return names[odd] ?? '';
  const [limit = LIMIT_DEFAULT, lastId, from, to, offset] = values;
  if (limit < 1 || limit > LIMIT_MAX) return 'limit';
  const deals =
    lastId === undefined
      ? trades.newest(market, limit, to === undefined ? undefined : (to + 1) * 1000, offset)
      : trades.beforeId(market, lastId, limit);
  return deals.filter(({ ts }) => from === undefined || ts >= from * 1000).toReversed();
}

const KLINES_DEFAULT = 100;
const KLINES_MAX = 2000;
const KLINES_KEPT = 10_000;
const INTERVALS = ['1m', '5m', '15m', '30m', '1h', '4h', '8h', '1d', '7d'];

/**
 * {"t":1539852480,"v":97151,"c":"1.032","h":"1.032","l":"1.032","o":"1.032","sum":"3580"}: seconds, contracts, worth;
 * oldest first. The parameter that makes no sense where one does not.
 * https://www.gate.com/docs/developers/apiv4/en/#get-futures-candlesticks [D]
 */
export async function readCandlesticks(
  question: Question,
  listing: Listing,
  printCount: PrintCount,
): Promise<readonly object[] | string> {
  const { query, nowMs, market } = question;
  const name = query.get('interval') ?? '5m';
  const intervalMs = INTERVALS.includes(name) ? intervalMsOf(name) : undefined;
  if (intervalMs === undefined) return 'interval';
  const [from, to, limit] = ['from', 'to', 'limit'].map((one) => query.get(one));
  const range = newestOf({
    intervalMs,
    nowMs,
    startMs: from === null ? undefined : Number(from) * 1000,
    endMs: to === null ? undefined : Number(to) * 1000,
    count: from === null ? Math.min(KLINES_MAX, Number(limit ?? KLINES_DEFAULT)) : KLINES_MAX,
    hasEmpty: true,
  });
  // "Candlestick too long ago. Maximum 10000 points ago are allowed" [K].
  if (!range || range.fromMs < nowMs - KLINES_KEPT * intervalMs) return 'from';
  const source = {
    market: tradeMarket(market, listing),
    read: ({ price, size }: TapeDeal) => ({
      price: Number(printPrice(price, listing)),
      size: Number(printCount(Math.max(1, contractsOf(size, listing)))),
    }),
  };
  const read = await readKlines(question, source, range);
  const price = (value: number): string => value.toFixed(listing.priceDecimals);
  return read.map(({ openMs, open, high, low, close, size, notional }) => ({
    t: openMs / 1000,
    v: printCount(Number(size.toFixed(1))),
    c: price(close),
    h: price(high),
    l: price(low),
    o: price(open),
    sum: plainDecimal(notional.times(ExactSum.of(listing.multiplier)), 8),
  }));
}
