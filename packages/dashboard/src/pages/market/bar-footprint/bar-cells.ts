import { rowOf } from '../footprint-grid.ts';
import { valueArea } from '../overlays/volume-profile.ts';
import type { PrintRange, PrintStore } from './print-store.ts';

/** Volume in one row of prices of a bar. */
export interface BarCell {
  bought: number;
  sold: number;
  /** Whether one side is several times the opposite one a row further: `bought` against sold a row lower. */
  imbalance?: 'bought' | 'sold';
  /** One of several such rows on top of each other. */
  isStacked?: boolean;
}

export interface BarCells {
  /** A row has prices from `row × step`. */
  readonly rows: ReadonlyMap<number, BarCell>;
  /** The row with the most volume. */
  readonly poc: number;
  /** First and last row of the value area. */
  readonly valueFrom: number;
  readonly valueTo: number;
  /** Bought less sold size. */
  readonly delta: number;
  /** The maximum of one side of a cell. */
  readonly most: number;
}

/** One side is this many times the other. */
const IMBALANCE = 3;
const STACKED_ROWS = 3;

/** The trades of a bar by row of prices. */
export function cellsOf(
  store: Pick<PrintStore, 'priceAt' | 'sizeAt'>,
  { from, to }: PrintRange,
  step: number,
): BarCells | undefined {
  const rows = new Map<number, BarCell>();
  let delta = 0;
  for (let i = from; i < to; i += 1) {
    const row = rowOf(store.priceAt(i), step);
    const size = store.sizeAt(i);
    let cell = rows.get(row);
    if (!cell) rows.set(row, (cell = { bought: 0, sold: 0 }));
    if (size > 0) cell.bought += size;
    else cell.sold -= size;
    delta += size;
  }
  if (rows.size === 0) return undefined;
  const [low, high] = [Math.min(...rows.keys()), Math.max(...rows.keys())];
  const volumes = new Float64Array(high - low + 1);
  let most = 0;
  for (const [row, { bought, sold }] of rows) {
    volumes[row - low] = bought + sold;
    most = Math.max(most, bought, sold);
  }
  markImbalances(rows, volumes.reduce((sum, volume) => sum + volume, 0) / (2 * rows.size));
  const poc = volumes.indexOf(volumes.reduce((a, b) => Math.max(a, b), 0));
  const { valueFrom, valueTo } = valueArea(volumes, poc);
  return { rows, poc: low + poc, valueFrom: low + valueFrom, valueTo: low + valueTo, delta, most };
}

/**
 * Buyers lift what was offered a row lower, sellers hit what was bid a row higher. Sides below the mean do not count.
 */
function markImbalances(rows: ReadonlyMap<number, BarCell>, mean: number): void {
  for (const [row, cell] of rows) {
    const [below, above] = [rows.get(row - 1)?.sold ?? 0, rows.get(row + 1)?.bought ?? 0];
    const isBought = cell.bought > mean && cell.bought >= IMBALANCE * below;
    const isSold = cell.sold > mean && cell.sold >= IMBALANCE * above;
    if (isBought !== isSold) cell.imbalance = isBought ? 'bought' : 'sold';
  }
  for (const [row, cell] of rows) {
    const { imbalance } = cell;
    if (!imbalance || rows.get(row - 1)?.imbalance === imbalance) continue;
    let count = 1;
    while (rows.get(row + count)?.imbalance === imbalance) count += 1;
    for (let i = 0; i < count && count >= STACKED_ROWS; i += 1) rows.get(row + i)!.isStacked = true;
  }
}

const niceSteps = [1, 2, 5, 10];

/** A height of rows that people can count in, not below another. */
export function stepAbove(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * (niceSteps.find((step) => step * power >= least * (1 - 1e-9)) ?? 10);
}
