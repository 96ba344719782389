import {
  greeksOf,
  HOUR_MS,
  type IndexPrice,
  MINUTE_MS,
  type OptionQuote,
  type OptionTrade,
  yearsToExpiry,
} from '@crosstape/core';
import { rowAtMs, type Snapshot } from '../../../topics.ts';
import type { RecordedOptionTrade } from './option-trade-table.ts';

/** A forward and an index that were fetched further apart say nothing of each other. */
const SKEW_MAX_MS = MINUTE_MS;
/** How long the ratio of a forward to the index is used: it changes slowly. */
const RATIO_KEEP_MS = HOUR_MS;
const DIGITS = 6;

/** Ratios of forward to index, by coin and expiry. */
export type ForwardRatios = (coin: string, expiryMs: number) => number;

/** The ratios of a chain, where it and the index were fetched at about the same time, lately. Otherwise they are 1. */
export function forwardRatiosOf(
  chain: Snapshot<OptionQuote> | undefined,
  indexes: Snapshot<IndexPrice> | undefined,
  nowMs: number,
): ForwardRatios {
  const ratios = new Map<string, number>();
  if (chain && indexes && nowMs - chain.fetchedAtMs <= RATIO_KEEP_MS) {
    const near = indexes.rows.filter(
      (_, i) => Math.abs(rowAtMs(indexes, i) - chain.fetchedAtMs) <= SKEW_MAX_MS,
    );
    const indexOf = new Map(near.map(({ coin, index }) => [coin, index]));
    for (const { coin, expiryMs, forward } of chain.rows) {
      const index = indexOf.get(coin);
      if (index !== undefined && forward > 0) ratios.set(`${coin} ${expiryMs}`, forward / index);
    }
  }
  return (coin, expiryMs) => ratios.get(`${coin} ${expiryMs}`) ?? 1;
}

/**
 * A trade with its delta and vega: Black-76 with the volatility of its price and the forward of its expiry. Without a
 * volatility the option is worth what it would pay at once: its delta is that of the coin, or zero.
 */
export function withGreeks(trade: OptionTrade, ratioOf: ForwardRatios): RecordedOptionTrade {
  const { coin, expiryMs, type, strike, index, ivPct, ts } = trade;
  const forward = index * ratioOf(coin, expiryMs);
  const years = yearsToExpiry(expiryMs, ts);
  if (years === undefined || ivPct === 0) {
    const sign = type === 'C' ? 1 : -1;
    return { ...trade, delta: sign * (forward - strike) > 0 ? sign : 0, vega: 0 };
  }
  const { delta, vega } = greeksOf(type, { forward, strike, volatility: ivPct / 100, years });
  return { ...trade, delta: digits(delta), vega: digits(vega) };
}

function digits(value: number): number {
  return Number(value.toPrecision(DIGITS));
}
