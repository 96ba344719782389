import type { Trade } from '@crosstape/core';
import { decodePiece, encodePiece, type StoredPiece, type Ticks } from './tick-table.ts';
import { TickBuffer } from './tick-buffer.ts';

/** This many pieces of a level become one of the next: a reader joins few pieces. */
const PIECES_PER_LEVEL = 16;

/** Pieces of this level are not merged again, so a trade is encoded three times at most before it is sealed. */
const LEVEL_MAX = 2;

/** A restored piece of this many trades is not merged again. */
const LARGE_PIECE_TRADES = PIECES_PER_LEVEL ** LEVEL_MAX;

/** Capacity kept from one write to the next: a burst releases its memory. */
const KEPT_CAPACITY = 2_048;

/** Written trades; times are those of the oldest and the newest. */
export interface WrittenPiece {
  readonly position: number;
  readonly trades: number;
  readonly startTs: number;
  readonly endTs: number;
}

interface Piece extends WrittenPiece {
  /** How often its trades were merged. */
  readonly level: number;
  /** Absent once it is only in the store. */
  readonly value: Uint8Array | undefined;
}

/** A piece to write, and the positions of those that it replaces. */
export interface NewPiece extends Piece {
  readonly value: Uint8Array;
  readonly replaces: readonly number[];
}

/**
 * The unsealed trades of one coin. Of the written ones only the newest stay in memory, as the encoded pieces of the
 * tail that are merged again; the others are read from the store when the chunk is sealed. Hundreds of markets have
 * thousands of trades each.
 */
export class OpenChunk {
  readonly unwritten = new TickBuffer();
  #pieces: Piece[] = [];
  #isReleasable = false;
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
    const isLarge = length >= LARGE_PIECE_TRADES;
    const endTs = ts[length - 1] as number;
    this.#pieces.push({
      position,
      trades: length,
      startTs: ts[0] as number,
      endTs,
      level: isLarge ? LEVEL_MAX : 0,
      // A copy: it may be a slice of a much larger buffer, which would be kept with it.
      value: isLarge ? undefined : Uint8Array.from(value),
    });
    this.#written += length;
    this.#writtenTs = endTs;
  }

  /** The piece of unwritten trades, at a position after all others. Nothing changes before `keep`. */
  nextPiece(position: number): NewPiece {
    const from = this.#mergedFrom();
    const merged = this.#pieces.slice(from);
    const ticks = merged.length === 0 ? this.unwritten : this.#joined(merged);
    const { ts } = ticks.columns;
    return {
      position,
      value: encodePiece(ticks, 0, ticks.length),
      trades: ticks.length,
      startTs: ts[0] as number,
      endTs: ts[ticks.length - 1] as number,
      level: merged.length === 0 ? 0 : (merged[0] as Piece).level + 1,
      replaces: merged.map((piece) => piece.position),
    };
  }

  /** The piece is written, or waits for it. */
  keep({ replaces, ...piece }: NewPiece): void {
    this.#writtenTs = this.lastTs;
    this.#written = this.length;
    this.#pieces.splice(this.#pieces.length - replaces.length, replaces.length, piece);
    this.#isReleasable ||= piece.level === LEVEL_MAX;
    if (this.unwritten.columns.ts.length > KEPT_CAPACITY) this.unwritten.clear();
    else this.unwritten.truncate(0);
  }

  /** Releases the pieces that are not merged again. Call when all pieces are in the store. */
  release(): void {
    if (!this.#isReleasable) return;
    this.#isReleasable = false;
    this.#pieces = this.#pieces.map((piece) =>
      piece.level === LEVEL_MAX ? { ...piece, value: undefined } : piece,
    );
  }

  /** The pieces that are only in the store, oldest first. */
  get released(): readonly WrittenPiece[] {
    return this.#pieces.filter(({ value }) => value === undefined);
  }

  /** All trades as columns, oldest first, with the released pieces as they are in the store. */
  ticks(released: ReadonlyMap<number, Uint8Array>): TickBuffer {
    return this.#joined(this.#pieces, released);
  }

  #joined(pieces: readonly Piece[], released?: ReadonlyMap<number, Uint8Array>): TickBuffer {
    const trades = pieces.reduce((sum, piece) => sum + piece.trades, this.unwritten.length);
    const joined = new TickBuffer(trades);
    for (const { position, value = released?.get(position) } of pieces)
      if (value) joined.addTicks(decodePiece(value));
    joined.addTicks(this.unwritten);
    return joined;
  }

  /** Index of the first of the last pieces to merge with the next one: enough of one level, and then of the next. */
  #mergedFrom(): number {
    const pieces = this.#pieces;
    let from = pieces.length;
    for (let level = 0; level < LEVEL_MAX; level += 1) {
      let first = from;
      while (first > 0 && (pieces[first - 1] as Piece).level <= level) first -= 1;
      // The next piece, or one merged from the level below, counts too.
      if (from - first + 1 < PIECES_PER_LEVEL) return from;
      from = first;
    }
    return from;
  }
}
