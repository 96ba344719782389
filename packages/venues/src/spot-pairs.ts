import { roundTo } from '@crosstape/core';
import { readDecimal } from './reading.ts';
import type { Known } from './venue.ts';

/** The currencies whose pairs are told. */
export const DOLLARS: ReadonlySet<unknown> = new Set(['USD', 'USDT', 'USDC']);
/** Coins of which somebody always wants to know the price. */
const ALWAYS_WANTED: ReadonlySet<string> = new Set(['BTC', 'ETH', 'SOL', 'XRP', 'USDT']);
const PERCENT_DECIMALS = 6;

/** Of a venue that tells some things pair by pair: those that are always wanted … */
export function alwaysPairs({ instruments = [] }: Known): readonly string[] {
  return instruments
    .filter(({ coin, quote }) => quote === 'USD' && ALWAYS_WANTED.has(coin))
    .map(({ symbol }) => symbol);
}

/** … and with them those asked for that it lists. */
export function wantedPairs(known: Known, asked: readonly string[]): readonly string[] {
  const listed = new Set(known.instruments?.map(({ symbol }) => symbol));
  return [...new Set([...alwaysPairs(known), ...asked.filter((key) => listed.has(key))])];
}

/** `BTCUSDT` is BTC in USDT: no other currency of these venues ends like one of these two. */
export function splitPair(symbol: string): { readonly coin: string; readonly quote: string } | undefined {
  const quote = symbol.slice(-4);
  const coin = symbol.slice(0, -4);
  return coin !== '' && (quote === 'USDT' || quote === 'USDC') ? { coin, quote } : undefined;
}

/** The best bid or ask; nothing where that side of the book is empty, which venues tell in several ways. */
export function readSide(value: unknown, what: string): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const price = readDecimal(value, what);
  return price > 0 ? price : undefined;
}

/** Both sides as far as they are there. */
export function sidesOf(
  bid: number | undefined,
  ask: number | undefined,
): { readonly bid?: number; readonly ask?: number } {
  return { ...(bid === undefined ? {} : { bid }), ...(ask === undefined ? {} : { ask }) };
}

export function changePct(last: number, before: number): number {
  return roundTo((last / before - 1) * 100, PERCENT_DECIMALS);
}
