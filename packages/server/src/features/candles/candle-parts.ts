import { type Candle, foldInto, intervalStart } from '@crosstape/core';
import { ReadBlock } from './read-blocks.ts';

/** Candles one after the other, oldest first: those of a stored block, which need not be decoded, or any others. */
export type CandlePart = ReadBlock | readonly Candle[];

/** The candles of parts that follow each other. */
export function candlesOf(parts: readonly CandlePart[]): readonly Candle[] {
  return ([] as Candle[]).concat(...parts.map(candlesIn));
}

function candlesIn(part: CandlePart): readonly Candle[] {
  return part instanceof ReadBlock ? part.candles : part;
}

/** Its candles in a larger interval, each with its notional at a rate. Candles of a block are not retained. */
export function foldPart(
  part: CandlePart,
  intervalMs: number,
  rateOf: (candle: Candle) => number,
): readonly Candle[] {
  const folded: Candle[] = [];
  eachCandleOf(part, (candle) => foldInto(folded, candle, intervalMs, rateOf(candle)));
  return folded;
}

/** Its candles one after the other: those of a block are valid during the call only. */
export function eachCandleOf(part: CandlePart, use: (candle: Candle) => void): void {
  if (part instanceof ReadBlock) part.each(use);
  else for (const candle of part) use(candle);
}

export function firstTsOf(part: CandlePart | undefined): number | undefined {
  return part instanceof ReadBlock ? part.firstTs : part?.[0]?.ts;
}

/** A time that every candle of a part begins before. */
export function endOf(part: CandlePart): number {
  return part instanceof ReadBlock ? part.startTs + part.level.blockMs : (part.at(-1)?.ts ?? -Infinity) + 1;
}

/** The newest candle of parts that follow each other. */
export function newestIn(parts: readonly CandlePart[]): Candle | undefined {
  const last = parts.findLast(({ length }) => length > 0);
  return last && candlesIn(last).at(-1);
}

/** The newest `limit` candles. */
export function newestOf(parts: readonly CandlePart[], limit: number) {
  const total = parts.reduce((sum, { length }) => sum + length, 0);
  const shown = parts.filter(({ length }) => length > 0);
  for (let older = total - limit; older > 0; ) {
    const first = shown.shift()!;
    if (first.length > older) shown.unshift(candlesIn(first).slice(older));
    older -= first.length;
  }
  return { parts: shown, hasOlder: total > limit, firstTs: firstTsOf(shown[0]) };
}

/** Stored candles with those from trades, which replace them. */
export function joined(stored: readonly CandlePart[], fresh: readonly Candle[]): readonly CandlePart[] {
  const [first] = fresh;
  if (!first) return stored;
  const newest = newestIn(stored);
  if (!newest || newest.ts < first.ts) return [...stored, fresh];
  const own = new Set(fresh.map(({ ts }) => ts));
  const others = candlesOf(stored).filter(({ ts }) => !own.has(ts));
  return [[...others, ...fresh].toSorted((a, b) => a.ts - b.ts)];
}

/** Candles that are read newest part first, each part oldest first, until there are more intervals than needed. */
export class NewestCandles {
  readonly #intervalMs: number;
  readonly #limit: number;
  readonly #parts: CandlePart[] = [];
  #intervals = 0;
  #oldest = Infinity;

  constructor(intervalMs: number, limit: number) {
    this.#intervalMs = intervalMs;
    this.#limit = limit;
  }

  get isEnough(): boolean {
    return this.#intervals > this.#limit;
  }

  add(part: CandlePart): void {
    this.#parts.push(part);
    this.#intervals +=
      part instanceof ReadBlock && part.level.intervalMs === this.#intervalMs
        ? part.length
        : intervalsIn(candlesIn(part), this.#intervalMs, this.#oldest);
    const firstTs = firstTsOf(part);
    if (firstTs !== undefined) this.#oldest = intervalStart(firstTs, this.#intervalMs);
  }

  /** Oldest first. */
  all(): readonly CandlePart[] {
    return this.#parts.toReversed();
  }
}

/** How many intervals that begin before a time have a candle. */
function intervalsIn(candles: readonly Candle[], intervalMs: number, before: number): number {
  let count = 0;
  let end = -Infinity;
  for (const { ts } of candles) {
    if (ts < end) continue;
    if (ts >= before) break;
    count += 1;
    end = intervalStart(ts, intervalMs) + intervalMs;
  }
  return count;
}
