import { HOUR_MS } from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import { usdRatesTopic } from '../../topics.ts';
import { type RateMinutes, UsdRateTable } from './rate-table.ts';
import type { Store } from '../../store/store.ts';

/** A time without a rate takes the closest one within this time of the range. */
const CLOSEST_MS = 24 * HOUR_MS;

/**
 * The rate of a currency in dollars in `ts <= ms < ts + spanMs`: the mean of its minutes, or else the closest rate.
 * `undefined` if none is known.
 */
export type RateAt = (ts: number, spanMs: number) => number | undefined;

export interface RateHistory {
  /** The rates of a currency in `from <= ts < to`. */
  of(currency: string, from: number, to: number): Promise<RateAt>;
}

export function createRateHistory({ store, bus }: { readonly store: Store; readonly bus: Bus }): RateHistory {
  const table = new UsdRateTable(store);
  return {
    async of(currency, from, to) {
      if (currency === 'USD') return () => 1;
      const minutes = await table.minutes(currency, from - CLOSEST_MS, to + CLOSEST_MS);
      // The minute in progress is not written yet.
      const now = bus.latest(usdRatesTopic)?.message;
      const rate = now?.rates[currency];
      return rateAt(
        now && rate && (minutes.ts.at(-1) ?? -1) < now.atMs
          ? { ts: [...minutes.ts, now.atMs], rate: [...minutes.rate, rate.rate] }
          : minutes,
      );
    },
  };
}

export function rateAt({ ts: times, rate: rates }: RateMinutes): RateAt {
  let last = 0;
  return (ts, spanMs) => {
    const from = firstAtOrAfter(times, ts, last);
    const to = firstAtOrAfter(times, ts + spanMs, from);
    last = from;
    if (from < to) {
      let sum = 0;
      for (let i = from; i < to; i += 1) sum += rates[i]!;
      return sum / (to - from);
    }
    // Reading an array at -1 is slow.
    if (from === 0) return rates[0];
    const [before, after] = [times[from - 1]!, times[from]];
    return after === undefined || ts - before <= after - ts ? rates[from - 1] : rates[from];
  };
}

/** How far from `near` a linear search goes: times are mostly requested in order. */
const NEAR = 4;

function firstAtOrAfter(times: readonly number[], ts: number, near: number): number {
  if (near === 0 || times[near - 1]! < ts) {
    const end = Math.min(near + NEAR, times.length);
    for (let i = near; i < end; i += 1) if (times[i]! >= ts) return i;
    if (end === times.length) return end;
  }
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! < ts) low = middle + 1;
    else high = middle;
  }
  return low;
}
