import { applyDelta, type BookLevel, type BookSides } from '@crosstape/core';
import type { Client, FollowOptions } from './client.ts';
import type { PayloadOf } from './socket/frame-types.ts';

/** An order book maintained from its changes. Every later keyframe is compared with it. */
export class LocalBook implements BookSides {
  bids: readonly BookLevel[] = [];
  asks: readonly BookLevel[] = [];
  /** The venue's time of the best levels; 0 before the first keyframe. */
  ts = 0;
  /** The venue no longer sends it, or it has not been received again since the last reconnection. */
  isStale = false;
  /** Keyframes that matched the book. */
  proofs = 0;
  /** Keyframes that did not match: changes were missed or misread. The keyframe wins. */
  breaks = 0;
  #isProvable = false;

  /** The next keyframe is not compared: it is the first, or follows known losses. */
  restart(): void {
    this.#isProvable = false;
    this.isStale = true;
  }

  apply({ kind, bids, asks, ts, stale }: PayloadOf<'orderbook'>): void {
    const reported = { bids: bids as readonly BookLevel[], asks: asks as readonly BookLevel[] };
    const next = kind === 'delta' ? applyDelta(this, reported) : reported;
    if (kind !== 'delta') {
      if (this.#isProvable && isSame(this, reported)) this.proofs += 1;
      else if (this.#isProvable) this.breaks += 1;
      this.#isProvable = true;
    }
    this.bids = next.bids;
    this.asks = next.asks;
    this.ts = ts;
    this.isStale = stale ?? false;
  }
}

/**
 * The order book of a coin, or with `market` of another venue's market. Yields the same object after each change and
 * when it may have missed some.
 */
export async function* followBook(
  client: Client,
  coin: string,
  options: FollowOptions & { readonly market?: string } = {},
): AsyncGenerator<LocalBook, void, undefined> {
  const book = new LocalBook();
  const { market } = options;
  const params = { mode: 'delta' as const, ...(market !== undefined && { market }) };
  for await (const item of client.follow('orderbook', coin, params, options)) {
    if (item.type === 'data') book.apply(item.payload);
    else book.restart();
    if (book.ts > 0) yield book;
  }
}

function isSame(a: BookSides, b: BookSides): boolean {
  return JSON.stringify([a.bids, a.asks]) === JSON.stringify([b.bids, b.asks]);
}
