import { roundTo } from '@crosstape/core';
import { usualName } from './coin-aliases.ts';
import { type ReportOdd, readDecimal, readOptional } from './reading.ts';
import type { Known } from './venue.ts';

/** The supported quote currencies. */
export const DOLLARS: ReadonlySet<unknown> = new Set(['USD', 'USDT', 'USDC']);
/** Coins whose price is always polled. */
const ALWAYS_WANTED: ReadonlySet<string> = new Set(['BTC', 'ETH', 'SOL', 'XRP', 'USDT']);
const PERCENT_DECIMALS = 6;

/** For a venue that serves some data pair by pair: those that are always polled … */
export function alwaysPairs({ instruments = [] }: Known): readonly string[] {
  return instruments
    .filter(({ coin, quote }) => quote === 'USD' && ALWAYS_WANTED.has(coin))
    .map(({ symbol }) => symbol);
}

/** … and with them those requested that it lists. */
export function wantedPairs(known: Known, asked: readonly string[]): readonly string[] {
  const listed = new Set(known.instruments?.map(({ symbol }) => symbol));
  return [...new Set([...alwaysPairs(known), ...asked.filter((key) => listed.has(key))])];
}

/** `BTCUSDT` is BTC in USDT: no other currency of these venues ends like one of these two. */
export function splitPair(symbol: string): { readonly coin: string; readonly quote: string } | undefined {
  const quote = symbol.slice(-4);
  const coin = usualName(symbol.slice(0, -4));
  return coin !== '' && (quote === 'USDT' || quote === 'USDC') ? { coin, quote } : undefined;
}

/** A price that may be missing, such as the best bid where that side of the book is empty: venues also write a zero then. */
export function readPrice(value: unknown, what: string, odd: ReportOdd): number | undefined {
  const price = readOptional(value, what, readDecimal, odd);
  return price !== undefined && price > 0 ? price : undefined;
}

export function changePct(last: number, before: number): number {
  return roundTo((last / before - 1) * 100, PERCENT_DECIMALS);
}
