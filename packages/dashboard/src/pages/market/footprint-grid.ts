import type { PayloadOf } from '@crosstape/client';
import { compact, plain } from '../../format/numbers.ts';

type FootprintBar = PayloadOf<'footprint'>;

/** Volume bought and sold between two prices, within one bar. */
export interface FootprintCell {
  readonly bought: number;
  readonly sold: number;
}

export interface FootprintColumn {
  readonly bar: FootprintBar;
  /** By row; rows without a trade are absent. */
  readonly cells: ReadonlyMap<number, FootprintCell>;
  /** The row with the most volume. */
  readonly poc: number | undefined;
  /** The maximum of one side of its cells. */
  readonly most: number;
}

export interface FootprintGrid {
  /** Height of a row in dollars. */
  readonly step: number;
  /** Number of the highest row; a row has prices from `row × step`. */
  readonly top: number;
  readonly rows: number;
  readonly columns: readonly FootprintColumn[];
  /** The maximum of one side over all cells. */
  readonly most: number;
}

/**
 * Puts bars on a common grid of prices with at most this many rows, so that they can be compared side by side.
 * Unchanged columns of the previous grid are the same objects.
 */
export function gridOf(
  bars: readonly FootprintBar[],
  rowsMax: number,
  before: FootprintGrid = emptyGrid,
): FootprintGrid {
  let low = Number.POSITIVE_INFINITY;
  let high = 0;
  for (const { levels } of bars) {
    for (const [price = 0] of levels) {
      low = Math.min(low, price);
      high = Math.max(high, price);
    }
  }
  if (high === 0) return emptyGrid;
  const step = stepOf(low, high, rowsMax);
  const known = new Map(before.step === step ? before.columns.map((column) => [column.bar, column]) : []);
  const columns = bars.map((bar) => known.get(bar) ?? columnOf(bar, step));
  const most = Math.max(...columns.map((column) => column.most));
  const top = rowOf(high, step);
  return { step, top, rows: top - rowOf(low, step) + 1, columns, most };
}

export const emptyGrid: FootprintGrid = { step: 1, top: 0, rows: 0, columns: [], most: 0 };

/** The row of a price. */
export function rowOf(price: number, step: number): number {
  // A price on the border belongs to the row that begins there, despite floating-point errors.
  return Math.floor(price / step + 1e-9);
}

/** Heights of rows that people can count in. */
const niceSteps = [1, 2, 2.5, 3, 4, 5, 6, 8, 10, 20];

/** The least of them that has room for all. */
function stepOf(low: number, high: number, rowsMax: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max((high - low) / rowsMax, high * 1e-9)));
  const fits = (step: number): boolean => rowOf(high, step) - rowOf(low, step) < rowsMax;
  return niceSteps.map((one) => one * power).find(fits) ?? power * 100;
}

function columnOf(bar: FootprintBar, step: number): FootprintColumn {
  const cells = new Map<number, FootprintCell>();
  for (const [price = 0, bought = 0, sold = 0] of bar.levels) {
    const row = rowOf(price, step);
    const before = cells.get(row) ?? { bought: 0, sold: 0 };
    cells.set(row, { bought: before.bought + bought, sold: before.sold + sold });
  }
  let poc: number | undefined;
  let total = 0;
  let most = 0;
  for (const [row, { bought, sold }] of cells) {
    most = Math.max(most, bought, sold);
    if (bought + sold <= total) continue;
    total = bought + sold;
    poc = row;
  }
  return { bar, cells, poc, most };
}

/** A size in a cell. */
export function short(value: number): string {
  if (Math.abs(value) >= 1_000) return compact(value, 1);
  return Math.abs(value) >= 10 ? plain(value, 1) : plain(value, 2);
}
