import { marketKey, marketsOf, PRIMARY_VENUE } from '../../store/market-key.ts';
import { pagesOf } from '../../store/pages.ts';
import type { Change, Key, Range, Store, Table } from '../../store/store.ts';

/** The state of an interval of a coin's tape. Completeness follows from when the feed was up, never from row counts. */
export type CoverageState = 'complete' | 'refilled' | 'partial' | 'missing';

/** An interval without a connected feed: half open, in ms. */
export interface Gap {
  /** The venue's symbol of the market; on the primary venue, the coin. */
  readonly coin: string;
  readonly from: number;
  readonly to: number;
  readonly state: Exclude<CoverageState, 'complete'>;
  readonly reason: string;
  /** Evidence, for a market of a secondary venue: the numbers of its trades, or when the socket was up. */
  readonly method?: 'count' | 'socket';
  /** With `count`: how many trades are missing. */
  readonly missing?: number;
  /** The missing numbers, first and last of each span: a process that starts soon requests them again. */
  readonly numbers?: readonly (readonly [first: number, last: number])[];
  /** A minute with late trades, or without its own: separate from another gap with the same start. */
  readonly late?: boolean;
}

/** An interval with a connected feed: half open, in ms. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** An interval with a recorded tape. */
export interface TapeSpan extends Span {
  /** The recorded coins: `all`, or coins separated by commas; default: all. */
  readonly recordCoins?: string;
}

/** Gaps that are longer than this are listed apart, so that a read begins this long before its range. */
const LONG_MS = 3_600_000;

/**
 * Tables of the ledger: gaps by market id, spans by venue. `longGaps` has a row for each long gap, which may no longer
 * exist, and one for each venue whose gaps were all checked.
 */
export const ledgerTables = {
  gaps: 'tape-gaps',
  spans: 'tape-spans',
  longGaps: 'tape-long-gaps',
} as const;

/** When the trade feed of a venue was up, and the gaps in between; kept as long as the tape. */
export class GapLedger {
  readonly #store: Store;
  readonly #venue: string;
  readonly #gaps: Table<Gap>;
  readonly #spans: Table<TapeSpan>;
  readonly #longGaps: Table<true>;
  /** All long gaps are listed apart. */
  #isIndexed = false;
  #hasLooked = false;

  constructor(store: Store, venue: string = PRIMARY_VENUE) {
    this.#store = store;
    this.#venue = venue;
    this.#gaps = store.table<Gap>(ledgerTables.gaps, 'json');
    this.#spans = store.table<TapeSpan>(ledgerTables.spans, 'json');
    this.#longGaps = store.table<true>(ledgerTables.longGaps, 'json');
  }

  /** Changes that enter gaps; a gap entered again is replaced. */
  entering(gaps: readonly Gap[]): readonly [Change, ...Change[]] {
    const rows = gaps.map((gap) => ({ key: this.#key(gap), value: gap }));
    const long = rows.filter(({ value }) => isLong(value)).map(({ key }) => ({ key, value: true as const }));
    return [this.#gaps.puts(rows), ...(long.length > 0 ? [this.#longGaps.puts(long)] : [])];
  }

  /** Changes that replace all entries of the same time by a gap. */
  async replacing(gap: Gap): Promise<readonly Change[]> {
    const reported = await this.gaps(gap.coin, gap.from, gap.to);
    const rests = reported.flatMap((one) => [
      { ...one, to: Math.min(one.to, gap.from) },
      { ...one, from: Math.max(one.from, gap.to) },
    ]);
    const [gaps, ...long] = this.entering([...rests.filter(({ from, to }) => from < to), gap]);
    return [{ ...gaps, remove: reported.map((one) => this.#key(one)) }, ...long];
  }

  /** The change that extends a span. */
  extending(span: TapeSpan): Change {
    return this.#spans.puts([{ key: [this.#venue, span.from], value: span }]);
  }

  /** Gaps of a coin that meet `from <= ms < to`, oldest first. */
  async gaps(coin: string, from: number, to: number): Promise<readonly Gap[]> {
    const market = marketKey(this.#venue, coin);
    this.#isIndexed ||= (await this.#longGaps.get([this.#venue])) === true;
    const nearMs = this.#isIndexed ? Math.max(0, from - LONG_MS) : 0;
    const found: Gap[] = [];
    for await (const rows of pagesOf(this.#longGaps, { from: [market, 0], to: [market, nearMs] }))
      for (const { key } of rows) {
        const gap = await this.#gaps.get(key);
        if (gap && gap.to > from) found.push(gap);
      }
    // Long gaps first: they began earlier.
    return [...found, ...(await meeting(this.#gaps, { from: [market, nearMs], to: [market, to] }, from))];
  }

  /** Lists the long gaps that a version entered which did not list them apart; to be called by who records, once is enough. */
  async index(): Promise<void> {
    if (this.#hasLooked) return;
    for await (const rows of pagesOf(this.#gaps, marketsOf(this.#venue))) {
      const long = rows.filter(({ value }) => isLong(value));
      const put = this.#longGaps.puts(long.map(({ key }) => ({ key, value: true })));
      if (long.length > 0) await this.#store.commit([put]);
    }
    await this.#store.commit([this.#longGaps.puts([{ key: [this.#venue], value: true }])]);
    this.#hasLooked = true;
  }

  /** Spans that meet `from <= ms < to`, oldest first. */
  async spans(from: number, to: number): Promise<readonly TapeSpan[]> {
    return meeting(this.#spans, { ...this.#allSpans, to: [this.#venue, to] }, from);
  }

  /** The span that was open when the last entry was made. */
  async lastSpan(): Promise<TapeSpan | undefined> {
    const [row] = await this.#spans.range({ ...this.#allSpans, reverse: true, limit: 1 });
    return row?.value;
  }

  /** Ends spans that end after a time at an earlier one; those that begin later are removed. */
  async cutSpans(afterMs: number, toMs: number): Promise<void> {
    const late = await meeting(this.#spans, this.#allSpans, afterMs);
    const cut = late
      .filter(({ from }) => from < toMs)
      .map((span) => ({ ...span, to: Math.min(span.to, toMs) }));
    const { put } = this.#spans.puts(cut.map((value) => ({ key: [this.#venue, value.from], value })));
    const removed = late.filter(({ from }) => from >= toMs);
    const { table, remove } = this.#spans.removes(removed.map(({ from }) => [this.#venue, from]));
    if (late.length > 0) await this.#store.commit([{ table, put, remove }]);
  }

  /** When recording began, as far as it is kept. */
  async recordedSinceMs(): Promise<number | undefined> {
    const [row] = await this.#spans.range({ ...this.#allSpans, limit: 1 });
    return row?.value.from;
  }

  /** Removes entries that ended before `beforeMs`. */
  async prune(beforeMs: number): Promise<void> {
    const all: readonly (readonly [Table<Span>, Omit<Range, 'limit'>])[] = [
      [this.#gaps, marketsOf(this.#venue)],
      [this.#spans, this.#allSpans],
    ];
    for (const [table, range] of all) {
      for await (const rows of pagesOf(table, range)) {
        const old = rows.filter(({ value }) => value.to < beforeMs);
        const long = old.filter(({ value }) => isLong(value)).map(({ key }) => key);
        const changes = [table.removes(old.map(({ key }) => key)), this.#longGaps.removes(long)];
        if (old.length > 0) await this.#store.commit(changes);
      }
    }
  }

  get #allSpans(): { readonly from: Key; readonly to: Key } {
    return { from: [this.#venue, 0], to: [this.#venue, Number.MAX_SAFE_INTEGER] };
  }

  #key({ coin, from, late }: Gap): Key {
    const market = marketKey(this.#venue, coin);
    return late ? [market, from, 'late'] : [market, from];
  }
}

/** Identity of a market's gap: the newest report with this name wins. */
export function gapName({ from, late = false }: Pick<Gap, 'from' | 'late'>): string {
  return late ? `${from} late` : String(from);
}

/** Trims the spans of every venue to the start of the tape: an archive keeps only what exists when it is set up. */
export async function trimSpans(store: Store, beforeMs: number): Promise<void> {
  const table = store.table<TapeSpan>(ledgerTables.spans, 'json');
  for await (const rows of pagesOf(table, {})) {
    const early = rows.filter(({ value }) => value.from < beforeMs);
    const cut = early.filter(({ value }) => value.to > beforeMs);
    const put = cut.map(({ key, value }) => ({
      key: [key[0] as string, beforeMs],
      value: { ...value, from: beforeMs },
    }));
    const { put: entries } = table.puts(put);
    const { table: name, remove } = table.removes(early.map(({ key }) => key));
    if (early.length > 0) await store.commit([{ table: name, put: entries, remove }]);
  }
}

function isLong({ from, to }: Span): boolean {
  return to - from > LONG_MS;
}

/** Entries of a range that end after a time: any may, however early it begins. */
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
