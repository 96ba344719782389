import type { Coin } from '../../market/coins.ts';
import type { Market } from '../../market/market.ts';
import { bareCoin, VenueMarket } from '../../market/venue-market.ts';
import { binance } from '../binance/index.ts';
import { bybit } from '../bybit/index.ts';
import { gate } from '../gate/index.ts';
import { kraken } from '../kraken/index.ts';
import { okx } from '../okx/index.ts';

/** Codes [M]; how a symbol is spelled besides its code is [K] for the last three. */
const FOLLOWED = [
  { simulator: binance, code: 'A', quote: 'USDT', suffix: '_PERP', thousands: '1000' },
  { simulator: bybit, code: '6', quote: 'USDT', suffix: '', thousands: '1000' },
  { simulator: okx, code: '3', quote: 'USDT', suffix: '_PERP', thousands: '' },
  { simulator: gate, code: 'Y', quote: 'USDT', suffix: '_PERP', thousands: '' },
  { simulator: kraken, code: 'K', quote: 'USD', suffix: '_PERP', thousands: '' },
] as const;

/** Coins with three linear contracts on Binance, and their quotes: about as many forced orders happen on each. */
const WITH_THREE: ReadonlySet<string> = new Set(['BTC', 'ETH']);
const THREE_QUOTES = ['USDT', 'USDC', 'USD1'] as const;

/** A contract that is followed. */
export interface FollowedMarket {
  readonly symbol: string;
  readonly exchange: string;
  readonly base: string;
  readonly quote: string;
  readonly isLinear: boolean;
  readonly venue: VenueMarket;
  readonly coin: Coin;
  /** Which of the coin's linear contracts it is, and of how many. */
  readonly place: { readonly index: number; readonly of: number };
}

/** Every linear perpetual of the venues that it follows, and an inverse one of each, without any liquidations. */
export function followedMarkets(market: Market): readonly FollowedMarket[] {
  return FOLLOWED.flatMap(({ simulator: { shape }, code, quote, suffix, thousands }) => {
    if (!shape) return [];
    const venue = new VenueMarket(market, shape);
    const listed = venue.coins.flatMap((coin): FollowedMarket[] => {
      const { name, perUnit } = bareCoin(coin.name);
      const base = perUnit === 1 ? name : `${thousands}${name}`;
      const quotes = shape.id === 'binance' && WITH_THREE.has(name) ? THREE_QUOTES : [quote];
      return quotes.map((against, index) => ({
        symbol: `${base}${against}${suffix}.${code}`,
        exchange: code,
        base,
        quote: against,
        isLinear: true,
        venue,
        coin,
        place: { index, of: quotes.length },
      }));
    });
    const [first] = listed;
    const inverse = first && {
      ...first,
      symbol: `${first.base}USD_INVERSE.${code}`,
      quote: 'USD',
      isLinear: false,
    };
    return inverse ? [...listed, inverse] : listed;
  });
}
