import { type Candle, type Clock, intervalStart, type Timer } from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import type { Log } from '../../platform/log.ts';
import { nextTurn } from '../../platform/next-turn.ts';
import { marketKey } from '../../store/market-key.ts';
import type { Store } from '../../store/store.ts';
import { type HalfHours, halfHoursTopic } from '../../topics.ts';
import { CandleTable, minuteLevel } from '../candles/candle-table.ts';
import { whenCaughtUp } from '../candles/when-caught-up.ts';
import type { TickTable } from '../tape/tick-table.ts';

export const HALF_HOUR_MS = 1_800_000;
/** A day of them. */
export const HALF_HOURS = 48;
/** Trades of a half hour are written a little after its end. */
const WRITTEN_AFTER_MS = 3_000;
const AGAIN_MS = 60_000;
/** A day that begins at a half hour. */
const BLOCKS_MAX = (HALF_HOURS * HALF_HOUR_MS) / minuteLevel.blockMs + 1;

export interface WatchClosesOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly log: Log;
  readonly store: Store;
  /** The tape of the primary venue. */
  readonly ticks: Pick<TickTable, 'coins'>;
  readonly venue: string;
  /** The newest minute of a coin, which is not in the ledger yet. */
  readonly openCandle: (coin: string) => Candle | undefined;
}

/**
 * Publishes the closing prices of the last day's half hours, from the ledger of candles: the whole day once every
 * recorded trade is in it, then each as it ends. The returned function stops it.
 */
export function watchCloses({
  clock,
  bus,
  log,
  store,
  ticks,
  venue,
  openCandle,
}: WatchClosesOptions): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const table = new CandleTable(store);
  let timer: Timer | undefined;
  let known: HalfHours | undefined;
  let working = Promise.resolve();

  const read = async (): Promise<void> => {
    const untilMs = intervalStart(clock.now() - WRITTEN_AFTER_MS, HALF_HOUR_MS);
    const sinceMs = Math.max(known?.untilMs ?? 0, untilMs - HALF_HOURS * HALF_HOUR_MS);
    if (sinceMs >= untilMs) return;
    const unknown = Array.from({ length: HALF_HOURS }, () => null);
    const byCoin: Record<string, readonly (number | null)[]> = {};
    for (const coin of await ticks.coins()) {
      const closes = new Closes(sinceMs, untilMs);
      const blocks = await table.newestBlocks(
        minuteLevel,
        marketKey(venue, coin),
        sinceMs,
        untilMs,
        BLOCKS_MAX,
      );
      for (const block of blocks.toReversed()) block.each((candle) => closes.add(candle));
      const open = openCandle(coin);
      if (open) closes.add(open);
      byCoin[coin] = [...(known?.byCoin[coin] ?? unknown), ...closes.prices].slice(-HALF_HOURS);
      await nextTurn();
      if (signal.aborted) return;
    }
    known = { untilMs, byCoin };
    bus.publish(halfHoursTopic, known);
  };
  const turn = async (): Promise<void> => {
    if (signal.aborted) return;
    let inMs = HALF_HOUR_MS - ((clock.now() - WRITTEN_AFTER_MS) % HALF_HOUR_MS);
    try {
      await read();
    } catch (error) {
      log.warn({ err: error }, 'closing prices cannot be read from the record');
      inMs = AGAIN_MS;
    }
    if (!signal.aborted) timer = clock.after(inMs, next);
  };
  function next(): void {
    working = turn();
  }
  const leave = whenCaughtUp(bus, next);

  return async () => {
    stopping.abort();
    leave();
    timer?.cancel();
    await working;
  };
}

/** The price of the last recorded trade in each half hour of `fromMs <= ms < toMs`; null for those without one. */
class Closes {
  readonly prices: (number | null)[];
  readonly #fromMs: number;
  readonly #toMs: number;

  constructor(fromMs: number, toMs: number) {
    this.prices = Array.from({ length: (toMs - fromMs) / HALF_HOUR_MS }, () => null);
    this.#fromMs = fromMs;
    this.#toMs = toMs;
  }

  /** The oldest first. */
  add({ ts, origin, close, priceDecimals }: Candle): void {
    if (ts < this.#fromMs || ts >= this.#toMs || origin !== 'tape') return;
    this.prices[Math.floor((ts - this.#fromMs) / HALF_HOUR_MS)] = close / 10 ** priceDecimals;
  }
}
