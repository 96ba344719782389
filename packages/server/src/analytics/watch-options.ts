import type { Bus } from '../platform/bus.ts';
import type { JobRunner } from '../platform/jobs.ts';
import type { Log } from '../platform/log.ts';
import { snapshotTopic } from '../topics.ts';
import { optionCoins, optionsVenueId } from './option-chain.ts';
import { optionFiguresTask, optionFiguresTopic } from './option-figures.ts';

/** A spot price that is so many polls older than the chain says nothing of it: another one is waited for. */
const INDEX_POLLS_MAX = 3;

export interface WatchOptionsOptions {
  readonly bus: Bus;
  /** Where figures are made: gamma at every spot of a grid would hold up the event loop. */
  readonly jobs: JobRunner;
  readonly log: Log;
}

export interface OptionWatch {
  stop(): Promise<void>;
}

/** Makes the figures of every chain once for each time that it is fetched, and publishes them. */
export function watchOptions({ bus, jobs, log }: WatchOptionsOptions): OptionWatch {
  const chainTopic = snapshotTopic(optionsVenueId, 'options');
  const indexTopic = snapshotTopic(optionsVenueId, 'indexPrices');
  const stopping = new AbortController();
  const { signal } = stopping;
  /** At most one at a time for each coin; what comes meanwhile makes one more. */
  const running = new Map<string, Promise<void>>();
  const waiting = new Set<string>();

  const spotOf = (coin: string, atMs: number): number | undefined => {
    const index = bus.latest(indexTopic)?.message;
    if (!index || atMs - index.fetchedAtMs > INDEX_POLLS_MAX * index.everyMs) return undefined;
    return index.rows.find((row) => row.coin === coin)?.index;
  };
  const make = async (coin: string): Promise<void> => {
    const chain = bus.latest(chainTopic)?.message;
    if (!chain) return;
    const spot = spotOf(coin, chain.fetchedAtMs);
    const options = chain.rows.filter((option) => option.coin === coin);
    const payload = { coin, options, atMs: chain.fetchedAtMs, ...(spot !== undefined && { spot }) };
    try {
      const figures = await jobs.run(optionFiguresTask, payload, { signal });
      if (!signal.aborted) bus.publish(optionFiguresTopic(coin), figures);
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
    bus.subscribe(chainTopic, () => {
      for (const coin of optionCoins) request(coin);
    }),
    // The index moves all the time; it matters only where a chain has waited for it.
    bus.subscribe(indexTopic, ({ rows }) => {
      if (!bus.latest(chainTopic)) return;
      for (const { coin } of rows) {
        if (bus.latest(optionFiguresTopic(coin))?.message.gex === undefined) request(coin);
      }
    }),
  ];
  return {
    stop: async () => {
      for (const unsubscribe of leave) unsubscribe();
      stopping.abort();
      await Promise.all(running.values());
    },
  };
}
