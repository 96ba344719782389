import { BadBlock, type Candle, decodeBlock, eachCandle, readBlockHeader } from '@crosstape/core';
import type { CandleLevel, StoredBlock } from './candle-table.ts';

/** Blocks that are known: at most about 25 kB each, with their text. */
const BLOCKS_MAX = 512;

/** A stored block. Its candles are decoded at first use, and may be shared: never change them. */
export class ReadBlock implements StoredBlock {
  readonly level: CandleLevel;
  readonly startTs: number;
  /** Equal bytes mean equal candles. */
  readonly bytes: Uint8Array;
  readonly toTs: number;
  /** How many candles it has. */
  readonly length: number;
  /** Start of the first candle. */
  readonly firstTs: number | undefined;
  /** Whether it is kept for the next reader. */
  isKept = false;
  /** For a cached block: its candles as JSON, separated by commas, if no gap meets any. */
  text?: Uint8Array;
  #candles: readonly Candle[] | undefined;
  readonly #name: string;

  constructor(level: CandleLevel, market: string, startTs: number, bytes: Uint8Array) {
    this.level = level;
    this.startTs = startTs;
    this.bytes = bytes;
    this.#name = `${level.table} ${market} ${startTs}`;
    const header = this.#read(() => readBlockHeader(startTs, level.intervalMs, bytes));
    this.toTs = header.toTs;
    this.length = header.length;
    this.firstTs = header.firstTs;
  }

  get candles(): readonly Candle[] {
    return (this.#candles ??= this.#read(
      () => decodeBlock(this.startTs, this.level.intervalMs, this.bytes).candles,
    ));
  }

  /** Its candles one after the other, not retained: the argument is valid only during the call. */
  each(use: (candle: Candle, i: number) => void): void {
    if (this.#candles) for (const [i, candle] of this.#candles.entries()) use(candle, i);
    else this.#read(() => eachCandle(this.startTs, this.level.intervalMs, this.bytes, use));
  }

  #read<Result>(read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      if (error instanceof BadBlock) throw new BadBlock(`${this.#name}: ${error.message}`);
      throw error;
    }
  }
}

interface Known {
  readonly bytes: Uint8Array;
  /** Absent after the first read: most blocks are not read again. */
  readonly block?: ReadBlock;
}

/** The blocks that are read often: as long as the stored bytes are the same, so are candles and text. */
export class ReadBlocks {
  /** The least recently used first. */
  readonly #known = new Map<string, Known>();

  of(level: CandleLevel, market: string, startTs: number, bytes: Uint8Array): ReadBlock {
    const name = `${level.table} ${market} ${startTs}`;
    const before = this.#known.get(name);
    const isSame = before !== undefined && Buffer.compare(before.bytes, bytes) === 0;
    const own = isSame ? before.bytes : new Uint8Array(bytes);
    const block = (isSame ? before.block : undefined) ?? new ReadBlock(level, market, startTs, own);
    block.isKept = isSame;
    this.#known.delete(name);
    this.#known.set(name, isSame ? { bytes: own, block } : { bytes: own });
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= BLOCKS_MAX) break;
      this.#known.delete(oldest);
    }
    return block;
  }
}
