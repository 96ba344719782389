import type { Clock, Trade } from '@crosstape/core';
import { createLiquidationInference, type LiquidationInference } from './inferred-liquidations.ts';
import { MEMORY_MS } from './order-sizes.ts';
import { recallSizesTask } from './order-sizes-on-tape.ts';
import { quoteWorths } from '../rates/quote-worth.ts';
import type { FeedSink } from '../../ingest/feed-sink.ts';
import type { Bus } from '../../platform/bus.ts';
import type { JobRunner } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import { LiquidationHourRecorder } from './hour-recorder.ts';
import { LiquidationHourTable } from './hour-table.ts';
import { LiquidationRecorder } from './liquidation-recorder.ts';
import type { Retention } from '../../platform/retention.ts';
import { LiquidationTable } from './liquidation-table.ts';
import type { Store } from '../../store/store.ts';
import { rowAtMs, snapshotTopic } from '../../topics.ts';

export interface LiquidationsOptions {
  readonly clock: Clock;
  readonly keptFromMs: Retention;
  readonly bus: Bus;
  readonly log: Log;
  readonly store: Store;
  /** Id of the venue whose liquidations are inferred from its tape. */
  readonly primaryVenue: string;
  /** Whether the primary venue's liquidations of a time are reported by a node: then none are inferred. */
  readonly isMeasured?: (ts: number) => boolean;
  /** The recorded tape, and its reader. */
  readonly tape?: { readonly folder: string; readonly jobs: JobRunner };
}

export interface Liquidations {
  /** A trade of the primary venue's tape. */
  trade(trade: Trade): void;
  /** Takes liquidations of all venues, and when their feeds were up. */
  readonly receive: FeedSink;
  stop(): Promise<void>;
}

/** Joins liquidations reported by venues, those inferred for the primary venue, and the record. */
export async function startLiquidations(options: LiquidationsOptions): Promise<Liquidations> {
  const { bus, store, primaryVenue, isMeasured = () => false } = options;
  const table = new LiquidationTable(store);
  const recorder = await LiquidationRecorder.open({
    ...options,
    table,
    onTaken: (liquidation) => hours.add(liquidation),
    worthsOf: (venue) => quoteWorths((topic) => bus.latest(topic)?.message, venue),
  });
  const hours = await LiquidationHourRecorder.open({
    ...options,
    events: table,
    hours: new LiquidationHourTable(store),
  });
  const inference = createLiquidationInference({
    emit: (liquidation) => {
      if (!isMeasured(liquidation.ts)) recorder.take(liquidation);
    },
  });
  const leave = bus.subscribe(snapshotTopic(primaryVenue, 'openInterest'), (snapshot) => {
    const { rows, fetchedAtMs } = snapshot;
    for (const [i, { coin, coins }] of rows.entries())
      if (rowAtMs(snapshot, i) === fetchedAtMs) inference.openInterest(coin, coins, fetchedAtMs);
  });
  const stopping = new AbortController();
  let isWarm = false;
  return {
    trade(trade) {
      inference.trade(trade);
      if (isWarm) return;
      isWarm = true;
      void warmUp(inference, trade.ts, options, stopping.signal);
    },
    receive: recordLiquidations(recorder, primaryVenue),
    async stop() {
      leave();
      stopping.abort();
      await recorder.stop();
      await hours.stop();
    },
  };
}

/** Reads the usual order sizes from the tape in the background. Without it they are learned again. */
async function warmUp(
  inference: LiquidationInference,
  untilMs: number,
  { tape, log }: LiquidationsOptions,
  signal: AbortSignal,
): Promise<void> {
  if (!tape) return;
  const { folder, jobs } = tape;
  try {
    const payload = { folder, sinceMs: untilMs - MEMORY_MS, untilMs };
    const recalled = await jobs.run(recallSizesTask, payload, { signal });
    for (const [coin, sizes] of recalled) inference.recall(coin, sizes);
  } catch (error) {
    if (!signal.aborted) log.warn({ err: error }, 'the usual sizes of orders cannot be read from the tape');
  }
}

function recordLiquidations(recorder: LiquidationRecorder, primaryVenue: string): FeedSink {
  // The primary venue's are inferred from its trades, or measured from the fills of a node.
  const primaryFeeds = new Set<string>();
  return (event) => {
    const { venue, feed } = event;
    switch (event.type) {
      case 'frame':
        if (event.frame.kind === 'liquidations')
          recorder.add(venue, event.frame.liquidations, event.frame.isBackfill);
        return;
      case 'refilled':
        if (event.frame.kind === 'liquidations') recorder.add(venue, event.frame.liquidations, true);
        return;
      case 'bridged':
        if (feed === 'liquidations') recorder.bridge({ venue, from: event.fromMs, to: event.toMs });
        return;
      case 'feed':
        // The recorder sees one connection a venue, however many sockets it takes.
        if (venue !== primaryVenue) {
          if (feed === 'liquidations') recorder.socket(venue, 0, event.kind, event.lastReceivedMs);
          return;
        }
        if (feed !== 'trades' && feed !== 'liquidations') return;
        if (event.kind === 'up') primaryFeeds.add(feed);
        else primaryFeeds.delete(feed);
        recorder.socket(venue, 0, primaryFeeds.size > 0 ? 'up' : 'down', event.lastReceivedMs);
        return;
      case 'socket':
      case 'carried':
      case 'refused':
        return;
    }
  };
}
