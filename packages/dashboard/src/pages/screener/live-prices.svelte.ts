import { systemClock } from '@crosstape/client';
import { Reading } from '../../live/reading.svelte.ts';
import type { StreamTopic } from '../../live/topic.ts';
import { type LivePrice, PriceTurns, TURNS } from './price-turns.ts';

const ROUND_MS = 1_000;

type Trades = StreamTopic<'/streams/whales'>;

/** The newest price of every coin on the primary venue: the stream of taker orders of any size has all coins. */
export class LivePrices {
  readonly #turns = new PriceTurns();
  #isWaiting = false;
  #shown = $state.raw<ReadonlyMap<string, LivePrice>>(new Map());
  readonly source = new Reading<Trades>(
    () => ({ from: 'stream', path: '/streams/whales', query: { minUsd: 0 } }),
    1,
    ({ items }) => {
      for (const { data } of items) this.#turns.take(data);
      this.#show();
    },
  );

  /** Each price changes about once a second at most. */
  get byCoin(): ReadonlyMap<string, LivePrice> {
    return this.#shown;
  }

  #show(): void {
    if (this.#isWaiting || !this.#turns.hasWaiting) return;
    this.#isWaiting = true;
    systemClock.after(ROUND_MS / TURNS, () => {
      this.#isWaiting = false;
      this.#shown = this.#turns.next();
      this.#show();
    });
  }
}
