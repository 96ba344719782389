import type { Candle } from '@crosstape/core';
import type { StoredBlock } from './candle-table.ts';

/** Blocks that are known: at most about 25 kB each, with their text. */
const BLOCKS_MAX = 512;

/** A block as it was read. Its candles may be shared: they must not be changed. */
export interface ReadBlock extends StoredBlock {
  /** Whether it is kept for the next reader. */
  readonly isKept: boolean;
  /** Of a block that is kept: its candles as JSON, separated by commas, where no gap meets any. */
  text?: { readonly json: Uint8Array; readonly digest: Uint8Array };
}

interface Known {
  readonly bytes: Uint8Array;
  /** Absent after the first read: most blocks are not read again. */
  readonly block?: ReadBlock;
}

/** The blocks that are read often, decoded: as long as the stored bytes are the same, so are the candles. */
export class DecodedBlocks {
  /** The least recently used first. */
  readonly #known = new Map<string, Known>();
  readonly #byFirst = new WeakMap<Candle, ReadBlock>();

  of(name: string, bytes: Uint8Array, decode: () => StoredBlock): StoredBlock {
    const before = this.#known.get(name);
    const isSame = before !== undefined && Buffer.compare(before.bytes, bytes) === 0;
    const block = (isSame ? before.block : undefined) ?? { ...decode(), isKept: isSame };
    this.#known.delete(name);
    this.#known.set(name, isSame ? { bytes: before.bytes, block } : { bytes: bytes.slice() });
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= BLOCKS_MAX) break;
      this.#known.delete(oldest);
    }
    const [first] = block.candles;
    if (first) this.#byFirst.set(first, block);
    return block;
  }

  /** The block that begins with a candle; `undefined` for a candle that is not the first of one. */
  startingWith(first: Candle): ReadBlock | undefined {
    return this.#byFirst.get(first);
  }
}
