import type { Bar } from '@crosstape/core';

/** Bars that can still be amended; a hole is known within seconds, and at most an hour after a lost connection. */
export const TOLD_MAX = 4_096;
/** Holes that are remembered, which is more than those bars can meet. */
const HOLES_MAX = 4_096;
/** A hole that begins so much later than one that may have been open is another one. */
const SAME_HOLE_MS = 2_000;

/** A stretch of the tape, half open. What was refilled is whole. */
export interface Hole {
  readonly from: number;
  readonly to: number;
  readonly state?: string;
  /** It may not be over yet: what is told of it when it is stands in its place. */
  readonly isOpen?: boolean;
}

/** The holes of a list, as a build or `caughtUp` has them: the newest may still have been open when they were read. */
export function newestOpen(holes: readonly Hole[]): readonly Hole[] {
  const newestTo = Math.max(...holes.map(({ to }) => to));
  return holes.map((hole) => (hole.to === newestTo ? { ...hole, isOpen: true } : hole));
}

interface Told {
  readonly bar: Bar;
  /** Where the bar before it closed: what is missing in between may belong to it. */
  readonly fromTs: number;
}

/** Knows the newest closed bars and the holes of the tape, and so which bars are complete. */
export class ToldBars {
  #told: Told[] = [];
  #holes: readonly Hole[];

  constructor(holes: readonly Hole[]) {
    this.#holes = holes;
  }

  /** Takes bars that have closed, and gives them marked. */
  close(bars: readonly Bar[]): readonly Bar[] {
    const marked = bars.map((bar) => {
      const one = this.marked(bar);
      this.#told.push({ bar: one, fromTs: this.#told.at(-1)?.bar.closeTs ?? one.openTs });
      return one;
    });
    if (this.#told.length > 2 * TOLD_MAX) this.#told = this.#told.slice(-TOLD_MAX);
    return marked;
  }

  /** A bar that comes after all that have closed. */
  marked<Some extends Bar | null>(bar: Some): Some {
    return (
      bar && { ...bar, complete: this.#isWhole(this.#told.at(-1)?.bar.closeTs ?? bar.openTs, bar.closeTs) }
    );
  }

  /** Takes what has become known of the tape, and gives the closed bars that are otherwise by it. */
  learn(holes: readonly Hole[]): readonly Bar[] {
    if (holes.length === 0) return [];
    for (const hole of holes) this.#replace(hole);
    const amended: Bar[] = [];
    this.#told = this.#told.map((one) => {
      const complete = this.#isWhole(one.fromTs, one.bar.closeTs);
      if (complete === one.bar.complete) return one;
      const bar = { ...one.bar, complete };
      amended.push(bar);
      return { ...one, bar };
    });
    return amended;
  }

  /**
   * Holes add up, as in a build. But the newest word on one with the same start stands, also where it is shorter, and one
   * that was known in part, while the venue was still away, is told again when it is over: then the whole stands in place
   * of its part. Of one that was open the whole may be several, of which some are refilled: the first of them stands in
   * its place, and the others add up.
   */
  #replace(hole: Hole): void {
    const others = this.#holes.flatMap((one): readonly Hole[] => {
      const { from, to, isOpen, state } = one;
      if (!isOpen) return from !== hole.from && (from < hole.from || to > hole.to) ? [one] : [];
      if (from >= hole.to || to <= hole.from) return [one];
      return hole.from - from > SAME_HOLE_MS ? [{ from, to: hole.from, ...(state && { state }) }] : [];
    });
    const told = hole.state === 'refilled' ? [] : [hole];
    this.#holes = [...others, ...told].slice(-HOLES_MAX);
  }

  /** As builds mark them: a hole that holds the first or the last millisecond counts. */
  #isWhole(fromTs: number, toTs: number): boolean {
    return !this.#holes.some(({ from, to }) => from <= toTs && to > fromTs);
  }
}
