import { DAY_MS } from '@crosstape/core';
import { impactPrice } from '../../market/book.ts';
import type { Coin } from '../../market/coins.ts';
import type { Market } from '../../market/market.ts';
import { priceDecimals, tickAt } from '../../market/tick.ts';
import { isSparse } from '../sparse-rows.ts';
import { decimal } from './print.ts';
import { universeOf } from './universe.ts';

/** The order size at which the impact prices are taken. */
const IMPACT_USD = 20_000;
const IMPACT_USD_SMALL = 6000;
const IMPACT_LEVELS = 20;

/**
 * {"funding":"-0.0000015186","openInterest":"27353.17682","prevDayPx":"76317.0","dayNtlVlm":"1516669192.1953897476",
 *  "premium":"-0.0005927453","oraclePx":"77605.0","markPx":"77562.0","midPx":"77558.5",
 *  "impactPxs":["77558.0","77559.0"],"dayBaseVlm":"19707.77457"}
 * https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/info-endpoint/perpetuals
 */
export interface WireContext {
  readonly funding: string;
  readonly openInterest: string;
  readonly prevDayPx: string;
  readonly dayNtlVlm: string;
  readonly premium: string | null;
  readonly oraclePx: string;
  readonly markPx: string;
  readonly midPx: string | null;
  readonly impactPxs: readonly [string, string] | null;
  /** Captured contexts lack it now and then [L]. */
  readonly dayBaseVlm?: string;
}

export function printContext(market: Market, coin: Coin, atMs: number): WireContext {
  if (coin.isDelisted) return delisted(coin);
  const quote = market.quote(coin.name, atMs);
  const book = market.book(coin.name, atMs, IMPACT_LEVELS);
  const volume = market.volume24h(coin.name, atMs);
  const impactUsd = coin.leverageMax > 20 ? IMPACT_USD : IMPACT_USD_SMALL;
  const decimals = priceDecimals(coin.sizeDecimals);
  return {
    funding: decimal(market.funding(coin.name, atMs).rate),
    openInterest: decimal(market.openInterest(coin.name, atMs), coin.sizeDecimals),
    prevDayPx: decimal(market.quote(coin.name, atMs - DAY_MS).mark),
    dayNtlVlm: decimal(volume.usd),
    premium: decimal(quote.premium),
    oraclePx: onTick(quote.index, decimals),
    markPx: decimal(quote.mark),
    midPx: decimal(quote.mid, decimals + 1),
    impactPxs: [
      decimal(impactPrice(book.bids, impactUsd), decimals),
      decimal(impactPrice(book.asks, impactUsd), decimals),
    ],
    ...(isSparse(coin.name) ? {} : { dayBaseVlm: decimal(volume.coins, coin.sizeDecimals) }),
  };
}

/** The contexts of a dex, in the order of its universe. */
export function printContexts(market: Market, dex: string, atMs: number): WireContext[] {
  return universeOf(market, dex).map((coin) => printContext(market, coin, atMs));
}

function onTick(price: number, decimals: number): string {
  const scale = 10 ** decimals;
  const tick = tickAt(price * scale, scale);
  return decimal((Math.round((price * scale) / tick) * tick) / scale);
}

function delisted(coin: Coin): WireContext {
  const price = decimal(coin.price);
  return {
    funding: '0.0',
    openInterest: '0.0',
    prevDayPx: price,
    dayNtlVlm: '0.0',
    premium: null,
    oraclePx: price,
    markPx: price,
    midPx: null,
    impactPxs: null,
    dayBaseVlm: '0.0',
  };
}
