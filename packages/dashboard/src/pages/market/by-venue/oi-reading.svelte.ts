import type { QueryOf } from '@crosstape/client';
import { untrack } from 'svelte';
import { compact } from '../../../format/numbers.ts';
import { perpVenues, venueName } from '../../../format/venues.ts';
import { rest, type Source } from '../../../live/reading.svelte.ts';
import { replay } from '../../../replay/replay.svelte.ts';
import { type Indicator, type Sample, sampled } from '../indicator.ts';
import { summed } from './held-samples.ts';
import { coinsPerContract, oiSamples, withLive } from './oi-lines.ts';
import { pastOf } from './past-samples.ts';
import { type ByVenueReading, type ByVenueTarget, stateText, venueLines, venueOrder } from './target.ts';

/** Venues that report contracts. */
type OiVenue = NonNullable<QueryOf<'/perps/oi/history'>['venue']>;

const NAME = 'oivenues';
/** For several markets together: the sum. */
const SUM = 'oi';
/** The mean of funding is weighted by open interest. */
const names: readonly string[] = [NAME, SUM, 'funding'];
const NOW_EVERY_MS = 30_000;
const PAST_EVERY_MS = 600_000;

/** Open interest of a coin by venue: recorded every ten minutes, and every half minute while it is shown. */
export class OiReading implements ByVenueReading {
  readonly #target: () => ByVenueTarget;
  readonly #now = rest('/perps/oi', () => this.#nowQuery, NOW_EVERY_MS);
  readonly #past = perpVenues.map((venue) => ({
    venue,
    answer: rest('/perps/oi/history', () => this.#pastQuery(venue), PAST_EVERY_MS),
  }));
  /** Venues that report contracts. */
  #venues = $state.raw<readonly string[]>([]);
  /** How many coins a contract of theirs has. */
  #perContract: ReadonlyMap<string, number> = new Map();
  #live: ReadonlyMap<string, readonly Sample[]> = new Map();
  #samples: readonly (readonly Sample[])[] = [];
  #sum: readonly Sample[] = [];
  /** Grows with every change of the samples, which are too many to be watched themselves. */
  #version = $state(0);
  /** Whether all venues have reported at one time. */
  #isSummed = $state(false);
  /** Recorded samples, by venue; kept while older ones are loaded. */
  readonly #recorded = new Map<string, Parameters<typeof oiSamples>[0]>();

  constructor(target: () => ByVenueTarget) {
    this.#target = target;
    const named = $derived(`${target().coin} ${replay.isOn} ${replay.epoch}`);
    $effect(() => {
      if (!named) return;
      this.#venues = [];
      this.#live = new Map();
      this.#samples = [];
      this.#sum = [];
      this.#isSummed = false;
      this.#recorded.clear();
    });
    $effect(() => {
      const rows = this.#now.data;
      if (rows) untrack(() => this.#takeNow(rows));
    });
    $effect(() => {
      // All of them are read, so that any that changes is drawn.
      const answers = this.#past.map(({ answer }) => answer.data);
      if (answers.some((data) => data !== undefined) && this.#venues.length > 0) {
        untrack(() => this.#join());
        this.#refresh();
      }
    });
  }

  /** Open interest in coins, of each venue that reports contracts. */
  get byVenue(): ReadonlyMap<string, readonly Sample[]> {
    void this.#version;
    return new Map(this.#venues.map((venue, i) => [venue, this.#samples[i] ?? []]));
  }

  get sources(): readonly Source[] {
    return [this.#now, ...this.#past.map(({ answer }) => answer)].filter(({ topic }) => topic !== undefined);
  }

  readonly #state = $derived.by(() => {
    const failed = this.#past.find(
      ({ answer }) => answer.topic !== undefined && answer.problem !== undefined,
    );
    if (failed) return ` · ${venueName(failed.venue)}: ${failed.answer.problem}`;
    const { coin } = this.#target();
    const empty = this.#venues.length === 0 ? `no venue reports contracts of ${coin}` : undefined;
    return stateText(this.sources, this.#now.data !== undefined, empty);
  });

  readonly indicators = $derived.by((): readonly Indicator[] => [
    sampled(
      {
        name: NAME,
        label: 'OI',
        title: `Open interest by venue, ${this.#target().coin}${this.#state}`,
        lines: venueLines(this.#venues),
        text: (value) => compact(value, 1),
      },
      () => this.#samples,
    ),
    sampled(
      {
        name: SUM,
        label: 'OI',
        title: this.#sumTitle,
        lines: [
          { name: 'sum', color: '--series-3', isMain: true },
          ...venueLines(this.#venues).map((line) => ({ ...line, isRead: true })),
        ],
        text: (value) => compact(value, 1),
      },
      () => [this.#sum, ...this.#samples],
    ),
  ]);

  readonly #sumTitle = $derived.by(() => {
    const title = `Open interest of ${this.#target().coin}`;
    const count = this.#venues.length;
    if (count === 0 || this.#state !== '') return `${title}${this.#state}`;
    const state = this.#isSummed ? '' : ' · not all of them have reported yet';
    return `${title}, sum of ${count} venues that report contracts${state}`;
  });

  #takeNow(rows: readonly Parameters<typeof coinsPerContract>[0][]): void {
    const found = rows.flatMap((row) => {
      const coins = coinsPerContract(row);
      return coins === undefined ? [] : [[row.venue, coins] as const];
    });
    this.#perContract = new Map([...this.#perContract, ...found]);
    const venues = venueOrder(new Set([...this.#venues, ...found.map(([venue]) => venue)]));
    const isOther = venues.join() !== this.#venues.join();
    if (isOther) this.#venues = venues;
    // Live figures are not shown in a replay.
    if (!replay.isOn) this.#live = withLive(this.#live, rows);
    this.#join();
    if (isOther) this.#refresh();
  }

  #refresh(): void {
    const { chart } = this.#target();
    for (const name of [NAME, SUM]) chart?.refreshIndicator(name);
  }

  #join(): void {
    for (const { venue, answer } of this.#past)
      if (answer.topic && answer.data) this.#recorded.set(venue, answer.data.points);
    this.#samples = this.#venues.map((venue) =>
      oiSamples(
        this.#recorded.get(venue) ?? [],
        this.#perContract.get(venue) ?? NaN,
        this.#live.get(venue) ?? [],
      ),
    );
    this.#sum = summed(this.#samples);
    this.#isSummed = this.#sum.length > 0;
    this.#version += 1;
  }

  get #isWanted(): boolean {
    return this.#target().names.some((name) => names.includes(name));
  }

  get #nowQuery() {
    return this.#isWanted ? { coins: [this.#target().coin], venues: [...perpVenues] } : undefined;
  }

  #pastQuery(name: string) {
    const venue = name as OiVenue;
    const range = pastOf(this.#target());
    if (!range || !this.#isWanted || !this.#venues.includes(venue)) return undefined;
    return { coin: this.#target().coin, venue, ...range };
  }
}
