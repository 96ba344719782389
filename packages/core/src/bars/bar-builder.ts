import type { LentTicks } from '../ticks/decode-ticks.ts';
import { CHUNK_TRADES_MAX } from '../ticks/payload.ts';
import { scratchColumns } from '../ticks/scratch-columns.ts';
import { type BarAtoms, fromAtoms, scaleFor, toAtoms } from './bar-atoms.ts';
import {
  type Bar,
  type BarColumns,
  type BarRow,
  createBarColumns,
  createBarRow,
  expectBars,
  pushBar,
  rowToBar,
} from './bar-columns.ts';
import type { BarRule, BarSpec } from './bar-kind.ts';
import { fillRow } from './bar-row.ts';
import { BadState, type BuilderState, type Cursor, decodeState, encodeState } from './builder-state.ts';
import { copyToScratch } from './copy-to-scratch.ts';
import { absorb, clearOpenBar, createOpenBar, type OpenBar } from './open-bar.ts';
import { DECIMALS_MAX, type Scale } from './scale.ts';
import { kindOf } from './validate-spec.ts';

const scratch = scratchColumns();

/** Builds the bars of a spec (see `validateSpec`) from the first trade on. */
export function createBuilder(spec: BarSpec): BarBuilder {
  return new BarBuilder({
    spec,
    trades: 0,
    firstTs: null,
    cursor: null,
    bars: 0,
    previousCloseTs: null,
    memory: (kindOf(spec).memory ?? []).map(() => 0),
    open: null,
  });
}

/** Continues from the `state()` of another builder. Throws `BadState` for anything else. */
export function resumeBuilder(state: Uint8Array): BarBuilder {
  const decoded = decodeState(state);
  try {
    return new BarBuilder(decoded);
  } catch (error) {
    // Sums and prices that cannot result from trades.
    if (error instanceof RangeError) throw new BadState(error.message);
    throw error;
  }
}

/**
 * Turns trades into bars, exactly and in one direction: the bars depend only on the trades, not on how they were split
 * into columns, their number of decimals, or how often the build was resumed. A builder must not be used after an error
 * from `add`.
 */
export class BarBuilder {
  readonly spec: BarSpec;
  /** Bars closed since this builder was created or resumed. */
  readonly bars: BarColumns;
  readonly #rule: BarRule;
  readonly #memory: Float64Array;
  readonly #row: BarRow;
  #bar: OpenBar = createOpenBar();
  #scale: Scale = { priceDecimals: 0, sizeDecimals: 0 };
  #trades: number;
  #firstTs: number | null;
  #cursor: Cursor | null;

  constructor(state: BuilderState) {
    const kind = kindOf(state.spec);
    this.spec = state.spec;
    this.bars = createBarColumns({
      firstIndex: state.bars,
      previousCloseTs: state.previousCloseTs,
      extraNames: kind.extras ?? [],
    });
    this.#rule = kind.createRule(state.spec);
    this.#memory = Float64Array.from(state.memory);
    this.#row = createBarRow(this.bars.extraNames.length);
    this.#trades = state.trades;
    this.#firstTs = state.firstTs;
    this.#cursor = state.cursor;
    this.#setScale(this.#scale, state.open);
  }

  /** Trades added so far, including those before a resume. */
  get trades(): number {
    return this.#trades;
  }

  get firstTs(): number | null {
    return this.#firstTs;
  }

  /** Position on the tape; null before the first trade. */
  get cursor(): Cursor | null {
    return this.#cursor;
  }

  /** The bar in progress. */
  get open(): Bar | null {
    if (this.#bar.trades === 0) return null;
    return rowToBar(this.#fillRow(), this.bars.firstIndex + this.bars.length, this.bars.extraNames);
  }

  /** Adds the trades [from, to) of the columns, which follow those added before. */
  add(columns: LentTicks, from = 0, to = columns.length): void {
    if (!(from >= 0 && to <= columns.length && from <= to)) {
      throw new RangeError(`there are no trades [${from}, ${to}) in columns of ${columns.length}`);
    }
    if (from === to) return;
    const firstTs = columns.ts[from]!;
    const lastTs = this.#cursor?.ts ?? 0;
    if (!(firstTs >= lastTs)) throw new RangeError(`a trade at ${firstTs} cannot follow one at ${lastTs}`);
    this.#fit(columns);
    for (let start = from; start < to; start += CHUNK_TRADES_MAX) {
      const count = Math.min(to - start, CHUNK_TRADES_MAX);
      let at = copyToScratch(columns, this.#scale, start, start + count);
      const end = at + count;
      while (at < end) at = this.#step(at, end);
    }
    this.#trades += to - from;
    this.#firstTs ??= firstTs;
    this.#cursor = advance(this.#cursor, columns.ts, from, to);
  }

  /** Allocates for the bars of this many trades, estimated from those so far plus a tenth. */
  expect(trades: number): void {
    if (this.#trades > 0) expectBars(this.bars, (1.1 * this.bars.length * trades) / this.#trades);
  }

  /** Everything needed to continue elsewhere: equal trades give equal bytes. */
  state(): Uint8Array {
    const { length, firstIndex, previousCloseTs, closeTs } = this.bars;
    return encodeState({
      spec: this.spec,
      trades: this.#trades,
      firstTs: this.#firstTs,
      cursor: this.#cursor,
      bars: firstIndex + length,
      previousCloseTs: length === 0 ? previousCloseTs : closeTs[length - 1]!,
      memory: [...this.#memory],
      open: this.#bar.trades === 0 ? null : toAtoms(this.#bar, this.#scale),
    });
  }

  /** Adds the trades that belong to the open bar, closes it if it ends, and returns the next trade. */
  #step(at: number, to: number): number {
    const bar = this.#bar;
    const end = this.#rule.scan(bar, scratch, at, to, this.#memory);
    if (end > at) absorb(bar, at, end);
    if (bar.isClosed && bar.trades > 0) {
      pushBar(this.bars, this.#fillRow());
      clearOpenBar(bar);
    } else if (end !== to) {
      throw new Error(`the rule of ${this.spec.kind} bars left trades without a bar`);
    }
    return end;
  }

  /** The open bar as decimals, in a row that the next call overwrites. */
  #fillRow(): BarRow {
    fillRow(this.#row, this.#bar, this.#scale);
    this.#rule.finish?.(this.#row, this.#memory);
    return this.#row;
  }

  /** Uses the decimals of the columns wherever the open bar can be expressed in them. */
  #fit({ priceDecimals, sizeDecimals }: LentTicks): void {
    if (priceDecimals === this.#scale.priceDecimals && sizeDecimals === this.#scale.sizeDecimals) return;
    for (const decimals of [priceDecimals, sizeDecimals]) {
      if (Number.isInteger(decimals) && decimals >= 0 && decimals <= DECIMALS_MAX) continue;
      throw new RangeError(`prices and sizes have 0 to ${DECIMALS_MAX} decimals, not ${decimals}`);
    }
    const open = this.#bar.trades === 0 ? null : toAtoms(this.#bar, this.#scale);
    this.#setScale({ priceDecimals, sizeDecimals }, open);
  }

  #setScale(coarsest: Scale, open: BarAtoms | null): void {
    this.#scale = open ? scaleFor(open, coarsest) : coarsest;
    if (open) this.#bar = fromAtoms(open, this.#scale);
    this.#rule.rescale(this.#scale);
  }
}

/** The last time, and the number of trades of that millisecond. */
function advance(before: Cursor | null, ts: Float64Array, from: number, to: number): Cursor {
  const last = ts[to - 1]!;
  let first = to - 1;
  while (first > from && ts[first - 1] === last) first -= 1;
  const isContinued = first === from && before?.ts === last;
  return { ts: last, count: to - first + (isContinued ? before.count : 0) };
}
