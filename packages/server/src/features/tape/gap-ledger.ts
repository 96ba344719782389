import type { Change, Entry, Range, Store, Table } from '../../store/store.ts';

/** What is known of a stretch of a coin's tape. Completeness comes from when the feed was up, never from row counts. */
export type CoverageState = 'complete' | 'refilled' | 'partial' | 'missing';

/** A stretch in which the feed was not up: half open, in ms. */
export interface Gap {
  readonly coin: string;
  readonly from: number;
  readonly to: number;
  readonly state: Exclude<CoverageState, 'complete'>;
  readonly reason: string;
}

/** A stretch in which the feed was up: half open, in ms. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** One in which the tape was recorded. */
export interface TapeSpan extends Span {
  /** Whose trades: `all`, or coins separated by commas; where it is not said, all. */
  readonly recordCoins?: string;
}

/** Rows read at a time. There are as many as the retention keeps. */
const PAGE_ROWS = 1_000;

/** Where the ledger lies in a store. */
export const ledgerTables = { gaps: 'gaps', spans: 'spans' } as const;

/** When the feed was up, and what became of the holes in between; kept as long as the tape. */
export class GapLedger {
  readonly #store: Store;
  readonly #gaps: Table<Gap>;
  readonly #spans: Table<TapeSpan>;

  constructor(store: Store) {
    this.#store = store;
    this.#gaps = store.table<Gap>(ledgerTables.gaps, 'json');
    this.#spans = store.table<TapeSpan>(ledgerTables.spans, 'json');
  }

  /** Changes that enter gaps; a gap entered again is replaced. */
  entering(gaps: readonly Gap[]): Change {
    return this.#gaps.puts(gaps.map((gap) => ({ key: [gap.coin, gap.from], value: gap })));
  }

  /** The change that enters a gap in place of whatever was said of the same time. */
  async replacing(gap: Gap): Promise<Change> {
    const told = await this.gaps(gap.coin, gap.from, gap.to);
    const rests = told.flatMap((one) => [
      { ...one, to: Math.min(one.to, gap.from) },
      { ...one, from: Math.max(one.from, gap.to) },
    ]);
    const { table, put } = this.entering([...rests.filter(({ from, to }) => from < to), gap]);
    return { table, put, remove: told.map(({ coin, from }) => [coin, from]) };
  }

  /** The change that says how far a span goes by now. */
  extending(span: TapeSpan): Change {
    return this.#spans.puts([{ key: [span.from], value: span }]);
  }

  /** Gaps of a coin that meet `from <= ms < to`, oldest first. */
  async gaps(coin: string, from: number, to: number): Promise<readonly Gap[]> {
    return meeting(this.#gaps, { from: [coin, 0], to: [coin, to] }, from);
  }

  /** Spans that meet `from <= ms < to`, oldest first. */
  async spans(from: number, to: number): Promise<readonly TapeSpan[]> {
    return meeting(this.#spans, { from: [0], to: [to] }, from);
  }

  /** The span that was open when the last entry was made. */
  async lastSpan(): Promise<TapeSpan | undefined> {
    const [row] = await this.#spans.range({
      from: [0],
      to: [Number.MAX_SAFE_INTEGER],
      reverse: true,
      limit: 1,
    });
    return row?.value;
  }

  /** When recording began, as far as it is kept. */
  async recordedSinceMs(): Promise<number | undefined> {
    const [row] = await this.#spans.range({ limit: 1 });
    return row?.value.from;
  }

  /** Forgets what ended before `beforeMs`. */
  async prune(beforeMs: number): Promise<void> {
    for (const table of [this.#gaps, this.#spans] as readonly Table<Span>[]) {
      for await (const rows of pagesOf(table, { from: [0] })) {
        const old = rows.filter(({ value }) => value.to < beforeMs).map(({ key }) => key);
        if (old.length > 0) await this.#store.commit([table.removes(old)]);
      }
    }
  }
}

/** Those of a range that end after a time: any may, however early it begins. */
async function meeting<Some extends Span>(
  table: Table<Some>,
  range: Omit<Range, 'limit'>,
  afterMs: number,
): Promise<readonly Some[]> {
  const found: Some[] = [];
  for await (const rows of pagesOf(table, range)) {
    for (const { value } of rows) if (value.to > afterMs) found.push(value);
  }
  return found;
}

/** All rows of a range, part by part; in between the event loop has its turn. */
async function* pagesOf<Value>(
  table: Table<Value>,
  range: Omit<Range, 'limit'>,
): AsyncGenerator<readonly Entry<Value>[]> {
  for (let { from } = range; ; ) {
    const rows = await table.range({ ...range, ...(from && { from }), limit: PAGE_ROWS });
    yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE_ROWS) return;
    from = [...last.key, 0];
    await new Promise((resolve) => setImmediate(resolve));
  }
}
