import type { Bar } from '@crosstape/core';

/** Bars that can still be amended; a gap is reported within seconds, or at most an hour after a lost connection. */
export const BARS_MAX = 4_096;
/** Gaps that are kept: more than those bars can overlap. */
const GAPS_MAX = 4_096;
/** A gap that begins this much later than one that may have been open is a different one. */
const SAME_GAP_MS = 2_000;

/** A gap of the tape, half open. A refilled one is complete. */
export interface KnownGap {
  readonly from: number;
  readonly to: number;
  readonly state?: string;
  /** For several markets together: the market that reports it. Only its own reports replace it. */
  readonly market?: string;
  /** Its trades arrived late: only an identical report replaces it. */
  readonly late?: boolean;
  /** It may not have ended yet: the final report replaces it. */
  readonly isOpen?: boolean;
}

/** The gaps of a list, as in a build or `caughtUp`; the newest may still have been open when the list was made. */
export function newestOpen(gaps: readonly KnownGap[]): readonly KnownGap[] {
  const newestTo = Math.max(...gaps.map(({ to }) => to));
  return gaps.map((gap) => (gap.to === newestTo ? { ...gap, isOpen: true } : gap));
}

interface ClosedBar {
  readonly bar: Bar;
  /** Close of the previous bar: a gap in between may affect this one. */
  readonly fromTs: number;
}

/** Tracks the newest closed bars and the gaps of the tape, to determine which bars are complete. */
export class AmendedBars {
  #closed: ClosedBar[] = [];
  #gaps: readonly KnownGap[];

  constructor(gaps: readonly KnownGap[]) {
    this.#gaps = gaps;
  }

  /** Adds closed bars and returns them marked. */
  close(bars: readonly Bar[]): readonly Bar[] {
    const marked = bars.map((bar) => {
      const one = this.marked(bar);
      this.#closed.push({ bar: one, fromTs: this.#closed.at(-1)?.bar.closeTs ?? one.openTs });
      return one;
    });
    if (this.#closed.length > 2 * BARS_MAX) this.#closed = this.#closed.slice(-BARS_MAX);
    return marked;
  }

  /** Marks a bar after all closed ones. */
  marked<Some extends Bar | null>(bar: Some): Some {
    return (
      bar && { ...bar, complete: this.#isWhole(this.#closed.at(-1)?.bar.closeTs ?? bar.openTs, bar.closeTs) }
    );
  }

  /** Adds gaps and returns the closed bars that they change. */
  learn(gaps: readonly KnownGap[]): readonly Bar[] {
    if (gaps.length === 0) return [];
    for (const gap of gaps) this.#replace(gap);
    const amended: Bar[] = [];
    this.#closed = this.#closed.map((one) => {
      const complete = this.#isWhole(one.fromTs, one.bar.closeTs);
      if (complete === one.bar.complete) return one;
      const bar = { ...one.bar, complete };
      amended.push(bar);
      return { ...one, bar };
    });
    return amended;
  }

  /**
   * Gaps add up, as in a build. The newest report with the same start replaces earlier ones, even if it is shorter. A
   * gap that was reported while the venue was still disconnected is reported again when it is over, and replaces the
   * partial one. An open gap may turn out to be several, some of them refilled: the first replaces it, and the others
   * add up.
   */
  #replace(gap: KnownGap): void {
    const others = this.#gaps.flatMap((one): readonly KnownGap[] => {
      const { from, to, isOpen, market, late = false } = one;
      if (market !== gap.market || late !== (gap.late ?? false)) return [one];
      if (!isOpen) return from !== gap.from && (from < gap.from || to > gap.to) ? [one] : [];
      if (from >= gap.to || to <= gap.from) return [one];
      return gap.from - from > SAME_GAP_MS ? [{ ...one, to: gap.from, isOpen: false }] : [];
    });
    const reported = gap.state === 'refilled' ? [] : [gap];
    this.#gaps = [...others, ...reported].slice(-GAPS_MAX);
  }

  /** As in builds: a gap that contains the first or the last millisecond counts. */
  #isWhole(fromTs: number, toTs: number): boolean {
    return !this.#gaps.some(({ from, to }) => from <= toTs && to > fromTs);
  }
}
