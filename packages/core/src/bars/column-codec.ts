import type { BarColumnName, BarColumns } from './bar-columns.ts';
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';

/**
 * Columns of decimals as bytes. The columns of a group (prices, say) are whole numbers times a common 10^-decimals.
 * Each number is stored as its distance from a guess that the reader can make too, from columns it already has. A
 * group with a number that is no such decimal is stored as plain 64-bit floats.
 */
interface ColumnGroup {
  readonly columns: readonly Float64Array[];
  readonly guesses: readonly Guess[];
}

/** Guesses the whole number at `i` of a column from itself (before `i`) and the columns before it in its group. */
type Guess = (group: readonly Float64Array[], self: Float64Array, i: number) => number;

/** A group of floats. */
const FLOATS = 255;
const DECIMALS_MAX = 16;
/** Distances from a guess stay below 2^52, so that every step is exact. */
const WHOLE_MAX = 2 ** 50;

const at = (group: readonly Float64Array[], k: number, i: number): number => group[k]![i]!;

const zero: Guess = () => 0;
const before: Guess = (_group, self, i) => (i === 0 ? 0 : self[i - 1]!);

/** What is guessed, in storing order. Indexes are positions within the group. */
const guesses: Readonly<Record<BarColumnName, Guess>> = {
  openTs: before,
  // A bar usually ends right before the next one opens.
  closeTs: ([openTs], _self, i) => openTs![i + 1] ?? openTs![i]!,
  close: before,
  open: (group, _self, i) => (i === 0 ? at(group, 0, 0) : at(group, 0, i - 1)),
  high: (group, _self, i) => Math.max(at(group, 0, i), at(group, 1, i)),
  low: (group, _self, i) => Math.min(at(group, 0, i), at(group, 1, i)),
  volume: zero,
  buyVolume: zero,
  delta: (group, _self, i) => 2 * at(group, 1, i) - at(group, 0, i),
  minDelta: (group, _self, i) => Math.min(0, at(group, 2, i)),
  maxDelta: (group, _self, i) => Math.max(0, at(group, 2, i)),
  notionalUsd: zero,
  trades: zero,
  direction: zero,
  complete: () => 1,
};

const groupNames: readonly (readonly BarColumnName[])[] = [
  ['openTs', 'closeTs'],
  ['close', 'open', 'high', 'low'],
  ['volume', 'buyVolume', 'delta', 'minDelta', 'maxDelta'],
  ['notionalUsd'],
  ['trades'],
  ['direction'],
  ['complete'],
];

function groupsOf(bars: BarColumns): readonly ColumnGroup[] {
  const trimmed = (column: Float64Array): Float64Array => column.subarray(0, bars.length);
  return [
    ...groupNames.map((names) => ({
      columns: names.map((name) => trimmed(bars[name])),
      guesses: names.map((name) => guesses[name]),
    })),
    ...bars.extras.map((column) => ({ columns: [trimmed(column)], guesses: [zero] })),
  ];
}

export function writeColumns(writer: ByteWriter, bars: BarColumns): void {
  for (const group of groupsOf(bars)) writeGroup(writer, group);
}

/** Fills columns whose `length` is already set. */
export function readColumns(reader: ByteReader, bars: BarColumns, refuse: (reason: string) => Error): void {
  for (const group of groupsOf(bars)) readGroup(reader, group, refuse);
}

function writeGroup(writer: ByteWriter, group: ColumnGroup): void {
  const decimals = commonDecimals(group.columns);
  if (decimals === undefined) {
    writer.byte(FLOATS);
    for (const column of group.columns) for (const value of column) writer.float(value);
    return;
  }
  writer.byte(decimals);
  const scale = 10 ** decimals;
  const wholes = group.columns.map((column) => column.map((value) => Math.round(value * scale)));
  for (const [k, whole] of wholes.entries()) {
    const guess = group.guesses[k]!;
    for (let i = 0; i < whole.length; i += 1) writer.signed(whole[i]! - guess(wholes, whole, i));
  }
}

function readGroup(reader: ByteReader, group: ColumnGroup, refuse: (reason: string) => Error): void {
  const decimals = reader.byte();
  if (decimals === FLOATS) {
    for (const column of group.columns) for (let i = 0; i < column.length; i += 1) column[i] = reader.float();
    return;
  }
  if (decimals > DECIMALS_MAX) throw refuse(`a column has ${decimals} decimals`);
  for (const [k, column] of group.columns.entries()) {
    const guess = group.guesses[k]!;
    for (let i = 0; i < column.length; i += 1) {
      const whole = guess(group.columns, column, i) + reader.signed();
      if (!(Math.abs(whole) <= WHOLE_MAX)) throw refuse('a number in its columns is too large');
      column[i] = whole;
    }
  }
  const scale = 10 ** decimals;
  for (const column of group.columns)
    for (let i = 0; i < column.length; i += 1) column[i] = column[i]! / scale;
}

/** The least decimals with which every number comes back as it was; undefined when there are none. */
function commonDecimals(columns: readonly Float64Array[]): number | undefined {
  let decimals = 0;
  for (const column of columns) {
    for (const value of column) {
      while (decimals <= DECIMALS_MAX && !isWholeAt(value, 10 ** decimals)) decimals += 1;
      if (decimals > DECIMALS_MAX) return undefined;
    }
  }
  const scale = 10 ** decimals;
  return columns.every((column) => column.every((value) => isWholeAt(value, scale))) ? decimals : undefined;
}

function isWholeAt(value: number, scale: number): boolean {
  const whole = Math.round(value * scale);
  return Math.abs(whole) <= WHOLE_MAX && whole / scale === value;
}
