import type { Client } from '@crosstape/client';

/** A wait that can be cut short. */
export class Pause {
  #cut: AbortController | undefined;

  /** Resolves after this time, or earlier: then with `true`. Rejects when the signal aborts. */
  async for(client: Client, delayMs: number, signal: AbortSignal): Promise<boolean> {
    const cut = new AbortController();
    this.#cut = cut;
    try {
      await client.wait(delayMs, { signal: AbortSignal.any([signal, cut.signal]) });
    } catch {
      signal.throwIfAborted();
    }
    return cut.signal.aborted;
  }

  /** Ends the wait that is on, if any. */
  end(): void {
    this.#cut?.abort();
  }
}
