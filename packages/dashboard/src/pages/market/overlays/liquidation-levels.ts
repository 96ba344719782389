import type { Bar } from '../../../live/topic.ts';
import type { Sample } from '../indicator.ts';
import type { HeatColumn } from './book-heat.ts';

type LevelBar = Pick<Bar, 'openTs' | 'closeTs' | 'high' | 'low' | 'close'>;

/** Assumed leverages of new positions, with their shares: no venue publishes them. */
const leverages = [
  [10, 0.4],
  [25, 0.3],
  [50, 0.2],
  [100, 0.1],
] as const;
/** Assumed maintenance margin. */
const MAINTENANCE = 0.004;
/** Open interest is compared over this time: every half minute, noise would add up. */
const STEP_MS = 570_000;
/** Beyond, it is unknown when a change took place. */
const STEP_MAX_MS = 2 * 3_600_000;
/** Levels of this distance are one row. */
const ROW_SHARE = 0.001;
/** Below this share, all positions have been closed. */
const LEFT_MIN = 1e-9;
/** The newest bars only: older positions have been closed. */
export const BARS_MAX = 5_000;
const COLUMNS_MAX = 1_250;

interface OiChange {
  readonly ts: number;
  readonly venue: number;
  readonly from: number;
  readonly to: number;
}

/** Changes of open interest of all venues, oldest first. */
function changesOf(lists: readonly (readonly Sample[])[]): readonly OiChange[] {
  const changes = lists.flatMap((samples, venue) => {
    const found: OiChange[] = [];
    let before: Sample | undefined;
    for (const sample of samples) {
      const sinceMs = sample.ts - (before?.ts ?? -Infinity);
      if (sinceMs < STEP_MS) continue;
      const from = before && sinceMs <= STEP_MAX_MS ? before.value : sample.value;
      found.push({ ts: sample.ts, venue, from, to: sample.value });
      before = sample;
    }
    return found;
  });
  return changes.toSorted((a, b) => a.ts - b.ts);
}

const rowOf = (price: number): number => Math.round(Math.log(price) / ROW_SHARE);
const priceOf = (row: number): number => Math.exp(row * ROW_SHARE);

/** Coins by row of their price, of longs or shorts. */
type Rows = Map<number, number>;

/**
 * Estimated liquidation prices of the positions that were opened during some bars, as columns of a heat map: every
 * increase of open interest opens longs and shorts at the price of its bar, with the assumed leverages. A decrease closes
 * the same share of all of them; a level that is traded is gone. One list of open interest in coins for each venue.
 */
export function liquidationColumns(
  all: readonly LevelBar[],
  lists: readonly (readonly Sample[])[],
): readonly HeatColumn[] {
  const bars = all.slice(-BARS_MAX);
  const every = Math.ceil(bars.length / COLUMNS_MAX);
  const changes = changesOf(lists);
  const held = lists.map(() => 0);
  const [longs, shorts]: [Rows, Rows] = [new Map(), new Map()];
  const columns: HeatColumn[] = [];
  /** Share of the coins in all rows that has not been closed: cheaper than changing every row. */
  let left = 1;
  let at = 0;
  for (const [i, { openTs, closeTs, high, low, close }] of bars.entries()) {
    const [lowRow, highRow] = [rowOf(low), rowOf(high)];
    for (const row of longs.keys()) if (row >= lowRow) longs.delete(row);
    for (const row of shorts.keys()) if (row <= highRow) shorts.delete(row);
    for (; (changes[at]?.ts ?? Infinity) <= closeTs; at += 1) {
      const { ts, venue, from, to } = changes[at] as OiChange;
      held[venue] = from;
      const total = held.reduce((sum, value) => sum + value, 0);
      held[venue] = to;
      // Earlier ones have no price.
      if (ts < openTs && i === 0) continue;
      if (to < from) left *= 1 - (from - to) / total;
      if (left < LEFT_MIN) {
        for (const rows of [longs, shorts]) rows.clear();
        left = 1;
      }
      if (to > from) open(longs, shorts, (high + low + close) / 3, (to - from) / left);
    }
    if (i % every !== 0) continue;
    // Also where bars are missing.
    const last = columns.at(-1);
    if (last) last.toMs = openTs - 1;
    columns.push({ fromMs: openTs, toMs: closeTs, levels: levelsOf(left, longs, shorts) });
  }
  // What is left may still be reached.
  const last = columns.at(-1);
  if (last) Object.assign(last, { levels: levelsOf(left, longs, shorts), toMs: Infinity });
  return columns;
}

function open(longs: Rows, shorts: Rows, price: number, coins: number): void {
  for (const [leverage, share] of leverages) {
    const distance = 1 / leverage - MAINTENANCE;
    for (const [rows, level] of [
      [longs, price * (1 - distance)],
      [shorts, price * (1 + distance)],
    ] as const) {
      const row = rowOf(level);
      rows.set(row, (rows.get(row) ?? 0) + coins * share);
    }
  }
}

/** Pairs of a price and what would be liquidated there, in its currency. */
function levelsOf(left: number, ...sides: readonly Rows[]): Float64Array {
  const levels = new Float64Array(2 * sides.reduce((sum, { size }) => sum + size, 0));
  let place = 0;
  for (const rows of sides)
    for (const [row, coins] of rows) {
      const price = priceOf(row);
      levels[place] = price;
      levels[place + 1] = coins * left * price;
      place += 2;
    }
  return levels;
}
