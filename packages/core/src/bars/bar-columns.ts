/** A bar as it is served. */
export interface Bar {
  /** Counts the bars of a build from 0, across resumes. */
  readonly index: number;
  readonly openTs: number;
  readonly closeTs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** In units of the coin. */
  readonly volume: number;
  readonly buyVolume: number;
  readonly notionalUsd: number;
  readonly trades: number;
  /** Bought minus sold volume in units of the coin, and its running extremes within the bar. */
  readonly delta: number;
  readonly minDelta: number;
  readonly maxDelta: number;
  readonly direction: number;
  /** False when a gap of the tape meets the time from the previous bar's close to this one's. */
  readonly complete: boolean;
  /** Fields of the kind, such as the `boxes` of a point-and-figure column. */
  readonly [extra: string]: number | boolean;
}

/** The numbers of every bar, in storage order. */
export const barColumnNames = [
  'openTs',
  'closeTs',
  'close',
  'open',
  'high',
  'low',
  'volume',
  'buyVolume',
  'delta',
  'minDelta',
  'maxDelta',
  'notionalUsd',
  'trades',
  'direction',
  'complete',
] as const;

export type BarColumnName = (typeof barColumnNames)[number];

/** One bar to be added to the columns. */
export type BarRow = Record<BarColumnName, number> & { readonly extras: number[] };

/** Closed bars as columns. The arrays are longer than `length`, and are replaced when they are full. */
export interface BarColumns extends Record<BarColumnName, Float64Array> {
  length: number;
  /** The index of the first bar here. */
  readonly firstIndex: number;
  /** The closing time of the bar before the first one here; null when there is none. */
  readonly previousCloseTs: number | null;
  readonly extraNames: readonly string[];
  readonly extras: Float64Array[];
}

/** Most bars in one set of columns: a week of seconds fits, and they take 130 MB. */
export const BARS_MAX = 2 ** 20;

const CAPACITY_MIN = 1024;
/** Columns that are full grow by this. */
const GROWTH = 2;

export interface BarColumnsOptions {
  readonly capacity?: number;
  readonly firstIndex?: number;
  readonly previousCloseTs?: number | null;
  readonly extraNames?: readonly string[];
}

export function createBarColumns(options: BarColumnsOptions = {}): BarColumns {
  const { capacity = CAPACITY_MIN, extraNames = [] } = options;
  const column = (): Float64Array => new Float64Array(capacity);
  return {
    length: 0,
    firstIndex: options.firstIndex ?? 0,
    previousCloseTs: options.previousCloseTs ?? null,
    extraNames,
    extras: extraNames.map(column),
    openTs: column(),
    closeTs: column(),
    close: column(),
    open: column(),
    high: column(),
    low: column(),
    volume: column(),
    buyVolume: column(),
    delta: column(),
    minDelta: column(),
    maxDelta: column(),
    notionalUsd: column(),
    trades: column(),
    direction: column(),
    complete: column(),
  };
}

export function createBarRow(extras: number): BarRow {
  return {
    openTs: 0,
    closeTs: 0,
    close: 0,
    open: 0,
    high: 0,
    low: 0,
    volume: 0,
    buyVolume: 0,
    delta: 0,
    minDelta: 0,
    maxDelta: 0,
    notionalUsd: 0,
    trades: 0,
    direction: 0,
    complete: 1,
    extras: Array.from({ length: extras }, () => 0),
  };
}

/** Appends a bar. Column by column: computed names are many times slower. */
export function pushBar(bars: BarColumns, row: BarRow): void {
  const i = bars.length;
  if (i >= bars.openTs.length) grow(bars);
  bars.openTs[i] = row.openTs;
  bars.closeTs[i] = row.closeTs;
  bars.close[i] = row.close;
  bars.open[i] = row.open;
  bars.high[i] = row.high;
  bars.low[i] = row.low;
  bars.volume[i] = row.volume;
  bars.buyVolume[i] = row.buyVolume;
  bars.delta[i] = row.delta;
  bars.minDelta[i] = row.minDelta;
  bars.maxDelta[i] = row.maxDelta;
  bars.notionalUsd[i] = row.notionalUsd;
  bars.trades[i] = row.trades;
  bars.direction[i] = row.direction;
  bars.complete[i] = row.complete;
  for (let k = 0; k < row.extras.length; k += 1) bars.extras[k]![i] = row.extras[k]!;
  bars.length = i + 1;
}

/** The bar at a position, 0 being the first one here. */
export function barAt(bars: BarColumns, position: number): Bar {
  const row = createBarRow(bars.extras.length);
  for (const name of barColumnNames) row[name] = bars[name][position]!;
  for (let k = 0; k < bars.extras.length; k += 1) row.extras[k] = bars.extras[k]![position]!;
  return rowToBar(row, bars.firstIndex + position, bars.extraNames);
}

export function rowToBar(row: BarRow, index: number, extraNames: readonly string[]): Bar {
  return {
    index,
    openTs: row.openTs,
    closeTs: row.closeTs,
    open: row.open,
    high: row.high,
    low: row.low,
    close: row.close,
    volume: row.volume,
    buyVolume: row.buyVolume,
    notionalUsd: row.notionalUsd,
    trades: row.trades,
    delta: row.delta,
    minDelta: row.minDelta,
    maxDelta: row.maxDelta,
    direction: row.direction,
    complete: row.complete === 1,
    ...Object.fromEntries(extraNames.map((name, k) => [name, row.extras[k]!])),
  };
}

/** Allocates for this many bars at once if that saves more than one growth: each one copies the bars. */
export function expectBars(bars: BarColumns, count: number): void {
  const capacity = Math.min(BARS_MAX, Math.ceil(count));
  if (capacity > bars.openTs.length * GROWTH) resize(bars, capacity);
}

function grow(bars: BarColumns): void {
  if (bars.length >= BARS_MAX) {
    throw new RangeError(
      `this build gives more than ${BARS_MAX} bars; ask for larger bars or a shorter time`,
    );
  }
  resize(bars, Math.min(BARS_MAX, Math.max(CAPACITY_MIN, bars.length * GROWTH)));
}

function resize(bars: BarColumns, capacity: number): void {
  const resized = (column: Float64Array): Float64Array => {
    const next = new Float64Array(capacity);
    next.set(column.subarray(0, bars.length));
    return next;
  };
  for (const name of barColumnNames) bars[name] = resized(bars[name]);
  for (let k = 0; k < bars.extras.length; k += 1) bars.extras[k] = resized(bars.extras[k]!);
}
