/** Five pages of 400,000 trades as flowsurface reads them. */
const BYTES_MAX = 48 * 2 ** 20;

/**
 * Record batches of whole sealed chunks, which never change, for every caller that requests the same times again. The
 * batches that were used least recently go first.
 */
export class ArrowBatches {
  readonly #bytesMax: number;
  #bytes = 0;
  /** Least recently used first. */
  readonly #batches = new Map<string, Uint8Array>();

  constructor(bytesMax: number = BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether there is a batch; does not count as a use. */
  has(key: string): boolean {
    return this.#batches.has(key);
  }

  get(key: string): Uint8Array | undefined {
    const batch = this.#batches.get(key);
    if (!batch) return undefined;
    this.#batches.delete(key);
    this.#batches.set(key, batch);
    return batch;
  }

  set(key: string, batch: Uint8Array): void {
    this.#remove(key);
    this.#batches.set(key, batch);
    this.#bytes += batch.length;
    for (const oldest of this.#batches.keys()) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    this.#bytes -= this.#batches.get(key)?.length ?? 0;
    this.#batches.delete(key);
  }
}
