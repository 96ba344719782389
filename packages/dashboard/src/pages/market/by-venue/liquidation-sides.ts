import { usd } from '../../../format/numbers.ts';
import { type Indicator, indicator } from '../indicator.ts';
import type { LiquidationEvent } from '../overlays/liquidation-map.ts';

export interface KnownLiquidations {
  /** Since when all of them are known: the oldest, if there is no older one on record. */
  readonly fromMs: number;
  /** There are older ones, which were not read: of a bar that began before, some are missing. */
  readonly isCut: boolean;
  /** Oldest first. */
  readonly events: readonly LiquidationEvent[];
}

/** Liquidated dollars of each bar: longs below zero, shorts above. */
export function liquidationSides(title: string, known: () => KnownLiquidations): Indicator {
  return indicator<number | undefined>({
    name: 'liqsides',
    label: 'Liquidated',
    title,
    isOverlay: false,
    lines: [
      { name: 'Longs', color: '--down', isColumns: true },
      { name: 'Shorts', color: '--up', isColumns: true },
    ],
    text: (value) => usd(Math.abs(value), { digits: 1 }),
    start: undefined,
    // Those between two bars, while the market itself did not trade, count with the later one.
    step(beforeTs, { openTs, closeTs }) {
      const { fromMs, isCut, events } = known();
      if ((isCut ? openTs : closeTs) < fromMs) return [closeTs, []];
      let [long, short] = [0, 0];
      for (let i = firstAfter(events, beforeTs ?? openTs - 1); i < events.length; i += 1) {
        const { ts, position, notionalUsd } = events[i]!;
        if (ts > closeTs) break;
        if (position === 'long') long += notionalUsd;
        else short += notionalUsd;
      }
      return [closeTs, [0 - long, short]];
    },
  });
}

/** Index of the first event after a time. */
function firstAfter(events: readonly LiquidationEvent[], ts: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[middle]!.ts <= ts) low = middle + 1;
    else high = middle;
  }
  return low;
}

export type FeedLiquidation = LiquidationEvent & { readonly venue: string; readonly size: number };

const keyOf = ({ ts, venue, price, size }: FeedLiquidation): string => `${ts} ${venue} ${price} ${size}`;

/** Stored events and those that were received since, each once, oldest first. */
export function joinEvents(
  stored: readonly FeedLiquidation[],
  live: readonly FeedLiquidation[],
): readonly FeedLiquidation[] {
  return withReceived(
    stored.toSorted((a, b) => a.ts - b.ts),
    live,
  );
}

/** The same where the stored ones are in order: those from before the first received one are not looked at. */
export function withReceived(
  stored: readonly FeedLiquidation[],
  live: readonly FeedLiquidation[],
): readonly FeedLiquidation[] {
  if (live.length === 0) return stored;
  const sinceTs = live.reduce((min, { ts }) => Math.min(min, ts), Infinity);
  const tail = stored.slice(firstAfter(stored, sinceTs - 1));
  const known = new Set(tail.map(keyOf));
  const added = live.filter((one) => !known.has(keyOf(one)));
  if (added.length === 0) return stored;
  const newest = [...tail, ...added].toSorted((a, b) => a.ts - b.ts);
  return [...stored.slice(0, stored.length - tail.length), ...newest];
}
