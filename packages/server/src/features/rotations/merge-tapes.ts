import {
  type Cursor,
  createTickColumns,
  firstTickAt,
  MERGED_SIZE_DECIMALS,
  type TickColumns,
} from '@crosstape/core';

/** Trades that are handed on at a time. */
const BATCH_TRADES = 8_192;

/** Trades of one market, in its tape's order. */
export type MarketTrades = Omit<TickColumns, 'sameOrder'>;

/** The tape of one market: later columns follow earlier ones, and none is changed afterwards. */
export interface MergedMarket {
  readonly columns: AsyncIterator<MarketTrades, unknown, undefined>;
  /** `fromTs <= ts < toTs`. */
  readonly fromTs: number;
  readonly toTs: number;
}

/** Position in the tape of one market. */
class Reading {
  readonly #market: MergedMarket;
  trades: MarketTrades | undefined;
  at = 0;
  end = 0;
  /** Trades that were handed on. */
  count = 0;
  /** The newest trade that was read. */
  cursor: Cursor | null = null;
  isOver = false;

  constructor(market: MergedMarket) {
    this.#market = market;
  }

  /** Time of the next trade; Infinity if there is none. */
  get nextTs(): number {
    return this.at < this.end ? this.trades!.ts[this.at]! : Infinity;
  }

  get lastTs(): number {
    return this.trades!.ts[this.end - 1]!;
  }

  async fill(): Promise<void> {
    const { columns, fromTs, toTs } = this.#market;
    while (this.at === this.end && !this.isOver) {
      const { done, value } = await columns.next();
      if (done === true) {
        this.isOver = true;
        return;
      }
      this.trades = value;
      this.at = firstTickAt(this.trades, fromTs);
      this.end = firstTickAt(this.trades, toTs);
    }
  }

  /** Leaves the trades before `end` behind. */
  pass(end: number): void {
    const { ts } = this.trades!;
    const lastTs = ts[end - 1]!;
    let first = end - 1;
    while (first > this.at && ts[first - 1] === lastTs) first -= 1;
    const isContinued = first === this.at && this.cursor?.ts === lastTs;
    this.cursor = { ts: lastTs, count: end - first + (isContinued ? this.cursor!.count : 0) };
    this.at = end;
  }
}

/**
 * Merges the trades of several markets of a coin into one tape, in order of time. Only the reference market sets
 * prices: trades of the others count at its last price, so that prices of venues and quotes never mix in one bar.
 * Trades before its first one are left out. Holds at most one set of columns per market.
 */
export class MergedTape {
  readonly #readings: readonly Reading[];
  readonly #reference: number;
  readonly #out = createTickColumns(BATCH_TRADES);
  /** The last price of the reference market, in the decimals of `#out`. */
  #price: number | undefined;

  constructor(markets: readonly MergedMarket[], reference: number) {
    this.#readings = markets.map((market) => new Reading(market));
    this.#reference = reference;
  }

  /** The last price of the reference market; `undefined` before its first trade. */
  get price(): number | undefined {
    return this.#price === undefined ? undefined : this.#price / 10 ** this.#out.priceDecimals;
  }

  /** Position in each market, in the given order. */
  get markets(): readonly Pick<Reading, 'count' | 'cursor'>[] {
    return this.#readings;
  }

  /** Columns that the next step overwrites. */
  async *batches(): AsyncGenerator<TickColumns, void, undefined> {
    for (;;) {
      for (const reading of this.#readings) await reading.fill();
      const open = this.#readings.filter(({ at, end }) => at < end);
      if (open.length === 0) break;
      if (!this.#fits()) {
        yield* this.#flush();
        this.#rescale();
      }
      // Later trades of the market that ends first are not read yet.
      const horizonTs = Math.min(...open.map(({ lastTs }) => lastTs));
      for (;;) {
        const next = this.#next(horizonTs);
        if (!next) break;
        this.#take(next.reading, next.end);
        if (this.#out.length === BATCH_TRADES) yield* this.#flush();
      }
    }
    yield* this.#flush();
  }

  *#flush(): Generator<TickColumns, void, undefined> {
    if (this.#out.length > 0) yield this.#out;
    this.#out.length = 0;
  }

  /** The market with the earliest next trade, and where its trades before those of all others end. */
  #next(horizonTs: number): { readonly reading: Reading; readonly end: number } | undefined {
    let reading: Reading | undefined;
    let firstTs = Infinity;
    let othersTs = horizonTs + 1;
    for (const one of this.#readings) {
      const ts = one.nextTs;
      // Within one millisecond the reference market comes first: the others count at its price.
      const isEarlier = ts < firstTs || (ts === firstTs && one === this.#readings[this.#reference]);
      if (isEarlier) {
        othersTs = Math.min(othersTs, firstTs);
        firstTs = ts;
        reading = one;
      } else othersTs = Math.min(othersTs, ts);
    }
    if (!reading || firstTs > horizonTs) return undefined;
    const room = reading.at + BATCH_TRADES - this.#out.length;
    const most = Math.min(reading.end, room);
    const { ts } = reading.trades!;
    let end = reading.at + 1;
    while (end < most && (ts[end]! < othersTs || ts[end] === firstTs)) end += 1;
    return { reading, end };
  }

  /** Appends the next trades of a market. */
  #take(reading: Reading, end: number): void {
    const { at } = reading;
    const trades = reading.trades!;
    reading.pass(end);
    const isReference = reading === this.#readings[this.#reference];
    if (!isReference && this.#price === undefined) return;
    const out = this.#out;
    const perPrice = 10 ** (out.priceDecimals - trades.priceDecimals);
    const sizeShift = out.sizeDecimals - trades.sizeDecimals;
    const perSize = 10 ** Math.abs(sizeShift);
    for (let i = at; i < end; i += 1) {
      const to = out.length;
      const size = sizeShift >= 0 ? trades.size[i]! * perSize : Math.round(trades.size[i]! / perSize);
      if (size > Number.MAX_SAFE_INTEGER)
        throw new RangeError(`the trade at ${trades.ts[i]} is too large beside trades with finer decimals`);
      if (isReference) this.#price = trades.price[i]! * perPrice;
      out.ts[to] = trades.ts[i]!;
      out.price[to] = this.#price!;
      out.size[to] = size;
      out.isBuy[to] = trades.isBuy[i]!;
      out.length += 1;
    }
    reading.count += end - at;
  }

  /** The finest decimals so far: of prices those of the reference market. */
  #decimals(): { readonly price: number; readonly size: number } {
    const reference = this.#readings[this.#reference]?.trades;
    const sizes = this.#readings.map(({ trades }) => trades?.sizeDecimals ?? 0);
    return {
      price: Math.max(this.#out.priceDecimals, reference?.priceDecimals ?? 0),
      size: Math.min(MERGED_SIZE_DECIMALS, Math.max(this.#out.sizeDecimals, ...sizes)),
    };
  }

  #fits(): boolean {
    const { price, size } = this.#decimals();
    return price === this.#out.priceDecimals && size === this.#out.sizeDecimals;
  }

  #rescale(): void {
    const { price, size } = this.#decimals();
    if (this.#price !== undefined) this.#price *= 10 ** (price - this.#out.priceDecimals);
    this.#out.priceDecimals = price;
    this.#out.sizeDecimals = size;
  }
}
