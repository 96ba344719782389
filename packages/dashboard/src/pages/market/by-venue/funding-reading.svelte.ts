import { untrack } from 'svelte';
import { perpVenues } from '../../../format/venues.ts';
import { rest, type Source } from '../../../live/reading.svelte.ts';
import { replay } from '../../../replay/replay.svelte.ts';
import { type Indicator, type Sample, sampled } from '../indicator.ts';
import { fundingSamples, goneOn } from '../samples.ts';
import { weighted } from './held-samples.ts';
import { LIVE_MAX } from './oi-lines.ts';
import { pastOf } from './past-samples.ts';
import { type ByVenueReading, type ByVenueTarget, stateText, venueLines, venueOrder } from './target.ts';

const NAME = 'funding';
const NOW_EVERY_MS = 60_000;
const PAST_EVERY_MS = 600_000;

type ByVenue = ReadonlyMap<string, readonly Sample[]>;

/** Funding of a coin on every venue, in percent per hour, and its mean by open interest. */
export class FundingReading implements ByVenueReading {
  readonly #target: () => ByVenueTarget;
  readonly #openInterest: () => ByVenue;
  readonly #now = rest('/perps/funding', () => this.#nowQuery, NOW_EVERY_MS);
  readonly #past = rest('/perps/funding/history', () => this.#pastQuery, PAST_EVERY_MS);
  #venues = $state.raw<readonly string[]>([]);
  /** How many venues the mean is of. */
  #meanOf = $state(0);
  #recorded: ByVenue = new Map();
  #live: ByVenue = new Map();
  #lines: readonly (readonly Sample[])[] = [];

  /** Open interest is read by another; it changes with its samples. */
  constructor(target: () => ByVenueTarget, openInterest: () => ByVenue) {
    this.#target = target;
    this.#openInterest = openInterest;
    const named = $derived(`${target().coin} ${replay.isOn} ${replay.epoch}`);
    $effect(() => {
      if (!named) return;
      this.#venues = [];
      this.#meanOf = 0;
      [this.#recorded, this.#live, this.#lines] = [new Map(), new Map(), []];
    });
    $effect(() => {
      const { data, topic } = this.#past;
      // Current data stay while older ones are loaded.
      if (!data || topic === undefined) return;
      this.#recorded = new Map(
        Object.keys(data.periodHours ?? {}).map((venue) => [venue, fundingSamples(data, venue)]),
      );
      untrack(() => this.#join());
    });
    $effect(() => {
      const rows = this.#now.data;
      // Live figures are not shown in a replay.
      if (!rows || replay.isOn) return;
      const next = new Map(this.#live);
      for (const { venue, rate, periodHours, fetchedAt: ts } of rows) {
        const sample = { ts, value: (rate / periodHours) * 100 };
        next.set(venue, goneOn(next.get(venue) ?? [], [sample]).slice(-LIVE_MAX));
      }
      this.#live = next;
      untrack(() => this.#join());
    });
    $effect(() => {
      if (this.#openInterest().size > 0) untrack(() => this.#join());
    });
  }

  get sources(): readonly Source[] {
    return [this.#now, this.#past].filter(({ topic }) => topic !== undefined);
  }

  readonly #title = $derived.by(() => {
    const title = `Funding of ${this.#target().coin}, % per hour`;
    const isThere = this.#past.data !== undefined;
    const empty = this.#venues.length === 0 ? 'nothing recorded yet' : undefined;
    const state = stateText(this.sources, isThere, empty);
    if (state !== '') return `${title}${state}`;
    const mean = this.#meanOf === 0 ? '' : `, and the mean of ${this.#meanOf} by open interest`;
    return `${title}, of ${this.#venues.length} venues${mean}`;
  });

  readonly indicators = $derived.by((): readonly Indicator[] => [
    sampled(
      {
        name: NAME,
        label: 'Funding',
        title: this.#title,
        lines: [{ name: 'mean', color: '--text', isMain: true }, ...venueLines(this.#venues)],
        text: (value) => `${value.toFixed(4)}%`,
      },
      () => this.#lines,
    ),
  ]);

  #join(): void {
    const { chart, names } = this.#target();
    if (!names.includes(NAME)) return;
    const all = new Map(
      venueOrder(new Set([...this.#recorded.keys(), ...this.#live.keys()])).flatMap((venue) => {
        const samples = goneOn(this.#recorded.get(venue) ?? [], this.#live.get(venue) ?? []);
        return samples.length > 0 ? [[venue, samples] as const] : [];
      }),
    );
    const pairs = [...this.#openInterest()].flatMap(([venue, weights]) => {
      const rates = all.get(venue);
      return rates && weights.length > 0 ? [{ rates, weights }] : [];
    });
    const mean = weighted(pairs);
    const venues = [...all.keys()];
    if (venues.join() !== this.#venues.join()) this.#venues = venues;
    this.#meanOf = mean.length === 0 ? 0 : pairs.length;
    this.#lines = [mean, ...all.values()];
    chart?.refreshIndicator(NAME);
  }

  get #nowQuery() {
    const { coin, names } = this.#target();
    return names.includes(NAME) ? { coins: [coin], venues: [...perpVenues] } : undefined;
  }

  get #pastQuery() {
    const { coin, names } = this.#target();
    const range = pastOf(this.#target());
    return range && names.includes(NAME) ? ({ coin, venue: 'all', ...range } as const) : undefined;
  }
}
