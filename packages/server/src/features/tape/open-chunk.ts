import { CHUNK_TRADES_MAX, type TickColumns, type Trade } from '@crosstape/core';
import { ChunkDecimals } from './column-decimals.ts';
import { decodePiece, encodePiece, type StoredPiece, type Ticks } from './tick-table.ts';
import { following, type LastTrade, TickBuffer } from './tick-buffer.ts';

/** This many pieces of a level become one of the next: a reader joins few pieces. */
const PIECES_PER_LEVEL = 16;

/** Pieces of this level are not merged again, so a trade is encoded three times at most before it is sealed. */
const LEVEL_MAX = 2;

/** A restored piece of this many trades is not merged again. */
const LARGE_PIECE_TRADES = PIECES_PER_LEVEL ** LEVEL_MAX;

/** Trades that are kept as columns at most when they are written; a burst releases its memory. */
const COLUMNS_MAX = 2_048;

/** Written trades; times are those of the oldest and the newest. */
export interface WrittenPiece {
  readonly position: number;
  readonly trades: number;
  readonly startTs: number;
  readonly endTs: number;
}

interface Piece extends WrittenPiece {
  /** How often its trades were merged. Those that were not are kept as columns. */
  readonly level: number;
  /** Only of pieces that are merged again; others are in the store. */
  readonly value: Uint8Array | undefined;
}

/** A piece to write, and the positions of those that it replaces. */
export interface NewPiece extends Piece {
  readonly value: Uint8Array;
  readonly replaces: readonly number[];
}

/**
 * The unsealed trades of one coin. Of the written ones only the newest stay in memory: as columns, and as the encoded
 * pieces of the tail that are merged again. The others are read from the store when the chunk is sealed. Hundreds of
 * markets have thousands of trades each.
 */
export class OpenChunk {
  /** Trades of the newest pieces, those of level 0, and unwritten ones. */
  readonly #newest = new TickBuffer();
  /** How many of the newest are written. */
  #newestWritten = 0;
  #pieces: Piece[] = [];
  #isReleasable = false;
  #written = 0;
  /** The newest trade of a piece. */
  #writtenLast: LastTrade | undefined;
  readonly #decimals = new ChunkDecimals();

  /** Trades, written or not. */
  get length(): number {
    return this.#written + this.#newest.length - this.#newestWritten;
  }

  /** Time of the newest trade; `undefined` if there is none. */
  get lastTs(): number | undefined {
    return this.#newest.lastTs ?? this.#writtenLast?.ts;
  }

  /** Written trades, oldest first. */
  get written(): readonly WrittenPiece[] {
    return this.#pieces;
  }

  /** Where its pieces are in the tail. */
  get positions(): readonly number[] {
    return this.#pieces.map(({ position }) => position);
  }

  /** The pieces that are only in the store, oldest first. */
  get released(): readonly WrittenPiece[] {
    return this.#pieces.filter(({ level, value }) => level > 0 && value === undefined);
  }

  /** The trades `from <= i < to` of these columns. */
  get unwritten(): { readonly columns: TickColumns; readonly from: number; readonly to: number } {
    return { columns: this.#newest.columns, from: this.#newestWritten, to: this.#newest.length };
  }

  /** Whether a trade can be in columns with the others; one that cannot even be alone is in no chunk. */
  takes(trade: Pick<Trade, 'price' | 'size'>): boolean {
    return this.length < CHUNK_TRADES_MAX && this.#decimals.takes(trade);
  }

  /** As above, for a piece that was already written. */
  takesPiece({ columns }: Ticks): boolean {
    return this.#decimals.takesColumns(columns);
  }

  add(trade: Trade): void {
    this.#decimals.add(trade);
    this.#newest.add(trade.sameOrder ? following(this.#last, trade) : trade);
  }

  dropUnwritten(): void {
    this.#newest.truncate(this.#newestWritten);
  }

  /** Takes up a piece that was written before. */
  restore({ position, value }: StoredPiece, { columns }: Ticks): void {
    const { length, ts, isBuy } = columns;
    const isLarge = length >= LARGE_PIECE_TRADES;
    const endTs = ts[length - 1] as number;
    this.#decimals.addColumns(columns);
    this.#pieces.push({
      position,
      trades: length,
      startTs: ts[0] as number,
      endTs,
      level: isLarge ? LEVEL_MAX : 1,
      // A copy: it may be a slice of a much larger buffer, which would be kept with it.
      value: isLarge ? undefined : Uint8Array.from(value),
    });
    this.#written += length;
    this.#writtenLast = { ts: endTs, isBuy: isBuy[length - 1] as number };
  }

  /** The piece of unwritten trades, at a position after all others. Nothing changes before `keep`. */
  nextPiece(position: number): NewPiece {
    const { level, from } = this.#merging();
    const merged = this.#pieces.slice(from);
    const ticks = level < LEVEL_MAX ? this.#newest : this.#joined(merged);
    const start = level === 0 ? this.#newestWritten : 0;
    const { ts } = ticks.columns;
    return {
      position,
      value: encodePiece(ticks, start, ticks.length),
      trades: ticks.length - start,
      startTs: ts[start] as number,
      endTs: ts[ticks.length - 1] as number,
      level,
      replaces: merged.map((piece) => piece.position),
    };
  }

  /** The piece is written, or waits for it. */
  keep({ replaces, ...piece }: NewPiece): void {
    this.#writtenLast = this.#last;
    this.#written = this.length;
    const value = piece.level === 0 ? undefined : piece.value;
    this.#pieces.splice(this.#pieces.length - replaces.length, replaces.length, { ...piece, value });
    this.#isReleasable ||= piece.level === LEVEL_MAX;
    if (piece.level > 0) {
      if (this.#newest.columns.ts.length > COLUMNS_MAX) this.#newest.clear();
      else this.#newest.truncate(0);
    }
    this.#newestWritten = this.#newest.length;
  }

  /** Releases the pieces that are not merged again. Call when all pieces are in the store. */
  release(): void {
    if (!this.#isReleasable) return;
    this.#isReleasable = false;
    this.#pieces = this.#pieces.map((piece) =>
      piece.level === LEVEL_MAX ? { ...piece, value: undefined } : piece,
    );
  }

  /** All trades as columns, oldest first, with the released pieces that were read from the store; others are missing. */
  ticks(released: ReadonlyMap<number, Ticks>): TickBuffer {
    const joined = this.#joined(this.#pieces, released);
    joined.columns.sameOrder[0] = 0;
    return joined;
  }

  get #last(): LastTrade | undefined {
    return this.#newest.last ?? this.#writtenLast;
  }

  /** Pieces that were merged, and the newest trades. */
  #joined(pieces: readonly Piece[], released?: ReadonlyMap<number, Ticks>): TickBuffer {
    const merged = pieces.filter(({ level }) => level > 0);
    const joined = new TickBuffer(merged.reduce((sum, { trades }) => sum + trades, this.#newest.length));
    for (const { position, value } of merged) {
      const ticks = value ? decodePiece(value) : released?.get(position);
      if (ticks) joined.follow(ticks);
    }
    joined.follow(this.#newest);
    return joined;
  }

  /** The level of the next piece, and the index of the first piece that it replaces. */
  #merging(): { readonly level: number; readonly from: number } {
    const newest = this.#firstUpTo(0);
    const pieces = this.#pieces.length - newest + 1;
    if (pieces < PIECES_PER_LEVEL && this.#newest.length <= COLUMNS_MAX)
      return { level: 0, from: this.#pieces.length };
    const from = this.#firstUpTo(1);
    // The piece of the newest trades counts, too.
    return newest - from + 1 < PIECES_PER_LEVEL ? { level: 1, from: newest } : { level: LEVEL_MAX, from };
  }

  /** Index of the first of the last pieces whose levels are not higher. */
  #firstUpTo(level: number): number {
    let first = this.#pieces.length;
    while (first > 0 && (this.#pieces[first - 1] as Piece).level <= level) first -= 1;
    return first;
  }
}
