import type { Trade } from '@crosstape/core';
import { decodePiece, encodePiece, type StoredPiece, type Ticks } from './tick-table.ts';
import { TickBuffer } from './tick-buffer.ts';

/** This many pieces of a level become one of the next: a trade is encoded a few times, and a reader joins few pieces. */
const PIECES_PER_LEVEL = 16;

/** Capacity kept from one write to the next: a burst releases its memory. */
const KEPT_CAPACITY = 2_048;

interface Piece extends StoredPiece {
  readonly trades: number;
  /** How often its trades were merged. */
  readonly level: number;
}

/** A piece to write, and the positions of those that it replaces. */
export interface NewPiece extends StoredPiece {
  readonly replaces: readonly number[];
}

/**
 * The unsealed trades of one coin. Written ones stay as the encoded pieces of the tail, which take a tenth of the memory
 * of columns: hundreds of markets have thousands of them each.
 */
export class OpenChunk {
  readonly unwritten = new TickBuffer();
  #pieces: Piece[] = [];
  #written = 0;
  #writtenTs: number | undefined;

  /** Trades, written or not. */
  get length(): number {
    return this.#written + this.unwritten.length;
  }

  /** Time of the newest trade; `undefined` if there is none. */
  get lastTs(): number | undefined {
    return this.unwritten.lastTs ?? this.#writtenTs;
  }

  /** Where its pieces are in the tail. */
  get positions(): readonly number[] {
    return this.#pieces.map(({ position }) => position);
  }

  add(trade: Trade): void {
    this.unwritten.add(trade);
  }

  /** Takes up a piece that was written before. */
  restore({ position, value }: StoredPiece, { columns }: Ticks): void {
    const { length, ts } = columns;
    // A copy: it may be a slice of a much larger buffer, which would be kept with it.
    this.#pieces.push({ position, value: Uint8Array.from(value), trades: length, level: 0 });
    this.#written += length;
    this.#writtenTs = ts[length - 1];
  }

  /** The piece of unwritten trades, at a position after all others. Nothing changes before `keep`. */
  nextPiece(position: number): NewPiece & Piece {
    const from = this.#mergedFrom();
    const merged = this.#pieces.slice(from);
    const ticks = merged.length === 0 ? this.unwritten : this.#joined(merged);
    return {
      position,
      value: encodePiece(ticks, 0, ticks.length),
      trades: ticks.length,
      level: merged.length === 0 ? 0 : (merged[0] as Piece).level + 1,
      replaces: merged.map((piece) => piece.position),
    };
  }

  /** The piece is written, or waits for it. */
  keep({ replaces, ...piece }: NewPiece & Piece): void {
    this.#writtenTs = this.lastTs;
    this.#written = this.length;
    this.#pieces.splice(this.#pieces.length - replaces.length, replaces.length, piece);
    if (this.unwritten.columns.ts.length > KEPT_CAPACITY) this.unwritten.clear();
    else this.unwritten.truncate(0);
  }

  /** All trades as columns, oldest first. */
  ticks(): TickBuffer {
    return this.#joined(this.#pieces);
  }

  clear(): void {
    this.#pieces = [];
    this.#written = 0;
    this.#writtenTs = undefined;
    this.unwritten.clear();
  }

  #joined(pieces: readonly Piece[]): TickBuffer {
    const trades = pieces.reduce((sum, piece) => sum + piece.trades, this.unwritten.length);
    const joined = new TickBuffer(trades);
    for (const { value } of pieces) joined.addTicks(decodePiece(value));
    joined.addTicks(this.unwritten);
    return joined;
  }

  /** Index of the first of the last pieces to merge with the next one: enough of one level, and then of the next. */
  #mergedFrom(): number {
    const pieces = this.#pieces;
    let from = pieces.length;
    for (let level = 0; ; level += 1) {
      let first = from;
      while (first > 0 && (pieces[first - 1] as Piece).level <= level) first -= 1;
      // The next piece, or one merged from the level below, counts too.
      if (from - first + 1 < PIECES_PER_LEVEL) return from;
      from = first;
    }
  }
}
