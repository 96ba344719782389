import type { AnswerOf, QueryOf } from '@crosstape/client';
import { untrack } from 'svelte';
import { ask } from '../../live/line.ts';
import { type Answer, rest } from '../../live/reading.svelte.ts';
import { type FeedLiquidation, joinEvents } from '../market/by-venue/liquidation-sides.ts';

type Path = '/perps/liquidations/events';
type Event = NonNullable<Answer<Path>['data']>[number] & FeedLiquidation;

const EVERY_MS = 60_000;
const PAGE = 5_000;
/** Pages of older events that are read, at most. */
const PAGES_MAX = 5;

interface Range {
  readonly coin: string;
  readonly startMs: number;
}

/** Every liquidation of a coin since a time: the newest page again and again, older ones once. */
export class LiquidationHistory {
  readonly #range: () => Range;
  readonly newest: Answer<Path>;
  /** Oldest first. */
  events = $state.raw<readonly Event[]>([]);
  /** From when on all are read. */
  readSinceMs = $state(Infinity);
  isReading = $state(false);
  problem = $state<string>();
  #ending = new AbortController();

  constructor(range: () => Range) {
    this.#range = range;
    this.newest = rest(
      '/perps/liquidations/events',
      () => {
        const { coin, startMs } = range();
        return { coin, start: startMs, limit: PAGE };
      },
      EVERY_MS,
    );
    const named = $derived(`${range().coin} ${range().startMs}`);
    $effect(() => {
      if (named) untrack(() => this.#clear());
    });
    $effect(() => {
      const { data, meta } = this.newest;
      if (data && meta) untrack(() => this.#take(data as readonly Event[], meta.nextEnd));
    });
    $effect(() => () => this.#ending.abort());
  }

  #clear(): void {
    this.#ending.abort();
    this.#ending = new AbortController();
    this.events = [];
    this.readSinceMs = Infinity;
    this.isReading = false;
    this.problem = undefined;
  }

  #take(data: readonly Event[], nextEnd: number | null): void {
    const { coin, startMs } = this.#range();
    // An answer to the previous question may come last.
    const ours = data.filter((event) => event.coin === coin && event.ts >= startMs);
    this.events = joinEvents(this.events, ours) as readonly Event[];
    if (this.readSinceMs !== Infinity) return;
    this.readSinceMs = nextEnd ?? startMs;
    if (nextEnd !== null) void this.#readOlder(nextEnd);
  }

  async #readOlder(from: number): Promise<void> {
    const { signal } = this.#ending;
    const { coin, startMs } = this.#range();
    this.isReading = true;
    try {
      let end: number | null = from;
      for (let pages = 0; end !== null && end > startMs && pages < PAGES_MAX; pages += 1) {
        const query: QueryOf<Path> = { coin, start: startMs, end, limit: PAGE };
        const { data, meta }: AnswerOf<Path> = await ask('/perps/liquidations/events', query, signal);
        if (signal.aborted) return;
        this.events = joinEvents(data, this.events) as readonly Event[];
        end = meta.nextEnd;
        this.readSinceMs = end ?? startMs;
      }
    } catch (error) {
      if (!signal.aborted) this.problem = (error as Error).message;
    } finally {
      if (this.#ending.signal === signal) this.isReading = false;
    }
  }
}
