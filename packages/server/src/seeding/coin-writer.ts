import { printsOfTicks } from '../features/whales/prints-of-ticks.ts';
import { isChunkFull } from '../features/tape/chunk-rule.ts';
import type { Owner } from '../features/tape/newest-trades.ts';
import type { Change, Store } from '../store/store.ts';
import { TickBuffer } from '../features/tape/tick-buffer.ts';
import { type TailPiece, type Ticks, TickTable } from '../features/tape/tick-table.ts';
import { WHALE_FLOOR_USD, WhaleTable } from '../features/whales/whale-table.ts';

export interface CoinWriterOptions {
  readonly store: Store;
  readonly owner: Owner;
  /** The tail that the trades continue. */
  readonly pieces?: readonly TailPiece[];
  /** Whether the large prints of the trades are stored as well. Default: they are. */
  readonly hasPrints?: boolean;
  /** Position of a new tail piece, after the existing ones. */
  readonly position?: number;
}

/**
 * Turns the trades of one coin into chunks and a tail as the recorder would, in bulk. The caller commits the changes.
 */
export class CoinWriter {
  readonly #table: TickTable;
  readonly #whales: WhaleTable | undefined;
  readonly #owner: Owner;
  readonly #position: number;
  readonly #chunk = new TickBuffer();
  /** Pieces of the tail that the chunk is made of, and how many of its trades are in them. */
  #positions: number[];
  #inTail: number;
  #changes: Change[] = [];

  constructor({ store, owner, pieces = [], hasPrints = true, position }: CoinWriterOptions) {
    this.#table = new TickTable(store, owner.venue);
    this.#whales = hasPrints ? new WhaleTable(store) : undefined;
    this.#owner = owner;
    for (const piece of pieces) this.#chunk.addTicks(piece);
    this.#positions = pieces.map((piece) => piece.position);
    this.#position = position ?? (this.#positions.at(-1) ?? 0) + 1;
    this.#inTail = this.#chunk.length;
  }

  add(ticks: Ticks): void {
    const { length } = ticks.columns;
    for (let from = 0, to = 0; from < length; from = to) {
      to = this.#chunkEnd(ticks, from);
      this.#chunk.addTicks(ticks, from, to);
      if (to < length) this.#seal();
    }
  }

  /** Writes the remaining trades as a chunk, or leaves them in the tail. */
  finish(rest: 'chunk' | 'tail'): void {
    const { length } = this.#chunk;
    if (rest === 'chunk' && length > 0) return this.#seal();
    if (length === this.#inTail) return;
    this.#changes.push(
      ...this.#table.appending(this.#owner.coin, this.#chunk, this.#inTail, length, this.#position),
    );
    this.#shelveWhales();
  }

  /** The changes since the last call. */
  takeChanges(): readonly Change[] {
    return this.#changes.splice(0);
  }

  /** Where the chunk ends within these trades; their number when it does not. */
  #chunkEnd({ columns: { ts, length } }: Ticks, from: number): number {
    let { length: trades, lastTs } = this.#chunk;
    for (let i = from; i < length; i += 1) {
      if (isChunkFull(trades, lastTs, ts[i] as number)) return i;
      trades += 1;
      lastTs = ts[i];
    }
    return length;
  }

  #seal(): void {
    this.#shelveWhales();
    this.#changes.push(
      ...this.#table.sealing(this.#owner.coin, this.#chunk, this.#chunk.length, this.#positions),
    );
    this.#positions = [];
    this.#inTail = 0;
    this.#chunk.clear();
  }

  #shelveWhales(): void {
    if (this.#whales)
      this.#changes.push(this.#whales.appending(printsOfTicks(this.#owner, this.#chunk, WHALE_FLOOR_USD)));
  }
}
