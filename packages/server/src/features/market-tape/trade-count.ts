/** A trade as a count sees it. */
export interface NumberedTrade {
  /** Its number; of a trade that takes up several, the last. */
  readonly number: number;
  /** How many numbers it takes up. */
  readonly width: number;
  readonly venueTs: number;
  readonly tid: number;
}

type Edge = Pick<NumberedTrade, 'venueTs' | 'tid'>;

/** Numbers that were passed over, between two trades that came. */
export interface MissingNumbers {
  readonly first: number;
  readonly last: number;
  /** The trades on either side. */
  readonly after: Edge;
  readonly before: Edge;
  /** How many of the numbers have come since. */
  found: number;
  /** How many the venue did not use, as its own history shows. */
  skipped: number;
  /** Ids of trades that are not missing, though the history of the time has them: of both sides, and those that came. */
  readonly tids: Set<number>;
  /** Those that came with their numbers, in as few spans as they were contiguous. */
  spans: readonly CountedSpan[];
}

/** The first and the last of consecutive numbers. */
type NumberSpan = readonly [first: number, last: number];

/** Numbers that came, without one missing in between. */
interface CountedSpan {
  readonly first: number;
  readonly last: number;
  /** The trades with these numbers. */
  readonly oldest: Edge;
  readonly newest: Edge;
}

/** The venue began to count again: what was made after a trade of the old count is not known by numbers. */
export interface RestartedCount {
  readonly restartedAfter: Edge;
}

/**
 * A number this far below the highest starts a new count where the venue does so by design: late trades and back-fills lie
 * at most some hundreds below, and a count of Kraken fell by 462,249 (`kraken/market-trades.ts`).
 */
const RESTART_MIN = 1_000;
/** So does any lower number of a trade that was made this much later: trades that overtake each other are made together. */
const RESTART_AFTER_MS = 5_000;
/** Ranges that are still waited for; of more, the oldest are no longer completed. */
const RANGES_MAX = 1_000;

export function isClosed(range: MissingNumbers): boolean {
  return missingOf(range) === 0;
}

/** How many numbers of a range have not come. */
export function missingOf({ first, last, found, skipped }: MissingNumbers): number {
  return last - first + 1 - found - skipped;
}

/** The numbers of a range that have not come, where each comes with its trade. */
export function missingSpans({ first, last, spans, skipped }: MissingNumbers): readonly NumberSpan[] {
  if (skipped > 0) return [];
  const missing: NumberSpan[] = [];
  let next = first;
  for (const span of spans.toSorted((a, b) => a.first - b.first)) {
    if (span.first > next) missing.push([next, span.first - 1]);
    next = span.last + 1;
  }
  if (next <= last) missing.push([next, last]);
  return missing;
}

/** The trades on either side of what has not come of a range: without the spans at its ends that have. */
export function uncoveredEdges({ first, last, after, before, spans }: MissingNumbers): {
  readonly after: Edge;
  readonly before: Edge;
} {
  return {
    after: spans.find((span) => span.first === first)?.newest ?? after,
    before: spans.find((span) => span.last === last)?.oldest ?? before,
  };
}

/** Counts the trades of a market whose numbers are consecutive. Every trade is to be given once. */
export class TradeCount {
  readonly #mayRestart: boolean;
  #last: NumberedTrade | undefined;
  #open: MissingNumbers[] = [];
  /** Ids of the trades that were made in the same millisecond as the last one. */
  #together: number[] = [];

  constructor({ mayRestart = false }: { readonly mayRestart?: boolean } = {}) {
    this.#mayRestart = mayRestart;
  }

  /** A number has come with which the next can be compared. */
  get hasBegun(): boolean {
    return this.#last !== undefined;
  }

  /** Ranges with missing numbers, oldest first. */
  get open(): readonly MissingNumbers[] {
    return this.#open;
  }

  /** Adds a trade; returns the range of numbers that it passed over, or that the count began again, if so. */
  add(trade: NumberedTrade): MissingNumbers | RestartedCount | undefined {
    const last = this.#last;
    const together = this.#together;
    if (last?.venueTs === trade.venueTs) together.push(trade.tid);
    else this.#together = [trade.tid];
    const newest = this.#open.at(-1);
    if (newest?.before.venueTs === trade.venueTs) newest.tids.add(trade.tid);
    const first = trade.number - trade.width + 1;
    if (!last) {
      this.#last = trade;
      return undefined;
    }
    if (this.#mayRestart && isRestart(last, trade)) {
      this.#last = trade;
      this.#open = [];
      return { restartedAfter: last };
    }
    if (first <= last.number) {
      const range = this.#open.find((one) => one.first <= trade.number && trade.number <= one.last);
      if (range) {
        range.tids.add(trade.tid);
        this.take(range, trade);
      }
      return undefined;
    }
    this.#last = trade;
    if (first === last.number + 1) return undefined;
    const range = {
      first: last.number + 1,
      last: first - 1,
      after: last,
      before: trade,
      found: 0,
      skipped: 0,
      tids: new Set([...together, last.tid, trade.tid]),
      spans: [],
    };
    this.#open = [...this.#open, range].slice(-RANGES_MAX);
    return range;
  }

  /** Waits again for numbers that an earlier process missed, which were made between two times. */
  reopen(
    { first, last }: Pick<MissingNumbers, 'first' | 'last'>,
    { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  ): MissingNumbers {
    const range: MissingNumbers = {
      first,
      last,
      after: { venueTs: fromMs, tid: first - 1 },
      before: { venueTs: toMs, tid: last + 1 },
      found: 0,
      skipped: 0,
      tids: new Set(),
      spans: [],
    };
    this.#open = [...this.#open, range].slice(-RANGES_MAX);
    return range;
  }

  /**
   * A trade with its number has come. Returns `false` when it does not belong to the range, or its numbers have come
   * before: a venue that merges fills sends them singly when they are requested.
   */
  take(range: MissingNumbers, trade: NumberedTrade): boolean {
    const { number, width } = trade;
    const first = number - width + 1;
    const { spans } = range;
    const isTaken = spans.some((span) => first <= span.last && span.first <= number);
    if (isTaken || first < range.first || number > range.last) return false;
    const before = spans.find((span) => span.last === first - 1);
    const after = spans.find((span) => span.first === number + 1);
    const joined = {
      first: before?.first ?? first,
      last: after?.last ?? number,
      oldest: before?.oldest ?? trade,
      newest: after?.newest ?? trade,
    };
    range.spans = [...spans.filter((span) => span !== before && span !== after), joined];
    this.fill(range, width);
    return true;
  }

  /** Numbers of a range have come, in trades that may not have their number with them. */
  fill(range: MissingNumbers, numbers: number): void {
    range.found += Math.min(numbers, missingOf(range));
    if (isClosed(range)) this.#close(range);
  }

  /** The venue did not use the numbers of a range that have not come. */
  closeSkipped(range: MissingNumbers): void {
    range.skipped += missingOf(range);
    this.#close(range);
  }

  #close(range: MissingNumbers): void {
    this.#open = this.#open.filter((one) => one !== range);
  }
}

function isRestart(last: NumberedTrade, { number, venueTs }: NumberedTrade): boolean {
  return (
    number < last.number - RESTART_MIN || (number <= last.number && venueTs > last.venueTs + RESTART_AFTER_MS)
  );
}
