import type { CandleSpec } from '@crosstape/client/bars';
import { untrack } from 'svelte';
import { SvelteMap } from 'svelte/reactivity';
import { plain } from '../../format/numbers.ts';
import { afterFrames } from '../../live/after-frames.ts';
import { Reading, rest, type Source } from '../../live/reading.svelte.ts';
import type { Bar, BarsTopic, Update } from '../../live/topic.ts';
import { Sight } from '../../parts/sight.svelte.ts';
import { replay } from '../../replay/replay.svelte.ts';
import type { BarChart } from './bar-chart.ts';
import { type ChartSpec, daysText } from './bar-kinds.ts';
import type { Stretch } from './coverage-states.ts';
import type { EarlierBars } from './earlier-bars.ts';
import type { MarketChoice } from './market-choice.ts';
import { olderBars } from './older-bars.ts';
import { VenueSamples } from './venue-samples.svelte.ts';

const COVERAGE_EVERY_MS = 60_000;
const HOUR_MS = 3_600_000;
/** How far back the states of the tape are requested; older bars have their own `complete`. */
const COVERAGE_MAX_MS = 30 * 24 * HOUR_MS;
const LEGEND_FRAMES = 2;
/** Maximum bars of a chart. */
const BARS_MAX = 50_000;

export interface ChartTarget {
  readonly market: MarketChoice;
  readonly spec: ChartSpec | undefined;
  /** Names of indicators, which determine the requests. */
  readonly indicators: readonly string[];
}

/** The data of a chart: bars and older pages, their completeness, open interest and funding. */
export class ChartData {
  readonly #target: () => ChartTarget;
  readonly bars: Reading<BarsTopic>;
  readonly samples: VenueSamples;
  readonly #coverage = rest('/coverage', () => this.#covered(), COVERAGE_EVERY_MS);
  /** Sources of indicators and overlays with their own data. */
  readonly #others = new SvelteMap<string, readonly Source[]>();

  /** Of the panel of the chart. */
  readonly sight = new Sight();
  chart = $state.raw<BarChart>();
  newest = $state.raw<Bar>();
  /** Bars before the first one, as far as indicators need them; `undefined` while unknown. */
  earlier = $state.raw<EarlierBars>();
  count = $state(0);
  /** Whether the service has sent everything. */
  isBuilt = $state(false);
  isLoadingOlder = $state(false);
  /** Why there is nothing older, once the oldest bar is loaded. */
  olderEnd = $state<string>();
  #firstTs = $state(0);
  #older: readonly Bar[] = [];
  /** End of the next older page, from the service; until then from the first bar. */
  #nextEnd: number | undefined;
  #ending = new AbortController();

  constructor(target: () => ChartTarget) {
    this.#target = target;
    this.samples = new VenueSamples(() => ({
      ...target(),
      interval: this.interval,
      firstTs: this.#firstTs,
      chart: this.chart,
    }));
    this.bars = new Reading<BarsTopic>(
      () => {
        const { spec } = target();
        return spec && { from: 'bars', spec };
      },
      1,
      (update) => this.#take(update),
    );
    // Bars of something else must not be shown under the new name.
    const named = $derived(JSON.stringify([target().market.id, target().spec, replay.isOn]));
    $effect(() => {
      if (named) untrack(() => this.#clear());
    });
    // Older pages need not join bars that begin elsewhere.
    $effect(() => {
      if (replay.epoch > 0) untrack(() => this.#forget());
    });
    $effect(() => () => this.#ending.abort());
    $effect(() => {
      this.chart?.setCoverage(this.stretches);
    });
  }

  get sources(): readonly Source[] {
    const more = [...this.samples.sources, this.#coverage, ...[...this.#others.values()].flat()];
    return [this.bars, ...more.filter(({ topic }) => topic !== undefined)];
  }

  /** Sets the additional sources of some indicators or overlays. */
  setSources(by: string, sources: readonly Source[]): void {
    this.#others.set(by, sources);
  }

  /** Interval of its candles; other bars have none. */
  get interval(): CandleSpec['interval'] | undefined {
    const { spec } = this.#target();
    return spec && 'interval' in spec ? spec.interval : undefined;
  }

  /** Time of the first bar; 0 while there is none. */
  get firstTs(): number {
    return this.#firstTs;
  }

  get stretches(): readonly Stretch[] {
    return this.#coverage.data ?? [];
  }

  /** Loads the page before the first bar, or says why there is none. */
  async loadOlder(): Promise<void> {
    const { spec, market } = this.#target();
    if (!spec || this.#firstTs === 0 || this.isLoadingOlder || this.olderEnd !== undefined) return;
    const load = olderBars(spec);
    if (!load) this.olderEnd = `Built from the last ${daysText('days' in spec ? spec.days : undefined)}`;
    else if (this.count >= BARS_MAX)
      this.olderEnd = `Older bars are not loaded: ${plain(BARS_MAX, 0)} at most`;
    if (!load || this.olderEnd !== undefined) return;
    const { signal } = this.#ending;
    this.isLoadingOlder = true;
    try {
      const place = { market, firstTs: this.#firstTs, nextEnd: this.#nextEnd, signal };
      const { bars, nextEnd } = await load(place);
      if (signal.aborted) return;
      this.#nextEnd = nextEnd ?? undefined;
      if (nextEnd === null)
        this.olderEnd = 'interval' in spec ? 'No older candles' : 'No older trades on record';
      this.#older = [...bars, ...this.#older];
      this.#firstTs = bars[0]?.openTs ?? this.#firstTs;
      this.chart?.prepend(bars);
      this.count = this.chart?.count ?? 0;
    } catch (error) {
      if (!signal.aborted) this.olderEnd = (error as Error).message;
    } finally {
      if (this.#ending.signal === signal) this.isLoadingOlder = false;
    }
  }

  #covered() {
    if (this.#firstTs === 0 || this.#target().market.isAggregate) return undefined;
    const newestMs = this.newest?.closeTs ?? this.#firstTs;
    const oldestMs = Math.floor((newestMs - COVERAGE_MAX_MS) / HOUR_MS) * HOUR_MS;
    return { market: this.#target().market.id, from: Math.max(this.#firstTs, oldestMs) };
  }

  #clear(): void {
    this.#forget();
    this.chart?.set([], null);
    this.newest = undefined;
    this.count = 0;
    this.isBuilt = false;
    this.#firstTs = 0;
  }

  #forget(): void {
    this.#ending.abort();
    this.#ending = new AbortController();
    this.isLoadingOlder = false;
    this.olderEnd = undefined;
    this.#nextEnd = undefined;
    this.#older = [];
  }

  #take({ items, open, isWhole }: Update<Bar>): void {
    // Not of bars, but of the connection.
    if (open === undefined) return;
    if (isWhole) {
      const lastTs = this.#older.at(-1)?.openTs ?? -Infinity;
      const all = [...this.#older, ...items.filter(({ openTs }) => openTs > lastTs)];
      this.chart?.set(all, open);
      this.#firstTs = (all[0] ?? open)?.openTs ?? 0;
    } else {
      // Out of the window, only closed bars are added.
      if (this.sight.isSeen || items.length > 0) this.chart?.add(items, open);
      // Where the record begins with the first trade, the whole was empty.
      if (this.#firstTs === 0) this.#firstTs = (items[0] ?? open)?.openTs ?? 0;
    }
    this.isBuilt = true;
    const newest = open ?? items.at(-1);
    const { signal } = this.#ending;
    const note = (): void => {
      if (signal.aborted) return;
      this.newest = newest ?? this.newest;
      this.count = this.chart?.count ?? 0;
    };
    // The chart is drawn in the next frame, its legend in a later one.
    if (isWhole) note();
    else afterFrames(LEGEND_FRAMES, note);
  }
}
