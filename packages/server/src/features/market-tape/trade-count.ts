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

/** Skipped numbers, between two received trades. */
export interface MissingNumbers {
  readonly first: number;
  readonly last: number;
  /** The trades on either side. */
  readonly after: Edge;
  readonly before: Edge;
  /** How many of the numbers have arrived since. */
  found: number;
  /** How many the venue did not use, as its own history shows. */
  skipped: number;
  /** Ids of trades that are not missing, although the history of the time has them: both edges, and those received. */
  readonly tids: Set<number>;
  /** Received numbers, in contiguous spans. */
  spans: readonly CountedSpan[];
}

/** The first and the last of consecutive numbers. */
type NumberSpan = readonly [first: number, last: number];

/** A contiguous range of received numbers. */
interface CountedSpan {
  readonly first: number;
  readonly last: number;
  /** The trades with these numbers. */
  readonly oldest: Edge;
  readonly newest: Edge;
}

/** What a trade's number implies about earlier trades. */
export type CountChange =
  /** It starts the count, or follows the previous one: nothing is missing. */
  | { readonly kind: 'first' | 'next' }
  /** It passed over these. */
  | { readonly kind: 'passed'; readonly range: MissingNumbers }
  /** It is not above the highest number: it shows nothing about later trades. */
  | { readonly kind: 'late' }
  /** It cannot be compared with the current trade of the count: one of the two has a wrong number. */
  | { readonly kind: 'odd'; readonly after: Edge }
  /** The venue restarted its numbering: losses after a trade of the old count are unknown. */
  | { readonly kind: 'restarted'; readonly after: Edge };

const FIRST: CountChange = { kind: 'first' };
const NEXT: CountChange = { kind: 'next' };
const LATE: CountChange = { kind: 'late' };

/**
 * A number this far below the highest starts a new count, if the venue restarts by design: late trades and back-fills
 * are at most some hundreds below, and a count of Kraken fell by 462,249 (`kraken/market-trades.ts`).
 */
const RESTART_MIN = 1_000;
/** A lower number of a trade that was made this much later is not late: trades that overtake each other are made together. */
const TOGETHER_MS = 5_000;
/** A number may be this far above the highest, and as many more as a market trades at most in the time between both. */
const PASSED_MAX = 10_000;
const PASSED_PER_MS = 5;
/** Ranges that are still waited for; of more, the oldest are no longer completed. */
const RANGES_MAX = 1_000;

export function isClosed(range: MissingNumbers): boolean {
  return missingOf(range) === 0;
}

/** How many numbers of a range are missing. */
export function missingOf({ first, last, found, skipped }: MissingNumbers): number {
  return last - first + 1 - found - skipped;
}

/** The missing numbers of a range, if each trade has its number. */
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

/** The trades on either side of the missing part of a range: without the received spans at its ends. */
export function uncoveredEdges({ first, last, after, before, spans }: MissingNumbers): {
  readonly after: Edge;
  readonly before: Edge;
} {
  return {
    after: spans.find((span) => span.first === first)?.newest ?? after,
    before: spans.find((span) => span.last === last)?.oldest ?? before,
  };
}

/**
 * Counts the trades of a market with consecutive numbers. Every trade must be passed once. An implausible number
 * changes nothing until a second one agrees with it.
 */
export class TradeCount {
  readonly #mayRestart: boolean;
  /** The highest number so far. */
  #last: NumberedTrade | undefined;
  /** The previous trade had a number that does not fit the last one. */
  #odd: NumberedTrade | undefined;
  #open: MissingNumbers[] = [];
  /** Ids of the trades that were made in the same millisecond as the last one. */
  #together: number[] = [];
  /** The previous such list, for the next one: nearly every trade begins one. */
  #spare: number[] = [];

  constructor({ mayRestart = false }: { readonly mayRestart?: boolean } = {}) {
    this.#mayRestart = mayRestart;
  }

  /** Whether there is a number to compare the next one with. */
  get hasBegun(): boolean {
    return this.#last !== undefined;
  }

  /** Ranges with missing numbers, oldest first. */
  get open(): readonly MissingNumbers[] {
    return this.#open;
  }

  /** Continues after recorded trades, oldest first. Losses between them were reported when they were recorded. */
  continue(trades: readonly NumberedTrade[]): void {
    for (const trade of trades) this.add(trade);
    this.#odd = undefined;
    this.#open = [];
  }

  add(trade: NumberedTrade): CountChange {
    const last = this.#last;
    const odd = this.#odd;
    const together = this.#together;
    if (last?.venueTs === trade.venueTs) together.push(trade.tid);
    else {
      this.#together = this.#spare;
      this.#spare = together;
      this.#together[0] = trade.tid;
      // Rarely: it takes as long as all else here.
      if (this.#together.length > 1) this.#together.length = 1;
    }
    const newest = this.#open.at(-1);
    if (newest?.before.venueTs === trade.venueTs) newest.tids.add(trade.tid);
    if (!last) {
      this.#last = trade;
      return FIRST;
    }
    if (this.#mayRestart && isRestart(last, trade)) return this.#restart(last, trade);
    if (!isPossible(last, trade)) {
      if (odd && isPossible(odd, trade)) return this.#restart(last, odd.number > trade.number ? odd : trade);
      this.#odd = trade;
      return { kind: 'odd', after: last };
    }
    this.#odd = undefined;
    const first = firstOf(trade);
    if (first <= last.number) {
      const range = this.#open.find((one) => one.first <= trade.number && trade.number <= one.last);
      if (range) {
        range.tids.add(trade.tid);
        this.take(range, trade);
      }
      return LATE;
    }
    this.#last = trade;
    if (first === last.number + 1) return NEXT;
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
    return { kind: 'passed', range };
  }

  #restart(after: Edge, trade: NumberedTrade): CountChange {
    this.#last = trade;
    this.#odd = undefined;
    this.#open = [];
    return { kind: 'restarted', after };
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
   * Adds a trade with its number. Returns `false` if it does not belong to the range, or its numbers were received
   * before: a venue that merges fills sends them singly when requested.
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

  /** Adds numbers of a range, from trades that may lack theirs. */
  fill(range: MissingNumbers, numbers: number): void {
    range.found += Math.min(numbers, missingOf(range));
    if (isClosed(range)) this.#close(range);
  }

  /** The venue did not use the missing numbers of a range. */
  closeSkipped(range: MissingNumbers): void {
    range.skipped += missingOf(range);
    this.#close(range);
  }

  #close(range: MissingNumbers): void {
    this.#open = this.#open.filter((one) => one !== range);
  }
}

function firstOf({ number, width }: NumberedTrade): number {
  return number - width + 1;
}

function isRestart(last: NumberedTrade, { number, venueTs }: NumberedTrade): boolean {
  return (
    number < last.number - RESTART_MIN || (number <= last.number && venueTs > last.venueTs + TOGETHER_MS)
  );
}

/** Whether one count can have both numbers, given when the trades were made. */
function isPossible(last: NumberedTrade, trade: NumberedTrade): boolean {
  const laterMs = trade.venueTs - last.venueTs;
  if (firstOf(trade) <= last.number) return laterMs <= TOGETHER_MS;
  return firstOf(trade) - last.number <= PASSED_MAX + PASSED_PER_MS * Math.max(0, laterMs);
}
