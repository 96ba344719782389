import { systemClock } from '@crosstape/client';
import { candleIntervalsMs, intervalStart } from '@crosstape/client/bars';
import { untrack } from 'svelte';
import { usd } from '../../../format/numbers.ts';
import { now } from '../../../live/now.svelte.ts';
import { type Answer, rest } from '../../../live/reading.svelte.ts';
import { replay } from '../../../replay/replay.svelte.ts';
import { type Indicator, sampled } from '../indicator.ts';
import { type CvdLines, cvdLines, type CvdRecord, POINTS_MAX, withAnswer } from './cvd-lines.ts';
import { type ByVenueReading, type ByVenueTarget, stateText, venueLines, venueOrder } from './target.ts';

/** Intervals of the first answer; the service returns at most 1,000. */
const FIRST_POINTS = 930;
/** After this many the first answer is requested again, so that the newest one stays short. */
const RENEW_POINTS = 60;
const PAGE_POINTS = 1_000;
/** The first answer and older ones do not change. */
const ONCE_MS = 86_400_000;
/** With six charts on a page, still within the requests of a browser. */
const NEWEST_EVERY_MS = 20_000;

const names = ['cvdkinds', 'cvdvenues'] as const;

/** Deltas of a coin by market, for the bars of a chart: up to now, or to the time of a replay. */
export class CvdReading implements ByVenueReading {
  readonly #target: () => ByVenueTarget;
  readonly #first = rest('/flows/cvd', () => this.#firstQuery, ONCE_MS);
  readonly #newest = rest('/flows/cvd', () => this.#newestQuery, NEWEST_EVERY_MS);
  readonly #older = rest('/flows/cvd', () => this.#olderQuery, ONCE_MS);
  #record = $state.raw<CvdRecord>();
  #venues = $state.raw<readonly string[]>([]);
  #lines: CvdLines = { venues: new Map(), perp: [], spot: [] };

  constructor(target: () => ByVenueTarget) {
    this.#target = target;
    const named = $derived(`${target().coin} ${target().interval} ${replay.isOn} ${replay.epoch}`);
    $effect(() => {
      if (named) untrack(() => this.#show(undefined));
    });
    for (const answer of [this.#first, this.#newest, this.#older])
      $effect(() => {
        const { data } = answer;
        if (data)
          untrack(() => this.#show(withAnswer(this.#record, { startMs: data.start, points: data.points })));
      });
  }

  get sources(): readonly Answer<'/flows/cvd'>[] {
    return [this.#first, this.#newest, this.#older].filter(({ topic }) => topic !== undefined);
  }

  readonly #state = $derived.by(() => {
    const isEmpty = this.#record?.points.length === 0;
    const empty = isEmpty ? `no trades recorded for ${this.#target().coin}` : undefined;
    return stateText(this.sources, this.#record !== undefined, empty);
  });

  readonly indicators = $derived.by((): readonly Indicator[] => {
    const { coin } = this.#target();
    const venues = this.#venues;
    const text = (value: number): string => usd(value, { digits: 1 });
    return [
      sampled(
        {
          name: names[0],
          label: 'CVD',
          title: `CVD of ${coin}, spot and perps, $${this.#state}`,
          lines: [
            { name: 'Perps', color: '--series-1' },
            { name: 'Spot', color: '--series-3' },
          ],
          text,
        },
        () => [this.#lines.perp, this.#lines.spot],
      ),
      sampled(
        {
          name: names[1],
          label: 'CVD',
          title: `CVD of ${coin} by venue, $${this.#state}`,
          lines: venueLines(venues),
          text,
        },
        () => venues.map((venue) => this.#lines.venues.get(venue) ?? []),
      ),
    ];
  });

  #show(record: CvdRecord | undefined): void {
    const before = this.#record;
    this.#record = record;
    this.#lines = cvdLines(record?.points ?? []);
    const venues = venueOrder(this.#lines.venues.keys());
    if (venues.join() !== this.#venues.join()) this.#venues = venues;
    // Bars show the interval in progress from the next trade on.
    const hasClosed = before?.points.length !== record?.points.length || before?.startMs !== record?.startMs;
    if (hasClosed) for (const name of names) this.#target().chart?.refreshIndicator(name);
  }

  get #query() {
    const { coin, interval = '1m', firstTs, names: shown } = this.#target();
    const isWanted = firstTs > 0 && names.some((name) => shown.includes(name));
    return isWanted ? { coin, interval } : undefined;
  }

  get #firstQuery() {
    const query = this.#query;
    if (!query) return undefined;
    const intervalMs = candleIntervalsMs[query.interval];
    const nowMs = replay.isOn ? (replay.status?.nowMs ?? replay.startMs) : now.ms;
    const start = intervalStart(nowMs, intervalMs * RENEW_POINTS) - FIRST_POINTS * intervalMs;
    return { ...query, start: Math.max(0, start) };
  }

  /** From the last interval of the first answer on, which was not over yet. */
  get #newestQuery() {
    const query = this.#query;
    const { data } = this.#first;
    return query && data && { ...query, start: data.points.at(-1)?.ts ?? data.start };
  }

  /** The previous page, while there are older bars and older records. */
  get #olderQuery() {
    const query = this.#query;
    const record = this.#record;
    const since = this.#first.meta?.members?.map((one) => one.since) ?? [];
    if (!query || !record || record.points.length >= POINTS_MAX) return undefined;
    const intervalMs = candleIntervalsMs[query.interval];
    const recordedMs = Math.min(systemClock.now(), ...since);
    const wantedMs = intervalStart(Math.max(this.#target().firstTs, recordedMs), intervalMs);
    if (wantedMs >= record.startMs) return undefined;
    return {
      ...query,
      start: Math.max(wantedMs, record.startMs - PAGE_POINTS * intervalMs),
      end: record.startMs,
    };
  }
}
