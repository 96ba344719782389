import { fillsOf } from '../aggregate.ts';
import { answerKlines } from '../binance/klines.ts';
import { readAggregates } from '../binance/trades.ts';
import { printPrice, printSize } from '../spot-pairs.ts';
import { spotTrades } from '../spot-trades.ts';
import type { WireDeal } from '../trade-ledger.ts';
import { Reply, type WireRoute } from '../wire.ts';
import { findListing, type Listing } from './listings.ts';

/** Decimals that the venue prints at least. */
const DECIMALS = 8;
const KLINES_MAX = 1000;

interface Row {
  readonly a: number;
  readonly p: string;
  readonly q: string;
  readonly f: number;
  readonly l: number;
  readonly T: number;
  readonly m: boolean;
  readonly M: true;
}

/**
 * {"e":"aggTrade","E":1672515782136,"s":"BNBBTC","a":12345,"p":"0.00100000","q":"100.00000000","f":100,"l":105,
 *  "T":1672515782136,"m":true,"M":true}
 * https://developers.binance.com/docs/binance-spot-api-docs/web-socket-streams#aggregate-trade-streams [D]
 */
export function printTrade(listing: Listing, deal: WireDeal, nowMs: number): object {
  return { e: 'aggTrade', E: nowMs, s: listing.symbol, ...printRow(listing, deal) };
}

function printRow(listing: Listing, deal: WireDeal): Row {
  const { first, last } = fillsOf(deal);
  const price = printPrice(deal.price, listing);
  const zeros = '0'.repeat(Math.max(0, DECIMALS - listing.priceDecimals));
  return {
    a: deal.id,
    p: listing.priceDecimals === 0 ? `${price}.${zeros}` : `${price}${zeros}`,
    q: printSize(deal.size),
    f: first,
    l: last,
    T: deal.ts,
    m: deal.side === 'sell',
    M: true,
  };
}

/** https://developers.binance.com/docs/binance-spot-api-docs/rest-api/market-data-endpoints#compressedaggregate-trades-list [D] */
export const aggregateTrades: WireRoute = {
  path: '/api/v3/aggTrades',
  costs: () => ({ weight: 4 }),
  answer(question) {
    const { market, query } = question;
    const listing = findListing(market, query.get('symbol') ?? '');
    if (listing?.status !== 'TRADING') return new Reply({ code: -1121, msg: 'Invalid symbol.' }, 400);
    const read = readAggregates(question, { market: spotTrades(market, listing.symbol, listing) });
    if (typeof read === 'string')
      return new Reply({ code: -1130, msg: `Data sent for parameter '${read}' is not valid.` }, 400);
    return new Reply(read.map((deal) => printRow(listing, deal)));
  },
};

/** https://developers.binance.com/docs/binance-spot-api-docs/rest-api/market-data-endpoints#klinecandlestick-data [D] */
export const klines: WireRoute = {
  path: '/api/v3/klines',
  costs: () => ({ weight: 2 }),
  async answer(question) {
    const { market, query } = question;
    const listing = findListing(market, query.get('symbol') ?? '');
    if (listing?.status !== 'TRADING') return new Reply({ code: -1121, msg: 'Invalid symbol.' }, 400);
    const source = {
      market: spotTrades(market, listing.symbol, listing),
      read: ({ price, size }: Pick<WireDeal, 'price' | 'size'>) => ({
        price: Number(printPrice(price, listing)),
        size: Number(printSize(size)),
      }),
    };
    const decimals = { price: Math.max(DECIMALS, listing.priceDecimals), size: DECIMALS };
    const rows = await answerKlines(question, source, { limitMax: KLINES_MAX, decimals });
    if (typeof rows !== 'string') return new Reply(rows);
    return new Reply({ code: -1120, msg: `Invalid ${rows}.` }, 400);
  },
};
