import type { VenueMarket } from '../../market/venue-market.ts';
import { perMarket } from '../per-market.ts';
import { pairsOf, type SpotPair } from '../spot-pairs.ts';

/** The venue's own names of two coins. */
const NAMES: Readonly<Record<string, string>> = { BTC: 'XBT', DOGE: 'XDG' };
/** Old assets have a prefix letter for their kind, in the names of their pairs as well. */
const OLD: ReadonlySet<string> = new Set(['XBT', 'ETH', 'XRP', 'LTC', 'ZEC', 'XLM', 'XMR']);

/** BTC/USD at 85772.4, ETH/USD at 2284.15: seen in captured trades. */
const PRICE_FIGURES = 6;

export interface Pair extends SpotPair {
  /** Under which the venue answers. */
  readonly key: string;
  /** Alternative name in requests. */
  readonly altname: string;
  readonly wsname: string;
  readonly baseAsset: string;
  readonly quoteAsset: string;
  readonly status: 'online' | 'cancel_only';
}

/** Tradable pairs, against two currencies, stablecoins, and one that is being delisted. */
export const krakenPairs = perMarket((market): readonly Pair[] => {
  const dollars = ['USDT', 'USDC'].map((base) => [base, 'USD', 5] as const);
  const traded = pairsOf(market, ['USD'], [...dollars, ['BTC', 'USDT', 1], ['ETH', 'BTC', 5]], PRICE_FIGURES);
  const leaving = pairOf({ base: 'TRX', quote: 'USDT', priceDecimals: 5 });
  return [...traded.map(pairOf), { ...leaving, status: 'cancel_only' }];
});

function pairOf(pair: SpotPair): Pair {
  const [base, quote] = [pair.base, pair.quote].map((name) => NAMES[name] ?? name) as [string, string];
  const isOld = OLD.has(base) && (quote === 'USD' || OLD.has(quote));
  const prefix = quote === 'USD' ? 'Z' : 'X';
  const isPriced = pair.base === 'USDT' && quote === 'USD';
  return {
    ...pair,
    key: isOld ? `X${base}${prefix}${quote}` : isPriced ? `${base}Z${quote}` : `${base}${quote}`,
    altname: `${base}${quote}`,
    wsname: `${base}/${quote}`,
    baseAsset: OLD.has(base) || base === 'XDG' ? `X${base}` : base,
    quoteAsset: quote === 'USD' ? 'ZUSD' : OLD.has(quote) ? `X${quote}` : quote,
    status: 'online',
  };
}

/** The pairs of a list, by either name; `undefined` when one is unknown. */
export function findPairs(market: VenueMarket, list: string | null): readonly Pair[] | undefined {
  const pairs = krakenPairs(market);
  if (list === null || list === '') return pairs;
  const found = list
    .split(',')
    .map((name) => pairs.find(({ key, altname }) => key === name || altname === name));
  return found.every((pair) => pair !== undefined) ? found : undefined;
}
