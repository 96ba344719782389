/** Ranges that are kept apart; beyond it the lowest are forgotten. */
const RANGES_MAX = 10_000;

/** A range of numbers, without its end. */
export interface NumberRange {
  readonly from: number;
  readonly to: number;
}

/** A set of mostly consecutive integers. */
export class NumberRanges {
  #ranges: { from: number; to: number }[] = [];
  /** Below this number nothing is known. */
  floor = Number.NEGATIVE_INFINITY;

  add(number: number): void {
    const last = this.#ranges.at(-1);
    if (last && number === last.to) last.to = number + 1;
    else if (!last || number > last.to) this.#insert(this.#ranges.length, number);
    else this.#addWithin(number);
  }

  /** The numbers from `from` up to, but excluding, `to` that are not in the set. */
  missing(from: number, to: number): readonly NumberRange[] {
    const gaps: NumberRange[] = [];
    let next = Math.max(from, this.floor);
    for (const range of this.#ranges) {
      if (range.to <= next) continue;
      if (range.from >= to) break;
      if (range.from > next) gaps.push({ from: next, to: range.from });
      next = range.to;
    }
    if (next < to) gaps.push({ from: next, to });
    return gaps;
  }

  #addWithin(number: number): void {
    const at = this.#placeOf(number);
    const range = this.#ranges[at];
    const before = this.#ranges[at - 1];
    if (range && number >= range.from) return;
    const joinsBefore = before?.to === number;
    const joinsAfter = range?.from === number + 1;
    if (before && range && joinsBefore && joinsAfter) {
      before.to = range.to;
      this.#ranges.splice(at, 1);
    } else if (before && joinsBefore) before.to = number + 1;
    else if (range && joinsAfter) range.from = number;
    else this.#insert(at, number);
  }

  /** The place of the first range that ends after a number. */
  #placeOf(number: number): number {
    let [low, high] = [0, this.#ranges.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ranges[middle]?.to ?? 0) <= number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #insert(at: number, number: number): void {
    this.#ranges.splice(at, 0, { from: number, to: number + 1 });
    if (this.#ranges.length <= RANGES_MAX) return;
    const half = this.#ranges.length >>> 1;
    this.floor = this.#ranges[half]?.from ?? this.floor;
    this.#ranges = this.#ranges.slice(half);
  }
}
