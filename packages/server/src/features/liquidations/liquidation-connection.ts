import type { ConnectedSpan } from '@crosstape/core';
import { LIQUIDATION_WINDOW_MS } from './liquidation-table.ts';

/** Less than this, in all, is reconnects, not a hole worth telling (decision 0027). */
const HOLE_MIN_MS = 60_000;

/** When the liquidations of a venue were heard within the window. */
export interface VenueHearing {
  readonly venue: string;
  readonly isHeard: boolean;
  /** Oldest first. */
  readonly spans: readonly ConnectedSpan[];
}

/** How long a venue was not heard since it first was within the window; 0 when that is too short to be worth telling. */
export function holesMs(hearing: VenueHearing, nowMs: number): number {
  return unheardMs(hearing, hearing.spans[0]?.from ?? nowMs, nowMs);
}

/** Whether a venue was heard for the whole window. */
export function isHeardThroughout(hearing: VenueHearing, nowMs: number): boolean {
  return hearing.isHeard && unheardMs(hearing, nowMs - LIQUIDATION_WINDOW_MS, nowMs) === 0;
}

function unheardMs({ spans }: VenueHearing, fromMs: number, nowMs: number): number {
  let missingMs = 0;
  let untilMs = Math.max(fromMs, nowMs - LIQUIDATION_WINDOW_MS);
  for (const { from, to } of spans) {
    missingMs += Math.max(0, from - untilMs);
    untilMs = Math.max(untilMs, to);
  }
  return missingMs < HOLE_MIN_MS ? 0 : missingMs;
}
