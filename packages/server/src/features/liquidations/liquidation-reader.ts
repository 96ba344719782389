import type { Clock } from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import type { Log } from '../../platform/log.ts';
import { LIQUIDATION_WINDOW_MS, liquidationKey, type LiquidationTable } from './liquidation-table.ts';
import { connectedVenuesTopic, liquidationTopic, usdRatesTopic } from '../../topics.ts';
import type { VenueConnection } from './liquidation-connection.ts';
import { type CoinLiquidations, LiquidationWindow } from './liquidation-window.ts';

/** The liquidations within the window, and the connected venues. */
export interface LiquidationReader {
  /** For a venue and coin that is replaced by another source, only the largest counts. */
  totals(isReplaced?: (venue: string, coin: string) => boolean): ReadonlyMap<string, CoinLiquidations>;
  connections(): readonly VenueConnection[];
  /** Since when nothing was dropped for lack of room; 0 if nothing was. */
  readonly wholeSinceMs: number;
  /** The aggregator for venues that were not connected; absent without a key. */
  readonly aggregator?: Aggregator;
}

export interface Aggregator {
  /** The id of its tables and health. */
  readonly id: string;
  /** The venues that it covers. */
  readonly venues: readonly string[];
}

export interface LiquidationReaderOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly table: LiquidationTable;
  readonly log: Log;
  readonly aggregator?: Aggregator;
}

/** Counts recorded and new liquidations. */
export async function openLiquidations(options: LiquidationReaderOptions): Promise<LiquidationReader> {
  const { clock, bus, table, log, aggregator } = options;
  const window = new LiquidationWindow();
  const recorded = new Set<string>();
  try {
    for await (const rows of table.since(clock.now() - LIQUIDATION_WINDOW_MS)) {
      for (const row of rows) {
        window.add(row, clock.now());
        recorded.add(liquidationKey(row).join(' '));
      }
    }
  } catch (error) {
    log.error({ err: error }, 'the liquidations recorded before cannot be read');
  }
  // Published before this was opened, but not recorded when it was read. Synchronous from here on.
  for (const liquidation of bus.log(liquidationTopic).since(0)) {
    if (!recorded.has(liquidationKey(liquidation).join(' '))) window.add(liquidation, clock.now());
  }
  bus.subscribe(liquidationTopic, (liquidation) => window.add(liquidation, clock.now()));
  return {
    ...(aggregator && { aggregator }),
    totals(isReplaced) {
      const { rates = {} } = bus.latest(usdRatesTopic)?.message ?? {};
      return window.totals(clock.now(), isReplaced, (currency) => rates[currency]?.rate);
    },
    connections() {
      const nowMs = clock.now();
      return (bus.latest(connectedVenuesTopic)?.message ?? []).map(({ venue, past, openSinceMs: from }) => ({
        venue,
        isConnected: from !== undefined,
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
