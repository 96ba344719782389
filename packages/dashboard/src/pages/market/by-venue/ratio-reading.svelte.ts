import { untrack } from 'svelte';
import { type RatioSeries, ratioName, ratioPoints, ratioSeries } from '../../../format/ratio-series.ts';
import { venueColor } from '../../../format/venues.ts';
import { rest, type Source } from '../../../live/reading.svelte.ts';
import { replay } from '../../../replay/replay.svelte.ts';
import { type Indicator, type IndicatorLine, type Sample, sampled } from '../indicator.ts';
import { pastOf } from './past-samples.ts';
import { type ByVenueReading, type ByVenueTarget, stateText, venueLines } from './target.ts';

const NAME = 'lsratio';
/** A new hour is there some minutes after its end. */
const EVERY_MS = 300_000;
/** As many longs as shorts. */
const EVEN = 1;

/** Long/short ratios of a coin: a line for each venue and view, which differ in what they count. */
export class RatioReading implements ByVenueReading {
  readonly #target: () => ByVenueTarget;
  readonly #answers = ratioSeries.map((series) =>
    rest('/perps/positioning/history', () => this.#query(series), EVERY_MS),
  );
  #samples: (readonly Sample[])[] = ratioSeries.map(() => []);
  /** Indices of those with any sample. */
  #shown = $state.raw<readonly number[]>([]);

  constructor(target: () => ByVenueTarget) {
    this.#target = target;
    const named = $derived(`${target().coin} ${replay.isOn} ${replay.epoch}`);
    $effect(() => {
      if (!named) return;
      this.#samples = ratioSeries.map(() => []);
      this.#shown = [];
    });
    for (const [i, answer] of this.#answers.entries())
      $effect(() => {
        const { data, topic } = answer;
        // Current data stay while older ones are loaded.
        if (data && topic !== undefined && named) untrack(() => this.#take(i, data));
      });
  }

  get sources(): readonly Source[] {
    return this.#answers.filter(({ topic }) => topic !== undefined);
  }

  readonly #title = $derived.by(() => {
    const isThere = this.#answers.every(({ data }) => data !== undefined);
    const empty = this.#shown.length === 0 ? 'nothing recorded yet' : undefined;
    return `Long/short ratio, ${this.#target().coin}${stateText(this.sources, isThere, empty)}`;
  });

  readonly indicators = $derived.by((): readonly Indicator[] => {
    const shown = this.#shown;
    return [
      sampled(
        {
          name: NAME,
          label: 'L/S',
          title: this.#title,
          lines: shown.length === 0 ? venueLines([]) : shown.map(lineOf),
          marks: [EVEN],
          text: (value) => value.toFixed(2),
        },
        () => shown.map((i) => this.#samples[i] ?? []),
      ),
    ];
  });

  #take(i: number, past: Parameters<typeof ratioPoints>[0]): void {
    this.#samples[i] = ratioPoints(past).map(({ x, y }) => ({ ts: x, value: y }));
    const shown = [...this.#samples.keys()].filter((at) => this.#samples[at]?.length);
    if (shown.join() !== this.#shown.join()) this.#shown = shown;
    this.#target().chart?.refreshIndicator(NAME);
  }

  #query({ venue, view }: RatioSeries) {
    const { coin, names } = this.#target();
    const range = pastOf(this.#target());
    return range && names.includes(NAME) ? { coin, venue, view, sinceMs: range.sinceMs } : undefined;
  }
}

function lineOf(i: number): IndicatorLine {
  const series = ratioSeries[i]!;
  return { name: ratioName(series), color: venueColor(series.venue), isDashed: series.view === 'top' };
}
