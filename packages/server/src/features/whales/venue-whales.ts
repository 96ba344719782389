import type { Clock, Market, Trade } from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import type { Log } from '../../platform/log.ts';
import type { Retention } from '../../platform/retention.ts';
import { marketKey } from '../../store/market-key.ts';
import type { Store } from '../../store/store.ts';
import { type VenuePrint, venuePrintTopic } from '../../topics.ts';
import { VenuePrints } from './venue-prints.ts';
import { startWhaleRecorder } from './whale-recorder.ts';
import { VENUE_WHALES, WhaleTable } from './whale-table.ts';

export interface VenueWhalesOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly log: Log;
  readonly store: Store;
  readonly primaryVenue: string;
  readonly retentionDays: number;
  readonly keptFromMs: Retention;
  /** With several ingesters: resolves when this one publishes. */
  readonly led?: Promise<void> | undefined;
}

export interface VenueWhales {
  /** A trade of another than the primary venue, in its own unit. */
  add(market: Market, trade: Trade): void;
  /** Trades of a market that the previous ingester published in the last minutes. */
  takeUp(market: Market, published: readonly Trade[]): void;
  stop(): Promise<void>;
}

/** Publishes the larger prints of every recorded market, and stores those of other venues than the primary. */
export function startVenueWhales(options: VenueWhalesOptions): VenueWhales {
  const { store, primaryVenue } = options;
  const recorder = startWhaleRecorder({
    ...options,
    topic: venuePrintTopic,
    table: new WhaleTable<VenuePrint>(store, VENUE_WHALES),
    isRecorded: ({ market, coin }) => market !== marketKey(primaryVenue, coin),
  });
  const prints = new VenuePrints(options);
  return {
    add: (market, trade) => prints.add(market, trade),
    takeUp: (market, published) => prints.takeUp(market, published),
    async stop() {
      prints.stop();
      await recorder.stop();
    },
  };
}
