import { isFields } from '../../json.ts';
import type { Coin } from '../../market/coins.ts';
import type { Market } from '../../market/market.ts';
import { type Grain, readGrain } from './books.ts';
import { isInterval } from './candles.ts';
import { DEXES, listedCoin } from './universe.ts';

/** A subscription to state, which is sent whole each time. */
export type StateSubscription =
  | { readonly type: 'bbo'; readonly coin: Coin }
  | { readonly type: 'activeAssetCtx'; readonly coin: Coin }
  | { readonly type: 'l2Book'; readonly coin: Coin; readonly grain: Grain; readonly isFast: boolean }
  | { readonly type: 'assetCtxs'; readonly dex: string }
  | { readonly type: 'allMids'; readonly dex: string }
  | { readonly type: 'allDexsAssetCtxs' };

export interface CandleSubscription {
  readonly type: 'candle';
  readonly coin: Coin;
  readonly interval: string;
}

/** A client's subscription. */
export type Subscription =
  | StateSubscription
  | { readonly type: 'trades'; readonly coin: Coin }
  | CandleSubscription
  | { readonly type: 'fastAssetCtxs' };

/** Reads a subscription; `undefined` when the venue does not know it. */
export function readSubscription(value: unknown, market: Market): Subscription | undefined {
  if (!isFields(value)) return undefined;
  const { type, dex = '' } = value;
  switch (type) {
    case 'allDexsAssetCtxs':
    case 'fastAssetCtxs':
      return { type };
    case 'assetCtxs':
    case 'allMids':
      if (typeof dex !== 'string' || !DEXES.includes(dex)) return undefined;
      return { type, dex };
  }
  const coin = listedCoin(market, value['coin']);
  if (!coin) return undefined;
  switch (type) {
    case 'trades':
    case 'bbo':
    case 'activeAssetCtx':
      return { type, coin };
    case 'l2Book': {
      const grain = readGrain(value);
      const { fast = false } = value;
      return grain && typeof fast === 'boolean' ? { type, coin, grain, isFast: fast } : undefined;
    }
    case 'candle':
      return isInterval(value['interval']) ? { type, coin, interval: value['interval'] } : undefined;
    default:
      return undefined;
  }
}

/** The same for the same subscription, however it was spelled. */
export function subscriptionKey(subscription: Subscription): string {
  const coin = 'coin' in subscription ? { coin: subscription.coin.name } : {};
  return JSON.stringify({ ...subscription, ...coin });
}
