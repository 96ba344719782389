import type { TapeGap } from './tape-gap.ts';

interface Unproven {
  readonly gap: TapeGap;
  /** Up to when live trades have proven it. */
  readonly knownToMs: number;
}

/**
 * The ends of gaps that a back-fill of a socket is too old to prove, by coin. A back-fill may be much older than its
 * arrival, as may the live trades after it, so each proves the time up to itself only. They are reported as partial
 * until then.
 */
export class UnprovenGaps {
  readonly #gaps = new Map<string, Unproven>();

  add(gap: TapeGap): void {
    this.#gaps.set(gap.coin, { gap, knownToMs: gap.from });
  }

  of(coin: string): TapeGap | undefined {
    return this.#gaps.get(coin)?.gap;
  }

  /** The coins, and up to when they are known. */
  knownToMs(): ReadonlyMap<string, number> {
    return new Map([...this.#gaps].map(([coin, { knownToMs }]) => [coin, knownToMs]));
  }

  /** Everything up to a time has arrived: ends the gaps that are proven by it, and returns them as refilled. */
  prove(provenMs: number): readonly TapeGap[] {
    const refilled: TapeGap[] = [];
    for (const [coin, { gap, knownToMs }] of this.#gaps) {
      if (provenMs < gap.to) this.#gaps.set(coin, { gap, knownToMs: Math.max(knownToMs, provenMs) });
      else {
        this.#gaps.delete(coin);
        refilled.push({ ...gap, state: 'refilled' });
      }
    }
    return refilled;
  }
}

/** A socket that is up. */
export interface UpSocket {
  /** The coins with messages on it, as subscriptions are confirmed one by one: since when each is complete. */
  readonly carried: Map<string, number>;
  /** Coins whose gap the back-fill has closed except for its end. */
  readonly unproven: UnprovenGaps;
  /** Newest venue time of a live trade that it has brought. */
  newestTs: number | undefined;
}

/**
 * Leaves the proof of a gap to a socket that has carried the coin since before it, if there is one: it delivers what is
 * missing.
 */
export function leaveToProve(sockets: Iterable<UpSocket>, gap: TapeGap): void {
  for (const { carried, unproven } of sockets)
    if ((carried.get(gap.coin) ?? Number.POSITIVE_INFINITY) <= gap.from) return unproven.add(gap);
}
