import { untrack } from 'svelte';
import { type Answer, rest, type Source } from '../../../live/reading.svelte.ts';
import { replay } from '../../../replay/replay.svelte.ts';
import {
  isCut,
  type LiquidationPage,
  type LiquidationRecord,
  olderPage,
  PAGE_EVENTS,
  withNewest,
  withOlder,
} from './liquidation-record.ts';

const HOUR_MS = 3_600_000;
const NEWEST_EVERY_MS = 30_000;
/** Older pages do not change. */
const ONCE_MS = 86_400_000;
const PATH = '/perps/liquidations/events';

interface EventsTarget {
  readonly coin: string;
  /** Time of the first bar; 0 while there is none or no liquidations are shown. */
  readonly firstTs: number;
}

/** Liquidations of a coin on all venues since the first bar of a chart, page by page. */
export class LiquidationEvents {
  readonly #target: () => EventsTarget;
  #record = $state.raw<LiquidationRecord>();
  readonly #newest = rest(PATH, () => this.#newestQuery, NEWEST_EVERY_MS);
  readonly #older = rest(PATH, () => this.#olderQuery, ONCE_MS);

  constructor(target: () => EventsTarget) {
    this.#target = target;
    const named = $derived(`${target().coin} ${target().firstTs > 0} ${replay.isOn} ${replay.epoch}`);
    $effect(() => {
      if (named) this.#record = undefined;
    });
    // An answer is taken once: what it changes is not what it depends on.
    $effect(() => {
      const page = pageOf(this.#newest);
      if (!page) return;
      untrack(() => {
        const { start = 0 } = this.#newest.topic?.query ?? {};
        this.#record = withNewest(this.#record, page, start);
      });
    });
    $effect(() => {
      const page = pageOf(this.#older);
      if (!page) return;
      untrack(() => {
        const { start = 0 } = this.#older.topic?.query ?? {};
        if (this.#record) this.#record = withOlder(this.#record, page, start);
      });
    });
  }

  /** Oldest first. */
  get events(): LiquidationRecord['events'] {
    return this.#record?.events ?? [];
  }

  /** Since when all are shown, where older ones are left out. */
  get cutMs(): number | undefined {
    return this.#record && isCut(this.#record, this.#wantedMs) ? this.#record.fromMs : undefined;
  }

  get inferenceScore() {
    return this.#newest.meta?.inferenceScore;
  }

  get problem(): string | undefined {
    return this.#newest.problem ?? this.#older.problem;
  }

  get sources(): readonly Source[] {
    return [this.#newest, this.#older];
  }

  get #wantedMs(): number {
    return Math.floor(this.#target().firstTs / HOUR_MS) * HOUR_MS;
  }

  get #newestQuery() {
    const { coin, firstTs } = this.#target();
    return firstTs === 0
      ? undefined
      : { coin, start: this.#record?.startMs ?? this.#wantedMs, limit: PAGE_EVENTS };
  }

  get #olderQuery() {
    const { coin, firstTs } = this.#target();
    const page = firstTs === 0 ? undefined : olderPage(this.#record, this.#wantedMs);
    return page && { coin, ...page, limit: PAGE_EVENTS };
  }
}

function pageOf({ data, meta }: Answer<typeof PATH>): LiquidationPage | undefined {
  return data && { data, nextEnd: meta?.nextEnd ?? null };
}
