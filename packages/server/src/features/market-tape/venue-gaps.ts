import type { Clock, Timer } from '@crosstape/core';
import { marketKey } from '../../store/market-key.ts';
import type { Gap } from '../tape/gap-ledger.ts';
import { joinUnreadable, type UnreadableSpan } from '../tape/unreadable-spans.ts';

/** How often a growing unreadable span is reported. */
const GROWTH_EVERY_MS = 1_000;

export interface VenueGapsOptions {
  readonly clock: Clock;
  /** Of the ids of the venue's markets. */
  readonly prefix: string;
  /** Enters a gap in the ledger; it replaces one of the market that begins at the same time. */
  readonly enter: (gap: Gap) => void;
  /** Reports a gap to subscribers of the market with an id. */
  readonly onGap: (id: string, gap: Gap) => void;
}

/** Enters the gaps of a venue's markets in the ledger, and reports them to subscribers. */
export class VenueGaps {
  readonly #options: VenueGapsOptions;
  /** The newest unreadable span. */
  #unread: UnreadableSpan | undefined;
  /** The parts of it that are not reported yet, by symbol. */
  readonly #growth = new Map<string, Gap>();
  #pacing: Timer | undefined;

  constructor(options: VenueGapsOptions) {
    this.#options = options;
  }

  readonly report = (gap: Gap): void => {
    this.#options.enter(gap);
    this.show(gap);
  };

  /** Reports one that is in the ledger. */
  readonly show = (gap: Gap): void => {
    const { numbers: _, ...shown } = gap;
    this.#options.onGap(marketKey(this.#options.prefix, gap.coin), shown);
  };

  /** Frames with trades of these markets could not be read. */
  unread(symbols: Iterable<string>, fromMs: number, toMs: number): void {
    const span = { fromMs, toMs: Math.max(toMs, fromMs + 1) };
    this.#unread = joinUnreadable(this.#unread, span) ?? span;
    const { fromMs: from, toMs: to } = this.#unread;
    for (const coin of symbols) {
      const known = { state: 'partial', method: 'socket' } as const;
      const gap = { coin, from, to, ...known, reason: 'frames of the venue could not be read' };
      this.#options.enter(gap);
      this.#growth.set(coin, gap);
    }
    if (!this.#pacing) this.#showGrowth();
  }

  stop(): void {
    this.#showGrowth();
    this.#pacing?.cancel();
    this.#pacing = undefined;
  }

  #showGrowth(): void {
    this.#pacing?.cancel();
    this.#pacing = undefined;
    if (this.#growth.size === 0) return;
    for (const gap of this.#growth.values()) this.show(gap);
    this.#growth.clear();
    this.#pacing = this.#options.clock.after(GROWTH_EVERY_MS, () => this.#showGrowth());
  }
}
