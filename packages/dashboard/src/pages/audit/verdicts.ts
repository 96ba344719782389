import type { Schemas } from '@crosstape/client';
import { percent } from '../../format/numbers.ts';
import { perpVenues, venueName } from '../../format/venues.ts';

export const DAY_MS = 86_400_000;
export const HOUR_MS = 3_600_000;

export type Hour = Schemas['AuditHour'];
export type Verdict = Hour['verdict'];
export type Counts = Readonly<Record<Verdict, number>>;
export type DayRow = Schemas['AuditSummary']['days'][number];
export type DayMarket = Schemas['AuditDayMarket'];

/** From the best to the worst. */
export const verdicts = ['equal', 'within', 'unavailable', 'incomplete', 'differs'] as const;
export const verdictNames: Readonly<Record<Verdict, string>> = {
  equal: 'equal',
  within: 'within 0.1 %',
  unavailable: 'venue unavailable',
  incomplete: 'reported gap',
  differs: 'differs',
};
const none: Counts = { equal: 0, within: 0, unavailable: 0, incomplete: 0, differs: 0 };

export function sumOf(rows: readonly Counts[]): Counts {
  const sum = { ...none };
  for (const row of rows) for (const verdict of verdicts) sum[verdict] += row[verdict];
  return sum;
}

export function totalOf(counts: Counts): number {
  return verdicts.reduce((sum, verdict) => sum + counts[verdict], 0);
}

export function one(verdict: Verdict): Counts {
  return { ...none, [verdict]: 1 };
}

/** `4,310 equal, 12 reported gap` */
export function countsText(counts: Counts): string {
  return verdicts
    .filter((verdict) => counts[verdict] > 0)
    .map((verdict) => `${counts[verdict].toLocaleString('en-US')} ${verdictNames[verdict]}`)
    .join(', ');
}

/** Share of the hours that could be compared that are equal; never rounded up to all of them. */
export function equalText(counts: Counts): string {
  const compared = totalOf(counts) - counts.unavailable;
  if (compared === 0) return '–';
  const share = (100 * counts.equal) / compared;
  const digits = share === 100 || share === 0 ? 0 : share > 99 ? 2 : 1;
  return percent(Math.floor(share * 100) / 100, { digits, signed: false });
}

/** Share of a cell that a verdict takes at least, so that one hour of thousands is seen. */
const SHARE_MIN = 0.2;

/** A cell as bands from bottom to top, worst on top. */
export function bandsOf(counts: Counts): string {
  const total = totalOf(counts);
  const shares = verdicts.map((verdict) =>
    counts[verdict] === 0 ? 0 : Math.max(SHARE_MIN, counts[verdict] / total),
  );
  const sum = shares.reduce((a, b) => a + b, 0);
  let from = 0;
  const bands = verdicts.flatMap((verdict, i) => {
    const to = from + (100 * (shares[i] ?? 0)) / sum;
    const band = `var(--${verdict}) ${from.toFixed(1)}% ${to.toFixed(1)}%`;
    const isThere = to > from;
    from = to;
    return isThere ? [band] : [];
  });
  return `linear-gradient(to top, ${bands.join(', ')})`;
}

/** The name of a venue of the audit: `Binance spot`. */
export function sourceName(id: string): string {
  return id.endsWith('-spot') ? `${venueName(id.slice(0, -5))} spot` : venueName(id);
}

/** Venues with a verdict: perpetual venues as everywhere, then the others. */
export function venuesOf(days: readonly DayRow[]): readonly string[] {
  const order: readonly string[] = perpVenues;
  const rank = (id: string): number => (order.includes(id) ? order.indexOf(id) : order.length);
  return [...new Set(days.map(({ venue }) => venue))].toSorted(
    (a, b) => rank(a) - rank(b) || (a < b ? -1 : 1),
  );
}

/** The venue of a market among those of the summary: `coinbase-spot:BTC-USD` may be listed under `coinbase`. */
export function venueOfMarket(market: string, venues: readonly string[]): string {
  const prefix = market.slice(0, market.indexOf(':'));
  return venues.find((venue) => venue === prefix || `${venue}-spot` === prefix) ?? prefix;
}

/** Hours as they were requested and as they arrived since: a verdict replaces one that was unavailable. */
export function withLive(rows: readonly Hour[], live: readonly Hour[]): readonly Hour[] {
  const byHour = new Map(rows.map((row) => [row.hour, row]));
  for (const row of live) {
    const known = byHour.get(row.hour);
    if (!known || known.verdict === 'unavailable') byHour.set(row.hour, row);
  }
  return [...byHour.values()].toSorted((a, b) => a.hour - b.hour);
}

/** The hour to show first: the one furthest from equal, of these the newest. */
export function worstHour<Row extends Pick<Hour, 'hour' | 'verdict'>>(
  hours: readonly Row[],
): Row | undefined {
  return hours.toSorted(
    (a, b) => verdicts.indexOf(b.verdict) - verdicts.indexOf(a.verdict) || b.hour - a.hour,
  )[0];
}

/** The market to show first: the one that is furthest from equal, or the most traded one. */
export function firstMarket(rows: readonly DayMarket[], mostTraded: string): string {
  const worst = rows.find(({ hours }) => hours.some(({ verdict }) => verdict !== 'equal'));
  const found = worst ?? rows.find(({ market }) => market === mostTraded) ?? rows[0];
  return found?.market ?? mostTraded;
}

/** `2026-11-16` */
export function dateText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Start of a day in the URL; `undefined` if it is not a date. */
export function dayMsOf(text: string): number | undefined {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(ms) ? ms : undefined;
}
