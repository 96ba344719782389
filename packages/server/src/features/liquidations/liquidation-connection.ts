import type { ConnectedSpan } from '@crosstape/core';
import { LIQUIDATION_WINDOW_MS } from './liquidation-table.ts';

/** Less missing time than this, in total over the window, is ordinary reconnects and not reported (decision 0017). */
const GAP_MIN_MS = 60_000;

/** When the liquidation feed of a venue was connected within the window. */
export interface VenueConnection {
  readonly venue: string;
  readonly isConnected: boolean;
  /** Oldest first. */
  readonly spans: readonly ConnectedSpan[];
}

/** How long a venue was not connected since it first was within the window; 0 when that is too short to report. */
export function disconnectedMs(connection: VenueConnection, nowMs: number): number {
  return disconnectedWithin(connection, connection.spans[0]?.from ?? nowMs, nowMs);
}

/** Whether a venue was connected for the whole window. */
export function isConnectedThroughout(connection: VenueConnection, nowMs: number): boolean {
  return connection.isConnected && disconnectedWithin(connection, nowMs - LIQUIDATION_WINDOW_MS, nowMs) === 0;
}

function disconnectedWithin({ spans }: VenueConnection, fromMs: number, nowMs: number): number {
  let missingMs = 0;
  let untilMs = Math.max(fromMs, nowMs - LIQUIDATION_WINDOW_MS);
  for (const { from, to } of spans) {
    missingMs += Math.max(0, from - untilMs);
    untilMs = Math.max(untilMs, to);
  }
  return missingMs < GAP_MIN_MS ? 0 : missingMs;
}
