import type { OptionBook, OptionTrade } from '@crosstape/core';
import { PAGE_ROWS, pagesOf, removeOlder } from '../../../store/pages.ts';
import type { Store, Table } from '../../../store/store.ts';

/** How long trades of options are kept. */
export const OPTION_TRADES_DAYS = 30;
/** Rows looked at for one page; the next one continues where it stops. */
const SCANNED_MAX = 50_000;
/** One span per outage: more than thirty days have. */
const SPANS_MAX = 10_000;

/** A trade with its sensitivities at that time. */
export interface RecordedOptionTrade extends OptionTrade {
  /** Of one coin of the option, per dollar of the forward. */
  readonly delta: number;
  /** Of one coin of the option, in dollars per percentage point of volatility. */
  readonly vega: number;
}

/** All trades of a book with `from <= ts < to` are recorded. */
export interface BookSpan {
  readonly book: OptionBook;
  readonly from: number;
  readonly to: number;
}

export interface OptionTradeQuery {
  readonly coin: string;
  /** `fromMs <= ts < toMs`. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly isWanted: (trade: RecordedOptionTrade) => boolean;
  readonly limit: number;
  /** The caller that the work is scheduled for. */
  readonly caller?: string;
}

export interface OptionTradesFound {
  /** Newest first. */
  readonly trades: readonly RecordedOptionTrade[];
  /** End of the next page; absent if the range has nothing older. */
  readonly nextEndMs?: number;
}

/** Trades of options by coin and time, and the spans that are recorded without a gap. */
export class OptionTradeTable {
  readonly #store: Store;
  readonly #rows: Table<RecordedOptionTrade>;
  readonly #spans: Table<BookSpan>;

  constructor(store: Store) {
    this.#store = store;
    this.#rows = store.table<RecordedOptionTrade>('optionTrades', 'json');
    this.#spans = store.table<BookSpan>('optionTradeSpans', 'json');
  }

  /** Stores trades with the span that they complete. A stored trade is replaced by the same one. */
  async append(trades: readonly RecordedOptionTrade[], span: BookSpan): Promise<void> {
    await this.#store.commit([
      this.#rows.puts(trades.map((trade) => ({ key: [trade.coin, trade.ts, trade.id], value: trade }))),
      this.#spans.puts([{ key: [span.book, span.from], value: span }]),
    ]);
  }

  /** By book, oldest first. */
  async spans(): Promise<readonly BookSpan[]> {
    return (await this.#spans.range({ limit: SPANS_MAX })).map(({ value }) => value);
  }

  /** The newest wanted trades of a range. A page ends between two milliseconds. */
  async newest(query: OptionTradeQuery): Promise<OptionTradesFound> {
    const { coin, fromMs, toMs, isWanted, limit, caller } = query;
    const trades: RecordedOptionTrade[] = [];
    let lastTs = toMs;
    let scanned = 0;
    const range = { from: [coin, fromMs], to: [coin, toMs], reverse: true, caller };
    for await (const rows of pagesOf(this.#rows, range)) {
      for (const { value } of rows) {
        const isFull = trades.length >= limit || scanned >= SCANNED_MAX;
        if (isFull && value.ts < lastTs) return { trades, nextEndMs: lastTs };
        lastTs = value.ts;
        if (isWanted(value)) trades.push(value);
      }
      scanned += PAGE_ROWS;
    }
    return { trades };
  }

  /** Calls `visit` with every trade of a coin with `fromMs <= ts < toMs`, oldest first. */
  async each(
    { coin, fromMs, toMs, caller }: Pick<OptionTradeQuery, 'coin' | 'fromMs' | 'toMs' | 'caller'>,
    visit: (trade: RecordedOptionTrade) => void,
  ): Promise<void> {
    for await (const rows of pagesOf(this.#rows, { from: [coin, fromMs], to: [coin, toMs], caller }))
      for (const { value } of rows) visit(value);
  }

  /** Forgets trades and spans that are older than `beforeMs`. */
  async prune(beforeMs: number): Promise<void> {
    await removeOlder(this.#store, this.#rows, beforeMs);
    const spans = await this.#spans.range({ limit: SPANS_MAX });
    const gone = spans.filter(({ value }) => value.to < beforeMs).map(({ key }) => key);
    if (gone.length > 0) await this.#store.commit([this.#spans.removes(gone)]);
  }
}
