import type { TapeDeal } from '../../market/tape.ts';
import type { VenueMarket } from '../../market/venue-market.ts';
import { newestOf } from '../kline-window.ts';
import { ExactSum } from '../exact-sum.ts';
import { intervalMsOf, readKlines } from '../klines.ts';
import type { TradeMarket, WireDeal } from '../trade-ledger.ts';
import type { Question } from '../wire.ts';
import { contractsOf, type Listing, priceOf } from './listing.ts';

export const DEALS_MAX = 100;

/** The inverse contract of a coin has a small share of its trades, and no forced ones. */
const INVERSE_PART = 0.05;

export function tradeMarket(market: VenueMarket, { symbol, coin, quoteCoin }: Listing): TradeMarket {
  const isMain = quoteCoin === 'USDT';
  const part = isMain ? 1 : INVERSE_PART;
  return { symbol, tape: market.tape({ symbol, coin, part, takes: () => isMain }) };
}

/**
 * {"p":114350.4,"v":4,"T":2,"O":3,"M":2,"t":1760368563597,"i":"13064218826"}: contracts; `T` 1 when the taker bought;
 * `O` 1 opens, 2 reduces, 3 neither; `M` 1 when a client traded with itself. Over REST there is no id [C, T].
 */
export function printDeal(listing: Listing, deal: WireDeal): object {
  return { ...printPast(listing, deal), i: String(deal.id) };
}

export function printPast(listing: Listing, deal: WireDeal): object {
  return {
    p: priceOf(deal.price, listing),
    v: Math.max(1, contractsOf(deal.size, deal.price, listing)),
    T: deal.side === 'buy' ? 1 : 2,
    O: 1 + (deal.number % 3),
    M: 2,
    t: deal.ts,
  };
}

const INTERVALS: Readonly<Record<string, string>> = {
  Min1: '1m',
  Min5: '5m',
  Min15: '15m',
  Min30: '30m',
  Min60: '1h',
  Hour4: '4h',
  Hour8: '8h',
  Day1: '1d',
  Week1: '1w',
};
const KLINES_MAX = 2000;

/**
 * {"time":[1634052300],"open":[3492.2],"close":[3491.3],"high":[3495.85],"low":[3491.3],"vol":[1740.0],
 *  "amount":[60793.623]}: seconds, contracts, worth; oldest first. `undefined` when the parameters make no sense.
 */
export async function readKlineColumns(question: Question, listing: Listing): Promise<object | undefined> {
  const { query, nowMs, market } = question;
  const intervalMs = intervalMsOf(INTERVALS[query.get('interval') ?? 'Min1'] ?? '');
  if (intervalMs === undefined) return undefined;
  const [start, end] = [query.get('start'), query.get('end')];
  const range = newestOf({
    intervalMs,
    nowMs,
    startMs: start === null ? undefined : Number(start) * 1000,
    endMs: end === null ? undefined : Number(end) * 1000,
    count: KLINES_MAX,
    hasEmpty: true,
  });
  if (!range) return undefined;
  const source = {
    market: tradeMarket(market, listing),
    read: (deal: TapeDeal) => ({
      price: priceOf(deal.price, listing),
      size: Math.max(1, contractsOf(deal.size, deal.price, listing)),
    }),
  };
  const klines = await readKlines(question, source, range);
  const contract = ExactSum.of(listing.contractSize);
  return {
    time: klines.map(({ openMs }) => openMs / 1000),
    open: klines.map(({ open }) => open),
    close: klines.map(({ close }) => close),
    high: klines.map(({ high }) => high),
    low: klines.map(({ low }) => low),
    vol: klines.map(({ size }) => Number(size.toFixed(0))),
    amount: klines.map(({ notional }) => Number(notional.times(contract).toFixed(8))),
  };
}
