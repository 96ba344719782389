import type { Clock, Timer } from '@crosstape/core';
import type { Gap } from '../tape/gap-ledger.ts';

/** A subscription usually takes no longer. A gap is entered this far ahead, and again for as long as it takes. */
const SUBSCRIBE_MS = 5_000;

/** Since when the trades of a market are missing, and why. */
interface Awaited {
  readonly fromMs: number;
  readonly reason: string;
  /** It was recorded before, so missed trades are requested. */
  readonly isContinued: boolean;
  /** Its trades are counted since then, so its next one shows what was missed. */
  readonly isCounted?: boolean;
}

interface AwaitedMarketsOptions {
  readonly clock: Clock;
  /** Enters a gap that has not ended yet. */
  readonly enter: (gap: Gap) => void;
  /** Enters one that has, and reports it. */
  readonly report: (gap: Gap) => void;
  /** A market that was recorded before is delivered again. */
  readonly onContinued: (symbol: string, toMs: number, awaited: Awaited) => void;
}

/** Markets of a connected feed whose own subscription is not confirmed: their trades are missing until it is. */
export class AwaitedMarkets {
  readonly #options: AwaitedMarketsOptions;
  readonly #awaited = new Map<string, Awaited>();
  readonly #extending: Timer;

  constructor(options: AwaitedMarketsOptions) {
    this.#options = options;
    this.#extending = options.clock.every(SUBSCRIBE_MS, () => this.#extend());
  }

  get(symbol: string): Awaited | undefined {
    return this.#awaited.get(symbol);
  }

  add(symbol: string, awaited: Awaited): void {
    this.#awaited.set(symbol, awaited);
    this.#enter(symbol, awaited, this.#options.clock.now() + SUBSCRIBE_MS);
  }

  /** The venue delivers these. */
  end(symbols: readonly string[], atMs: number): void {
    for (const symbol of symbols) {
      const awaited = this.#awaited.get(symbol);
      if (!awaited) continue;
      this.#awaited.delete(symbol);
      const gap = gapOf(symbol, awaited, Math.max(atMs, awaited.fromMs + 1));
      // Missing trades are requested first, and gaps reported afterwards.
      if (awaited.isContinued && awaited.fromMs < atMs) {
        this.#options.enter(gap);
        this.#options.onContinued(symbol, atMs, awaited);
      } else this.#options.report(gap);
    }
  }

  /** It is no longer followed. */
  leave(symbol: string): void {
    const awaited = this.#awaited.get(symbol);
    if (!awaited) return;
    this.#awaited.delete(symbol);
    this.#options.report(gapOf(symbol, awaited, Math.max(this.#options.clock.now(), awaited.fromMs + 1)));
  }

  stop(): void {
    this.#extending.cancel();
  }

  /** A crash leaves the last entry. */
  #extend(): void {
    const toMs = this.#options.clock.now() + SUBSCRIBE_MS;
    for (const [symbol, awaited] of this.#awaited) this.#enter(symbol, awaited, toMs);
  }

  /** A gap that begins at the same time is replaced. */
  #enter(symbol: string, awaited: Awaited, to: number): void {
    this.#options.enter(gapOf(symbol, awaited, to));
  }
}

function gapOf(coin: string, { fromMs: from, reason }: Awaited, to: number): Gap {
  return { coin, from, to, state: 'missing', method: 'socket', reason };
}
