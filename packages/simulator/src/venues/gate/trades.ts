import type { VenueMarket } from '../../market/venue-market.ts';
import type { TradeMarket, WireDeal } from '../trade-ledger.ts';
import type { Question } from '../wire.ts';
import { contractsOf, type Listing, printPrice } from './listing.ts';
import type { PrintCount } from './sizes.ts';

export const TRADE_CHANNEL = 'futures.trades';
export const TRADES_EVERY_MS = 100;
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

/** Newest first: before `last_id`, between `from` and `to` in seconds, or the newest; or the parameter that makes no sense. */
export function readPast({ query, trades }: Question, market: TradeMarket): readonly WireDeal[] | string {
  const names = ['limit', 'last_id', 'from', 'to'];
  const values = names.map((name) => {
    const text = query.get(name);
    return text === null ? undefined : /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  });
  const odd = values.findIndex((value) => Number.isNaN(value));
  if (odd >= 0) return names[odd] ?? '';
  const [limit = LIMIT_DEFAULT, lastId, from, to] = values;
  if (limit < 1 || limit > LIMIT_MAX) return 'limit';
  const deals =
    lastId === undefined
      ? trades.newest(market, limit, to === undefined ? undefined : (to + 1) * 1000)
      : trades.beforeId(market, lastId, limit);
  return deals.filter(({ ts }) => from === undefined || ts >= from * 1000).toReversed();
}
