import { DAY_MS, type HourAudit, type HourVerdict, hourVerdicts } from '@crosstape/core';
import { removeRange } from '../../store/pages.ts';
import type { Store, Table } from '../../store/store.ts';

/** How long verdicts are kept. */
export const AUDIT_KEEP_MS = 90 * DAY_MS;
/** Hours of one market that are read at most: all that are kept. */
const HOURS_MAX = AUDIT_KEEP_MS / 3_600_000 + 48;
const DAYS_MAX = 10_000;
/** Hours of a day that are listed because they are furthest apart. */
export const WORST_MAX = 10;
/** Verdicts arrive at any moment of an hour: an answer is reused for this long. */
export const AUDIT_REUSE_MS = 10_000;

export type VerdictCounts = Readonly<Record<HourVerdict, number>>;

/** An hour that is listed because it is not equal. */
export type WorstHour = Pick<HourAudit, 'market' | 'hour' | 'verdict' | 'diffPct'>;

/** The verdicts of a venue's markets on one UTC day. */
export interface DayAudit {
  readonly venue: string;
  /** Its start in ms. */
  readonly day: number;
  readonly counts: VerdictCounts;
  /** Furthest apart first. */
  readonly worst: readonly WorstHour[];
}

type MarketDay = Pick<DayAudit, 'counts' | 'worst'>;

/** A UTC day of a venue that is summed up several times: its markets, as they were read last. */
export interface DaySum extends Pick<DayAudit, 'venue' | 'day'> {
  readonly markets: Map<string, MarketDay>;
}

/** The verdicts of recorded hours by market, and their counts by day and venue; kept for 90 days. */
export class AuditTable {
  readonly #store: Store;
  readonly #hours: Table<HourAudit>;
  readonly #days: Table<DayAudit>;

  constructor(store: Store) {
    this.#store = store;
    this.#hours = store.table<HourAudit>('audit-hours', 'json');
    this.#days = store.table<DayAudit>('audit-days', 'json');
  }

  /** Hours of a market in `from <= hour < to`, oldest first. */
  async hours(market: string, from: number, to: number): Promise<readonly HourAudit[]> {
    const rows = await this.#hours.range({ from: [market, from], to: [market, to], limit: HOURS_MAX });
    return rows.map(({ value }) => value);
  }

  async put(hours: readonly HourAudit[]): Promise<void> {
    if (hours.length === 0) return;
    const entries = hours.map((value) => ({ key: [value.market, value.hour], value }));
    await this.#store.commit([this.#hours.puts(entries)]);
  }

  /** Counts the verdicts of a venue's day; reads only the markets that changed since the last time. */
  async sumUp({ venue, day, markets }: DaySum, changed: Iterable<string>): Promise<void> {
    for (const id of changed) markets.set(id, marketDay(await this.hours(id, day, day + DAY_MS)));
    const known = [...markets.values()];
    const counts = noVerdicts();
    for (const one of known) for (const verdict of hourVerdicts) counts[verdict] += one.counts[verdict];
    if (Object.values(counts).every((count) => count === 0)) return;
    const worst = worstFirst(known.flatMap((one) => one.worst)).slice(0, WORST_MAX);
    await this.#store.commit([
      this.#days.puts([{ key: [day, venue], value: { venue, day, counts, worst } }]),
    ]);
  }

  /** Days in `from <= day < to`, oldest first. */
  async days(from: number, to: number): Promise<readonly DayAudit[]> {
    const rows = await this.#days.range({ from: [from], to: [to], limit: DAYS_MAX });
    return rows.map(({ value }) => value);
  }

  /** Removes results from before a time. */
  async prune(beforeMs: number, markets: readonly string[]): Promise<void> {
    if (beforeMs <= 0) return;
    for (const market of markets)
      await removeRange(this.#store, this.#hours, { from: [market], to: [market, beforeMs] });
    await removeRange(this.#store, this.#days, { to: [beforeMs - DAY_MS] });
  }
}

export function noVerdicts(): Record<HourVerdict, number> {
  return Object.fromEntries(hourVerdicts.map((verdict) => [verdict, 0])) as Record<HourVerdict, number>;
}

function marketDay(hours: readonly HourAudit[]): MarketDay {
  const counts = noVerdicts();
  const listed: WorstHour[] = [];
  for (const { market, hour, verdict, diffPct } of hours) {
    counts[verdict] += 1;
    if (verdict === 'equal' || verdict === 'unavailable') continue;
    listed.push({ market, hour, verdict, ...(diffPct !== undefined && { diffPct }) });
  }
  return { counts, worst: worstFirst(listed).slice(0, WORST_MAX) };
}

/** Hours that differ before those with a reported gap, furthest apart first. */
export function worstFirst<Hour extends WorstHour>(hours: readonly Hour[]): readonly Hour[] {
  const rank = ({ verdict }: Hour): number => ['differs', 'incomplete', 'within'].indexOf(verdict);
  return hours.toSorted((a, b) => rank(a) - rank(b) || (b.diffPct ?? 0) - (a.diffPct ?? 0));
}
