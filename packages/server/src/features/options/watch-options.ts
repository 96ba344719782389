import type { Clock, OptionQuote, Timer } from '@crosstape/core';
import type { Bus, LatestTopic } from '../../platform/bus.ts';
import type { JobRunner } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import { lastGoodMsOf, rowAtMs, type Snapshot, snapshotTopic } from '../../topics.ts';
import { optionCoins, optionsVenueId, optionTables, tableOfChain } from './option-chain.ts';
import {
  type OptionFigures,
  optionFiguresTask,
  optionFiguresTopic,
  type OptionsToFigure,
} from './option-figures.ts';

/**
 * A spot price or another book that is this many polls older than the chain does not match it: a newer one is waited
 * for.
 */
const OLDER_POLLS_MAX = 3;

export interface WatchOptionsOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  /** Computes figures: gamma at every spot of a grid would block the event loop. */
  readonly jobs: JobRunner;
  readonly log: Log;
}

export interface OptionWatch {
  stop(): Promise<void>;
}

/** Makes the figures of every chain once for each time that it is fetched, and when some of it expires, and publishes them. */
export function watchOptions({ clock, bus, jobs, log }: WatchOptionsOptions): OptionWatch {
  const chainTopic = (coin: string): LatestTopic<Snapshot<OptionQuote>> =>
    snapshotTopic(optionsVenueId, tableOfChain(coin));
  const usdcTopic = snapshotTopic(optionsVenueId, 'usdcOptions');
  const indexTopic = snapshotTopic(optionsVenueId, 'indexPrices');
  const stopping = new AbortController();
  const { signal } = stopping;
  /** At most one per coin; changes meanwhile cause one more. */
  const running = new Map<string, Promise<void>>();
  const waiting = new Set<string>();
  const expiring = new Map<string, Timer>();

  /** Inputs of the last or current computation. */
  const inputs = new Map<string, OptionsToFigure>();

  const spotOf = (coin: string, atMs: number): number | undefined => {
    const table = bus.latest(indexTopic)?.message;
    const i = table?.rows.findIndex((row) => row.coin === coin) ?? -1;
    return table && isRecent({ ...table, fetchedAtMs: rowAtMs(table, i) }, atMs)
      ? table.rows[i]?.index
      : undefined;
  };
  const otherOiOf = (coin: string, atMs: number): number | undefined => {
    if (tableOfChain(coin) === 'usdcOptions') return 0;
    const table = bus.latest(usdcTopic)?.message;
    if (!table || !isRecent(table, atMs)) return undefined;
    const live = table.rows.filter((one) => one.coin === coin && one.expiryMs > atMs);
    return live.reduce((sum, { openInterest }) => sum + openInterest, 0);
  };
  const figuresOf = (coin: string): OptionFigures | undefined =>
    bus.latest(optionFiguresTopic(coin))?.message;
  /** Expired options are removed at once, even without a new chain. */
  const awaitExpiry = ({ coin, options }: OptionsToFigure): void => {
    expiring.get(coin)?.cancel();
    const nextMs = options.reduce((ms, { expiryMs }) => Math.min(ms, expiryMs), Infinity);
    if (nextMs === Infinity) expiring.delete(coin);
    else
      expiring.set(
        coin,
        clock.after(nextMs - clock.now(), () => request(coin)),
      );
  };
  const make = async (coin: string): Promise<void> => {
    const chain = bus.latest(chainTopic(coin))?.message;
    if (!chain) return;
    const atMs = chain.fetchedAtMs;
    const spot = spotOf(coin, atMs);
    const otherOi = otherOiOf(coin, atMs);
    const payload = {
      coin,
      options: chain.rows.filter((option) => option.coin === coin && option.expiryMs > clock.now()),
      atMs,
      ...(spot !== undefined && { spot }),
      ...(otherOi !== undefined && { otherOi }),
    };
    inputs.set(coin, payload);
    awaitExpiry(payload);
    try {
      const figures = await jobs.run(optionFiguresTask, payload, { signal });
      if (signal.aborted) return;
      const { gex } = figuresOf(coin) ?? {};
      const isGood = gex && spot === undefined && atMs - gex.fetchedAtMs <= lastGoodMsOf(chain.everyMs);
      bus.publish(optionFiguresTopic(coin), isGood ? { ...figures, gex } : figures);
    } catch (error) {
      if (!signal.aborted) log.warn({ coin, err: error }, 'figures of options could not be made');
    }
  };
  const request = (coin: string): void => {
    if (signal.aborted) return;
    if (running.has(coin)) {
      waiting.add(coin);
      return;
    }
    const made = make(coin).finally(() => {
      running.delete(coin);
      if (waiting.delete(coin)) request(coin);
    });
    running.set(coin, made);
  };

  const leave = [
    ...optionTables.map((table) =>
      bus.subscribe(snapshotTopic(optionsVenueId, table), () => {
        for (const coin of optionCoins) if (tableOfChain(coin) === table) request(coin);
      }),
    ),
    // The index and the other book move all the time; they matter only where a chain has waited for them.
    bus.subscribe(usdcTopic, () => {
      for (const { coin, atMs, otherOi } of inputs.values())
        if (otherOi === undefined && otherOiOf(coin, atMs) !== undefined) request(coin);
    }),
    bus.subscribe(indexTopic, () => {
      for (const { coin, atMs, spot } of inputs.values())
        if (spot === undefined && spotOf(coin, atMs) !== undefined) request(coin);
    }),
  ];
  return {
    stop: async () => {
      for (const unsubscribe of leave) unsubscribe();
      for (const timer of expiring.values()) timer.cancel();
      stopping.abort();
      await Promise.all(running.values());
    },
  };
}

function isRecent(
  { fetchedAtMs, everyMs }: Pick<Snapshot<unknown>, 'fetchedAtMs' | 'everyMs'>,
  atMs: number,
): boolean {
  return atMs - fetchedAtMs <= OLDER_POLLS_MAX * everyMs;
}
