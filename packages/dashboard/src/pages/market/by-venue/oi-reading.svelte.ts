import { type QueryOf, systemClock } from '@crosstape/client';
import { candleIntervalsMs } from '@crosstape/client/bars';
import { untrack } from 'svelte';
import { compact } from '../../../format/numbers.ts';
import { perpVenues, venueName } from '../../../format/venues.ts';
import { rest, type Source } from '../../../live/reading.svelte.ts';
import { samplesAt } from '../../../replay/replay-time.ts';
import { replay } from '../../../replay/replay.svelte.ts';
import { type Indicator, type Sample, sampled } from '../indicator.ts';
import { samplesSinceMs } from '../samples.ts';
import { coinsPerContract, oiSamples, withLive } from './oi-lines.ts';
import { type ByVenueReading, type ByVenueTarget, stateText, venueLines, venueOrder } from './target.ts';

/** Those that report contracts. */
type OiVenue = NonNullable<QueryOf<'/perps/oi/history'>['venue']>;

const NAME = 'oivenues';
const NOW_EVERY_MS = 30_000;
const PAST_EVERY_MS = 600_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

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
  /** What was recorded, by venue; it stays while more of the past is loaded. */
  readonly #recorded = new Map<string, Parameters<typeof oiSamples>[0]>();

  constructor(target: () => ByVenueTarget) {
    this.#target = target;
    const named = $derived(`${target().coin} ${replay.isOn} ${replay.epoch}`);
    $effect(() => {
      if (!named) return;
      this.#venues = [];
      this.#live = new Map();
      this.#samples = [];
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
        this.#join();
        target().chart?.refreshIndicator(NAME);
      }
    });
  }

  get sources(): readonly Source[] {
    return [this.#now, ...this.#past.map(({ answer }) => answer)].filter(({ topic }) => topic !== undefined);
  }

  readonly #state = $derived.by(() => {
    const failed = this.#past.find(
      ({ answer }) => answer.topic !== undefined && answer.trouble !== undefined,
    );
    if (failed) return ` · ${venueName(failed.venue)}: ${failed.answer.trouble}`;
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
  ]);

  #takeNow(rows: readonly Parameters<typeof coinsPerContract>[0][]): void {
    const found = rows.flatMap((row) => {
      const coins = coinsPerContract(row);
      return coins === undefined ? [] : [[row.venue, coins] as const];
    });
    this.#perContract = new Map([...this.#perContract, ...found]);
    const venues = venueOrder(new Set([...this.#venues, ...found.map(([venue]) => venue)]));
    const isOther = venues.join() !== this.#venues.join();
    if (isOther) this.#venues = venues;
    // What is reported now has no place in a replay.
    if (!replay.isOn) this.#live = withLive(this.#live, rows);
    this.#join();
    if (isOther) this.#target().chart?.refreshIndicator(NAME);
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
  }

  get #nowQuery() {
    const { coin, names } = this.#target();
    return names.includes(NAME) ? { coins: [coin], venues: [...perpVenues] } : undefined;
  }

  #pastQuery(name: string) {
    const venue = name as OiVenue;
    const { coin, names, firstTs, interval: ofBars } = this.#target();
    if (firstTs === 0 || !names.includes(NAME) || !this.#venues.includes(venue)) return undefined;
    if (ofBars && candleIntervalsMs[ofBars] >= HOUR_MS)
      return { coin, venue, interval: '1h', sinceMs: samplesSinceMs(firstTs) } as const;
    const { interval = '10m' } = replay.isOn ? samplesAt(replay.startMs, systemClock.now()) : {};
    // From a whole day, so that older bars seldom need another request.
    const sinceMs = Math.max(0, Math.floor((firstTs - HOUR_MS) / DAY_MS) * DAY_MS);
    return { coin, venue, interval, sinceMs };
  }
}
