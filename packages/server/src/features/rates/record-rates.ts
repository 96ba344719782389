import { type Clock, DAY_MS, MINUTE_MS } from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import type { Log } from '../../platform/log.ts';
import type { Retention } from '../../platform/retention.ts';
import type { Store } from '../../store/store.ts';
import { usdRatesTopic } from '../../topics.ts';
import { hourOf, type HourOfRates, UsdRateTable, withMinute } from './rate-table.ts';

const PRUNE_EVERY_MS = 3_600_000;

export interface RateRecorderOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly log: Log;
  readonly store: Store;
  /** Kept as long as the candles that are converted with them. */
  readonly candleDays: number;
  readonly keptFromMs: Retention;
}

/** Stores the rates of each minute, except stale ones. */
export function recordRates(options: RateRecorderOptions): { stop(): Promise<void> } {
  const { clock, bus, log, candleDays, keptFromMs } = options;
  const table = new UsdRateTable(options.store);
  /** The hour in progress: the next write repeats a failed one. */
  let hour: { readonly ts: number; rates: HourOfRates } | undefined;
  let working: Promise<void> | undefined;

  const record = async (nowMs: number): Promise<void> => {
    const { rates = {} } = bus.latest(usdRatesTopic)?.message ?? {};
    const fresh = Object.entries(rates).filter(([, { isStale }]) => !isStale);
    if (fresh.length === 0) return;
    const ts = hourOf(nowMs);
    if (hour?.ts !== ts) hour = { ts, rates: (await table.hour(ts)) ?? {} };
    const minuteTs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
    const byCurrency = Object.fromEntries(fresh.map(([currency, { rate }]) => [currency, rate]));
    hour.rates = withMinute(hour.rates, minuteTs, byCurrency);
    await table.put(ts, hour.rates);
  };
  /** One write at a time: while the store is slow, minutes are left out. */
  const write = (work: () => Promise<void>): void => {
    working ??= work()
      .catch((error: unknown) => log.error({ err: error }, 'the USD rates cannot be written'))
      .finally(() => {
        working = undefined;
      });
  };
  const timers = [
    clock.every(MINUTE_MS, () => write(() => record(clock.now()))),
    clock.every(PRUNE_EVERY_MS, () => {
      const beforeMs = keptFromMs(candleDays * DAY_MS);
      if (beforeMs !== undefined) write(() => table.prune(beforeMs));
    }),
  ];
  return {
    async stop() {
      for (const timer of timers) timer.cancel();
      await working;
    },
  };
}
