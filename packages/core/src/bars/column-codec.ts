import type { BarColumnName, BarColumns } from './bar-columns.ts';
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';

/**
 * Columns of decimals as bytes. The columns of a group (prices, for example) are integers times a common 10^-decimals.
 * `fold` replaces each by its distance from a prediction, in place, and `unfold` reverses it: predictions use only what
 * a reader has decoded by then. A group with a number that is no such decimal is stored as plain 64-bit floats.
 */
interface ColumnGroup {
  readonly names: readonly BarColumnName[];
  fold(columns: readonly Float64Array[]): void;
  unfold(columns: readonly Float64Array[]): void;
}

/** A group of floats. */
const FLOATS = 255;
const DECIMALS_MAX = 16;
/** Distances from a prediction stay below 2^52, so that every step is exact. */
const WHOLE_MAX = 2 ** 50;
/** Floats of this size have no fraction: adding and subtracting it rounds numbers below 2^51. */
const NO_FRACTION = 1.5 * 2 ** 52;
/** Numbers per step. */
const STEP_NUMBERS = 2 ** 14;

type Columns<N extends string> = Readonly<Record<N, Float64Array>>;

function times([openTs, closeTs]: readonly Float64Array[]): Columns<'openTs' | 'closeTs'> {
  return { openTs: openTs!, closeTs: closeTs! };
}

const timeGroup: ColumnGroup = {
  names: ['openTs', 'closeTs'],
  fold(columns) {
    const { openTs, closeTs } = times(columns);
    const last = openTs.length - 1;
    // A bar usually ends right before the next one opens.
    for (let i = 0; i <= last; i += 1) closeTs[i] = closeTs[i]! - openTs[i < last ? i + 1 : i]!;
    for (let i = last; i > 0; i -= 1) openTs[i] = openTs[i]! - openTs[i - 1]!;
  },
  unfold(columns) {
    const { openTs, closeTs } = times(columns);
    const last = openTs.length - 1;
    for (let i = 1; i <= last; i += 1) openTs[i] = openTs[i]! + openTs[i - 1]!;
    for (let i = 0; i <= last; i += 1) closeTs[i] = closeTs[i]! + openTs[i < last ? i + 1 : i]!;
  },
};

function prices([close, open, high, low]: readonly Float64Array[]): Columns<
  'close' | 'open' | 'high' | 'low'
> {
  return { close: close!, open: open!, high: high!, low: low! };
}

const priceGroup: ColumnGroup = {
  names: ['close', 'open', 'high', 'low'],
  fold(columns) {
    const { close, open, high, low } = prices(columns);
    for (let i = close.length - 1; i >= 0; i -= 1) {
      const before = i > 0 ? close[i - 1]! : 0;
      high[i] = high[i]! - Math.max(close[i]!, open[i]!);
      low[i] = low[i]! - Math.min(close[i]!, open[i]!);
      open[i] = open[i]! - (i > 0 ? before : close[i]!);
      close[i] = close[i]! - before;
    }
  },
  unfold(columns) {
    const { close, open, high, low } = prices(columns);
    for (let i = 0; i < close.length; i += 1) {
      const before = i > 0 ? close[i - 1]! : 0;
      close[i] = close[i]! + before;
      open[i] = open[i]! + (i > 0 ? before : close[i]!);
      high[i] = high[i]! + Math.max(close[i]!, open[i]!);
      low[i] = low[i]! + Math.min(close[i]!, open[i]!);
    }
  },
};

type SizeName = 'volume' | 'buyVolume' | 'delta' | 'minDelta' | 'maxDelta';

function sizes([volume, buyVolume, delta, minDelta, maxDelta]: readonly Float64Array[]): Columns<SizeName> {
  return { volume: volume!, buyVolume: buyVolume!, delta: delta!, minDelta: minDelta!, maxDelta: maxDelta! };
}

const sizeGroup: ColumnGroup = {
  names: ['volume', 'buyVolume', 'delta', 'minDelta', 'maxDelta'],
  fold(columns) {
    const { volume, buyVolume, delta, minDelta, maxDelta } = sizes(columns);
    for (let i = 0; i < volume.length; i += 1) {
      minDelta[i] = minDelta[i]! - Math.min(0, delta[i]!);
      maxDelta[i] = maxDelta[i]! - Math.max(0, delta[i]!);
      delta[i] = delta[i]! - (2 * buyVolume[i]! - volume[i]!);
    }
  },
  unfold(columns) {
    const { volume, buyVolume, delta, minDelta, maxDelta } = sizes(columns);
    for (let i = 0; i < volume.length; i += 1) {
      delta[i] = delta[i]! + 2 * buyVolume[i]! - volume[i]!;
      minDelta[i] = minDelta[i]! + Math.min(0, delta[i]!);
      maxDelta[i] = maxDelta[i]! + Math.max(0, delta[i]!);
    }
  },
};

/** A single column, as its distance from one number. */
function single(names: readonly BarColumnName[], guess: number): ColumnGroup {
  return {
    names,
    fold: ([column]) => shift(column!, -guess),
    unfold: ([column]) => shift(column!, guess),
  };
}

function shift(column: Float64Array, by: number): void {
  if (by === 0) return;
  for (let i = 0; i < column.length; i += 1) column[i] = column[i]! + by;
}

const groups: readonly ColumnGroup[] = [
  timeGroup,
  priceGroup,
  sizeGroup,
  single(['notionalUsd'], 0),
  single(['trades'], 0),
  single(['direction'], 0),
  single(['complete'], 1),
];
const extraGroup = single([], 0);

/** Every group with its columns; a kind's extra fields come last, one group each. */
function* groupsOf(bars: BarColumns): Generator<[ColumnGroup, readonly Float64Array[]]> {
  const trimmed = (column: Float64Array): Float64Array => column.subarray(0, bars.length);
  for (const group of groups) yield [group, group.names.map((name) => trimmed(bars[name]))];
  for (const column of bars.extras) yield [extraGroup, [trimmed(column)]];
}

export function writeColumns(writer: ByteWriter, bars: BarColumns): void {
  const columnsMax = Math.max(...groups.map(({ names }) => names.length));
  const scratch = Array.from({ length: columnsMax }, () => new Float64Array(bars.length));
  for (const [group, columns] of groupsOf(bars)) {
    const wholes = scratch.slice(0, columns.length);
    const decimals = toCommonWholes(columns, wholes);
    if (decimals === undefined) {
      writer.byte(FLOATS);
      for (const column of columns) for (const value of column) writer.float(value);
    } else {
      writer.byte(decimals);
      group.fold(wholes);
      for (const whole of wholes) writer.signedColumn(whole);
    }
  }
}

/** Fills columns whose `length` is already set, a few milliseconds of work per step. */
export function* readColumns(
  reader: ByteReader,
  bars: BarColumns,
  refuse: (reason: string) => Error,
): Generator<void, void> {
  for (const [group, columns] of groupsOf(bars)) {
    const decimals = reader.byte();
    const isFloats = decimals === FLOATS;
    if (!isFloats && decimals > DECIMALS_MAX) throw refuse(`a column has ${decimals} decimals`);
    for (const column of columns)
      for (let at = 0; at < column.length; at += STEP_NUMBERS) {
        const part = column.subarray(at, at + STEP_NUMBERS);
        if (isFloats) reader.floatColumn(part);
        else reader.signedColumn(part);
        yield;
      }
    if (isFloats) continue;
    group.unfold(columns);
    for (const column of columns)
      if (!toDecimals(column, 10 ** decimals)) throw refuse('a number in its columns is too large');
    yield;
  }
}

function toDecimals(column: Float64Array, scale: number): boolean {
  for (let i = 0; i < column.length; i += 1) {
    if (!(Math.abs(column[i]!) <= WHOLE_MAX)) return false;
    column[i] = column[i]! / scale;
  }
  return true;
}

/** Returns the least decimals that reproduce every number, and fills in the integers. */
function toCommonWholes(
  columns: readonly Float64Array[],
  wholes: readonly Float64Array[],
): number | undefined {
  for (let decimals = 0; decimals <= DECIMALS_MAX; decimals += 1) {
    const copy = decimals === 0 ? copyWholes : toWholes;
    if (columns.every((column, k) => copy(column, wholes[k]!, 10 ** decimals))) return decimals;
  }
  return undefined;
}

/** The same as `toWholes` for a scale of 1, without a division. */
function copyWholes(column: Float64Array, wholes: Float64Array): boolean {
  for (let i = 0; i < column.length; i += 1) {
    const value = column[i]!;
    if (!(Math.abs(value) <= WHOLE_MAX) || value + NO_FRACTION - NO_FRACTION !== value) return false;
    wholes[i] = value;
  }
  return true;
}

function toWholes(column: Float64Array, wholes: Float64Array, scale: number): boolean {
  for (let i = 0; i < column.length; i += 1) {
    const whole = column[i]! * scale + NO_FRACTION - NO_FRACTION;
    if (!(Math.abs(whole) <= WHOLE_MAX) || whole / scale !== column[i]) return false;
    wholes[i] = whole;
  }
  return true;
}
