import { systemClock } from '@crosstape/client';
import { untrack } from 'svelte';
import { type Answer, rest, type Source } from '../../../live/reading.svelte.ts';
import { RECORDED_MAX, recordedInterval } from '../recorded-interval.ts';
import type { HeatColumn } from './book-heat.ts';
import { type HeatRecord, PAGE_COLUMNS, withNewestBooks, withOlderBooks } from './recorded-heat.ts';

const NEWEST_EVERY_MS = 60_000;
const NEWEST_COLUMNS = 30;
/** Older pages do not change. */
const ONCE_MS = 86_400_000;
const PATH = '/orderbook/history';

interface BooksTarget {
  /** A coin of the primary venue; `undefined` while nothing is to be loaded. */
  readonly coin: string | undefined;
  /** Time of the first bar; 0 while there is none. */
  readonly firstTs: number;
}

/** Recorded order books of a coin on the primary venue since the first bar of a chart, page by page. */
export class RecordedBooks {
  readonly #target: () => BooksTarget;
  #record = $state.raw<HeatRecord>();
  readonly #span = $derived.by(() => {
    const { coin, firstTs } = this.#target();
    if (coin === undefined || firstTs === 0) return undefined;
    return { coin, ...recordedInterval(firstTs, systemClock.now()) };
  });
  readonly #newest = rest(PATH, () => this.#newestQuery, NEWEST_EVERY_MS);
  readonly #older = rest(PATH, () => this.#olderQuery, ONCE_MS);

  constructor(target: () => BooksTarget) {
    this.#target = target;
    const named = $derived(`${this.#span?.coin} ${this.#span?.interval}`);
    $effect(() => {
      if (named) this.#record = undefined;
    });
    // An answer is taken once: what it changes is not what it depends on.
    $effect(() => {
      const page = pageOf(this.#newest);
      if (page) untrack(() => (this.#record = withNewestBooks(this.#record, page)));
    });
    $effect(() => {
      const page = pageOf(this.#older);
      if (page) untrack(() => (this.#record &&= withOlderBooks(this.#record, page)));
    });
  }

  get columns(): readonly HeatColumn[] {
    return this.#record?.columns ?? [];
  }

  /** Width of the narrowest level. */
  get step(): number {
    return this.#record?.step ?? 0;
  }

  get problem(): string | undefined {
    return this.#newest.problem ?? this.#older.problem;
  }

  get sources(): readonly Source[] {
    return [this.#newest, this.#older];
  }

  get #newestQuery() {
    return this.#span && { coin: this.#span.coin, interval: this.#span.interval, limit: NEWEST_COLUMNS };
  }

  get #olderQuery() {
    const { columns, nextEnd: end } = this.#record ?? { columns: [] };
    const { firstTs } = this.#target();
    if (!this.#span || end === undefined || end <= firstTs || columns.length >= RECORDED_MAX)
      return undefined;
    const { coin, interval, lengthMs } = this.#span;
    const start = Math.max(0, Math.floor(firstTs / lengthMs) * lengthMs);
    return { coin, interval, start, end, limit: PAGE_COLUMNS };
  }
}

function pageOf({ data, meta }: Answer<typeof PATH>) {
  return data && { points: data.points, lengthMs: data.cadenceMs, nextEnd: meta?.nextEnd ?? undefined };
}
