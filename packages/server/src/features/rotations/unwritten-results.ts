import type { StoredResult } from './rotation-table.ts';

/** Maximum bytes of written results that are cached; beyond this the oldest is dropped. */
export const UNWRITTEN_BYTES_MAX = 256 * 2 ** 20;

/** Results that could not be written: kept in memory as long as the store would have kept them. */
export class UnwrittenResults {
  readonly #results = new Map<string, StoredResult>();
  #bytes = 0;

  get(key: string): StoredResult | undefined {
    return this.#results.get(key);
  }

  /** The newest one is kept however large it is. */
  hold(key: string, result: StoredResult): void {
    this.#forget(key);
    this.#results.set(key, result);
    this.#bytes += result.pack.length;
    for (const oldest of this.#results.keys()) {
      if (this.#bytes <= UNWRITTEN_BYTES_MAX || oldest === key) return;
      this.#forget(oldest);
    }
  }

  prune(isOld: (result: StoredResult) => boolean): void {
    for (const [key, result] of this.#results) if (isOld(result)) this.#forget(key);
  }

  #forget(key: string): void {
    this.#bytes -= this.#results.get(key)?.pack.length ?? 0;
    this.#results.delete(key);
  }
}
