import { HOUR_MS, MINUTE_MS } from '@crosstape/core';
import { pagesOf, removeRange } from '../../store/pages.ts';
import type { Store, Table } from '../../store/store.ts';

const MINUTES = HOUR_MS / MINUTE_MS;

/** The rates of one hour by currency; null for a minute without one. */
export type HourOfRates = Readonly<Record<string, readonly (number | null)[]>>;

/** Start of the hour that a time is in. */
export function hourOf(ts: number): number {
  return Math.floor(ts / HOUR_MS) * HOUR_MS;
}

/** The hour with the rates of one minute set. */
export function withMinute(
  hour: HourOfRates,
  minuteTs: number,
  rates: Readonly<Record<string, number>>,
): HourOfRates {
  const at = (minuteTs - hourOf(minuteTs)) / MINUTE_MS;
  const set = Object.entries(rates).map(([currency, rate]) => {
    const minutes = hour[currency] ?? Array.from({ length: MINUTES }, () => null);
    return [currency, minutes.with(at, rate)] as const;
  });
  return { ...hour, ...Object.fromEntries(set) };
}

/** Rates of stablecoins in dollars, per minute. One row of the store has an hour. */
export class UsdRateTable {
  readonly #store: Store;
  readonly #table: Table<HourOfRates>;

  constructor(store: Store) {
    this.#store = store;
    this.#table = store.table<HourOfRates>('usd-rates', 'json');
  }

  hour(hourTs: number): Promise<HourOfRates | undefined> {
    return this.#table.get([hourTs]);
  }

  put(hourTs: number, hour: HourOfRates): Promise<void> {
    return this.#store.commit([this.#table.puts([{ key: [hourTs], value: hour }])]);
  }

  /** The minutes with a rate of one currency in `from <= ts < to`, oldest first. */
  async minutes(currency: string, from: number, to: number): Promise<RateMinutes> {
    const ts: number[] = [];
    const rate: number[] = [];
    const range = { from: [hourOf(Math.max(0, from))], to: [to] };
    for await (const rows of pagesOf(this.#table, range)) {
      for (const { key, value } of rows)
        for (const [i, one] of (value[currency] ?? []).entries()) {
          const minuteTs = (key[0] as number) + i * MINUTE_MS;
          if (one === null || minuteTs < from || minuteTs >= to) continue;
          ts.push(minuteTs);
          rate.push(one);
        }
    }
    return { ts, rate };
  }

  /** Forgets hours that end before `beforeMs`. */
  prune(beforeMs: number): Promise<void> {
    return removeRange(this.#store, this.#table, { to: [hourOf(beforeMs)] });
  }
}

export interface RateMinutes {
  readonly ts: readonly number[];
  readonly rate: readonly number[];
}
