import type { CandleSpec } from '@crosstape/client/bars';
import { perpVenues, venueColor, venueShort } from '../../../format/venues.ts';
import type { Source } from '../../../live/reading.svelte.ts';
import type { BarChart } from '../bar-chart.ts';
import type { Indicator, IndicatorLine } from '../indicator.ts';

/** The chart that figures of several venues are read for. */
export interface ByVenueTarget {
  readonly coin: string;
  /** Which indicators are shown. */
  readonly names: readonly string[];
  /** Interval of its candles; other bars have none. */
  readonly interval: CandleSpec['interval'] | undefined;
  /** Time of its first bar; 0 while there is none. */
  readonly firstTs: number;
  readonly chart: BarChart | undefined;
}

/** Reads the figures of one or two indicators while they are shown. */
export interface ByVenueReading {
  readonly sources: readonly Source[];
  /** A new list when lines or titles change; values are read through functions. */
  readonly indicators: readonly Indicator[];
}

/** Appended to the title of a pane: why it is empty or incomplete; empty if it is complete. */
export function stateText(sources: readonly Source[], isThere: boolean, empty: string | undefined): string {
  const followed = sources.filter(({ topic }) => topic !== undefined);
  const failed = followed.find(({ problem }) => problem !== undefined)?.problem;
  if (failed !== undefined) return ` · ${failed}`;
  if (followed.some(({ freshness }) => freshness.state === 'limited'))
    return ' · waiting: the request limit of this browser for this minute is used up';
  if (!isThere) return ' · loading…';
  return empty === undefined ? '' : ` · ${empty}`;
}

const rankOf = (venue: string): number => {
  const place = perpVenues.findIndex((one) => one === venue);
  return place < 0 ? perpVenues.length : place;
};

/** Perpetual venues in their usual order, then the others. */
export function venueOrder(venues: Iterable<string>): readonly string[] {
  return [...venues].toSorted((a, b) => rankOf(a) - rankOf(b) || a.localeCompare(b));
}

/**
 * A line for each venue. There are fewer colours than venues: those without perpetuals share one, and are dashed. While
 * no venue is known, a single line keeps the pane.
 */
export function venueLines(venues: readonly string[]): readonly IndicatorLine[] {
  if (venues.length === 0) return [{ name: 'venues', color: '--text-3' }];
  return venues.map((venue) => {
    const isDashed = rankOf(venue) === perpVenues.length;
    return { name: venueShort(venue), color: venueColor(venue), isDashed };
  });
}
