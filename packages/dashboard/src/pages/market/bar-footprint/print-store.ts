import type { Prints } from '../../../live/prints.ts';
import type { Bar } from '../../../live/topic.ts';

type PrintBar = Pick<Bar, 'openTs' | 'closeTs' | 'trades'>;

/** Places of trades: from the first to before the last. */
export interface PrintRange {
  readonly from: number;
  readonly to: number;
}

const FIRST_ROOM = 4_096;

/** Trades in the order of the tape. */
export class PrintStore {
  #ts = new Float64Array(FIRST_ROOM);
  #price = new Float64Array(FIRST_ROOM);
  #size = new Float64Array(FIRST_ROOM);
  #length = 0;
  /** From when on all trades are here. */
  startMs = Infinity;

  clear(startMs = Infinity): void {
    this.#length = 0;
    this.startMs = startMs;
  }

  add({ ts, price, size }: Prints): void {
    const needed = this.#length + ts.length;
    if (needed > this.#ts.length) {
      const grow = (before: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> => {
        const after = new Float64Array(Math.max(needed, 2 * before.length));
        after.set(before);
        return after;
      };
      [this.#ts, this.#price, this.#size] = [grow(this.#ts), grow(this.#price), grow(this.#size)];
    }
    this.#ts.set(ts, this.#length);
    this.#price.set(price, this.#length);
    this.#size.set(size, this.#length);
    this.#length = needed;
  }

  priceAt(at: number): number {
    return this.#price[at] as number;
  }

  /** Bought is positive, sold negative. */
  sizeAt(at: number): number {
    return this.#size[at] as number;
  }

  /** Index of the first trade at or after a time. */
  indexAt(ts: number): number {
    let [low, high] = [0, this.#length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ts[middle] as number) < ts) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * The trades of consecutive bars; none for bars from before its own start. Two bars may share a millisecond: the
   * earlier one has as many of its trades as it counts.
   */
  rangesOf(bars: readonly PrintBar[]): readonly (PrintRange | undefined)[] {
    let cursor = 0;
    let isCounted = false;
    return bars.map((bar, i) => {
      const next = bars[i + 1];
      if (bar.openTs < this.startMs) return undefined;
      // For the first bar it is unknown whether the previous one shares its first millisecond.
      const isShared = bars[i - 1] !== undefined && (bars[i - 1] as PrintBar).closeTs >= bar.openTs;
      const from = isShared && isCounted ? cursor : this.indexAt(bar.openTs);
      const end = this.indexAt(bar.closeTs + 1);
      const to = next && next.openTs <= bar.closeTs ? Math.min(end, from + bar.trades) : end;
      cursor = to;
      isCounted = true;
      return { from, to };
    });
  }
}
