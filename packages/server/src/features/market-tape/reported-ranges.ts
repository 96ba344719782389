import type { MissingNumbers } from './trade-count.ts';

/** Gaps whose ranges are remembered; the last request for one is made within minutes. */
const REPORTED_MAX = 1_000;

/** The ranges of the newest gaps that were reported. The ledger knows a gap by its start: those that begin together are one. */
export class ReportedRanges {
  readonly #byStart = new Map<number, MissingNumbers[]>();

  /** The ranges that were reported with the same start, this one included. */
  together(fromMs: number, range: MissingNumbers): readonly MissingNumbers[] {
    const ranges = this.#byStart.get(fromMs) ?? [];
    if (!ranges.includes(range)) ranges.push(range);
    this.#byStart.set(fromMs, ranges);
    const [oldest] = this.#byStart.keys();
    if (this.#byStart.size > REPORTED_MAX && oldest !== undefined) this.#byStart.delete(oldest);
    return ranges;
  }
}
