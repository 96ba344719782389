import type { Candle } from '@crosstape/core';
import type { StoredBlock } from './candle-table.ts';

/** Blocks that are kept: about 25 kB each, with their text. */
const BLOCKS_MAX = 512;

/** A block that was read lately. Its candles are shared: they must not be changed. */
export interface KeptBlock extends StoredBlock {
  /** Its candles as JSON, separated by commas, where no gap meets any; absent until it was needed. */
  text?: { readonly json: Uint8Array; readonly digest: Uint8Array };
}

/** The blocks that were read last, decoded: as long as the stored bytes are the same, so are the candles. */
export class DecodedBlocks {
  /** The least recently used first. */
  readonly #kept = new Map<string, { readonly bytes: Uint8Array; readonly block: KeptBlock }>();
  readonly #byFirst = new WeakMap<Candle, KeptBlock>();

  of(name: string, bytes: Uint8Array, decode: () => StoredBlock): StoredBlock {
    const known = this.#kept.get(name);
    const kept =
      known && Buffer.compare(known.bytes, bytes) === 0 ? known : { bytes: bytes.slice(), block: decode() };
    this.#kept.delete(name);
    this.#kept.set(name, kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= BLOCKS_MAX) break;
      this.#kept.delete(oldest);
    }
    const [first] = kept.block.candles;
    if (first) this.#byFirst.set(first, kept.block);
    return kept.block;
  }

  /** The block that begins with a candle; `undefined` for a candle that is not the first of one. */
  startingWith(first: Candle): KeptBlock | undefined {
    return this.#byFirst.get(first);
  }
}
