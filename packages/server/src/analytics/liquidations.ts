import type { Clock, HeardSpan } from '@crosstape/core';
import type { Bus } from '../platform/bus.ts';
import type { Log } from '../platform/log.ts';
import { LIQUIDATION_WINDOW_MS, type LiquidationShelf } from '../store/liquidation-shelf.ts';
import { heardTopic, liquidationTopic } from '../topics.ts';
import { type CoinLiquidations, LiquidationWindow } from './liquidation-window.ts';

/** When the liquidations of a venue were heard within the window. */
export interface VenueHearing {
  readonly venue: string;
  readonly isHeard: boolean;
  /** Oldest first. */
  readonly spans: readonly HeardSpan[];
}

/** What was liquidated within the window, and who was heard. */
export interface LiquidationReader {
  totals(): ReadonlyMap<string, CoinLiquidations>;
  hearing(): readonly VenueHearing[];
  /** Since when nothing is missing for want of room; 0 when nothing is. */
  readonly wholeSinceMs: number;
}

export interface LiquidationReaderOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly shelf: LiquidationShelf;
  readonly log: Log;
}

/** Counts what was recorded before and what comes. */
export async function openLiquidations(options: LiquidationReaderOptions): Promise<LiquidationReader> {
  const { clock, bus, shelf, log } = options;
  const window = new LiquidationWindow();
  try {
    for await (const rows of shelf.since(clock.now() - LIQUIDATION_WINDOW_MS)) {
      for (const row of rows) window.add(row, clock.now());
    }
  } catch (error) {
    log.error({ error }, 'the liquidations recorded before cannot be read');
  }
  bus.subscribe(liquidationTopic, (liquidation) => window.add(liquidation, clock.now()));
  return {
    totals: () => window.totals(clock.now()),
    hearing() {
      const nowMs = clock.now();
      return (bus.latest(heardTopic)?.message ?? []).map(({ venue, past, openSinceMs: from }) => ({
        venue,
        isHeard: from !== undefined,
        spans: [...past, ...(from === undefined ? [] : [{ venue, from, to: nowMs }])].filter(
          ({ to }) => to > nowMs - LIQUIDATION_WINDOW_MS,
        ),
      }));
    },
    get wholeSinceMs() {
      return window.forgottenUntilMs;
    },
  };
}
