import { untrack } from 'svelte';
import { Answer, channel, type Source } from '../../../live/reading.svelte.ts';
import { replay } from '../../../replay/replay.svelte.ts';
import type { Indicator } from '../indicator.ts';
import {
  type FeedLiquidation,
  joinEvents,
  type KnownLiquidations,
  liquidationSides,
  withReceived,
} from './liquidation-sides.ts';
import { type ByVenueReading, type ByVenueTarget, stateText } from './target.ts';

const NAME = 'liqsides';
const HOUR_MS = 3_600_000;
const EVENTS_MAX = 5_000;
/** New ones arrive over the channel, except while the page is hidden. */
const EVERY_MS = 30_000;
const LIVE_MAX = 1_000;

const none: KnownLiquidations = { fromMs: Infinity, isCut: false, events: [] };

/** Liquidations of a coin on all venues, those of the bars of a chart. */
export class SidesReading implements ByVenueReading {
  readonly #target: () => ByVenueTarget;
  readonly #stored = new Answer<'/perps/liquidations/events'>(() => this.#topic);
  readonly #live = channel(
    'liquidations',
    () => (this.#topic && !replay.isOn ? this.#target().coin : undefined),
    undefined,
    { itemsMax: LIVE_MAX },
  );
  #known: KnownLiquidations = none;
  #isThere = $state(false);
  /** How many venues they are of. */
  #venues = $state(0);

  constructor(target: () => ByVenueTarget) {
    this.#target = target;
    const named = $derived(`${target().coin} ${replay.isOn} ${replay.epoch}`);
    $effect(() => {
      if (!named) return;
      this.#isThere = false;
      untrack(() => this.#show(none));
    });
    $effect(() => {
      const { data, meta, topic } = this.#stored;
      // Current data stay while older ones are loaded.
      if (!data || topic === undefined) return;
      const { nextEnd = null } = meta ?? {};
      const fromMs = nextEnd ?? data.at(-1)?.ts ?? Infinity;
      this.#isThere = true;
      untrack(() =>
        this.#show({ fromMs, isCut: nextEnd !== null, events: joinEvents(data, this.#live.items) }),
      );
      target().chart?.refreshIndicator(NAME);
    });
    // Bars show these from the next trade on.
    $effect(() => {
      const live = this.#live.items;
      untrack(() => {
        const { events } = this.#known;
        if (this.#isThere)
          this.#show({ ...this.#known, events: withReceived(events as readonly FeedLiquidation[], live) });
      });
    });
  }

  get sources(): readonly Source[] {
    return [this.#stored, this.#live].filter(({ topic }) => topic !== undefined);
  }

  readonly #state = $derived.by(() =>
    stateText(this.sources, this.#isThere, this.#venues === 0 ? 'none in this time' : undefined),
  );

  readonly indicators = $derived.by((): readonly Indicator[] => [
    liquidationSides(
      `Liquidations of ${this.#target().coin}${this.#venuesText}, $: longs below, shorts above${this.#state}`,
      () => this.#known,
    ),
  ]);

  get #venuesText(): string {
    if (this.#venues === 0) return '';
    return this.#venues === 1 ? ' on one venue' : ` on ${this.#venues} venues`;
  }

  #show(known: KnownLiquidations): void {
    // If none is on record, the first received one begins it.
    const firstMs = known.isCut ? Infinity : (known.events[0]?.ts ?? Infinity);
    this.#known = { ...known, fromMs: Math.min(known.fromMs, firstMs) };
    this.#venues = new Set((known.events as readonly FeedLiquidation[]).map(({ venue }) => venue)).size;
  }

  get #topic() {
    const { coin, names, firstTs } = this.#target();
    if (firstTs === 0 || !names.includes(NAME)) return undefined;
    const query = { coin, start: Math.floor(firstTs / HOUR_MS) * HOUR_MS, limit: EVENTS_MAX };
    return { from: 'rest', path: '/perps/liquidations/events', query, everyMs: EVERY_MS } as const;
  }
}
