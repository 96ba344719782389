import { DAY_MS } from '@crosstape/core';
import type { Store } from '../../store/store.ts';
import { type FilePlan, planMarketFile, planVenueFile, sampledVenues } from '../lake/file-orders.ts';
import { lakeKeyOf, marketTables, startOfDate, venueTables } from '../lake/lake-key.ts';
import type { LakeFile } from '../lake/lake-folder.ts';
import type { LakeMarket } from '../lake/lake-markets.ts';
import { GapLedger } from '../tape/gap-ledger.ts';
import { nextPart } from './archived-parts.ts';
import type { LateDay } from './late-repairs.ts';
import type { FileToSeal, SealOrder } from './seal-day.ts';

interface PlannedFile extends FileToSeal {
  readonly complete?: boolean | undefined;
  readonly named?: { readonly market: string; readonly coin: string } | undefined;
}

/** The files of repaired trades that the archive has of a day. */
export interface RepairedParts {
  readonly healthy: readonly LakeFile[];
  readonly damaged: readonly LakeFile[];
}

/** The files of a market's or a venue's day. */
export interface DayPlan {
  /** Name of the plan, unique per date. */
  readonly name: string;
  readonly venue: string;
  readonly tape?: NonNullable<SealOrder['tape']> & {
    readonly complete: boolean;
    readonly named: { readonly market: string; readonly coin: string };
  };
  readonly files: readonly PlannedFile[];
}

/** The tape of a market's day, and its tables. */
export async function planMarketDay(
  store: Store,
  market: LakeMarket,
  date: string,
  parts: RepairedParts,
): Promise<DayPlan> {
  const { id, venue, symbol, coin, secondary } = market;
  const fromTs = startOfDate(date);
  const toTs = fromTs + DAY_MS;
  const named = { market: id, coin };
  const plans = [];
  for (const table of marketTables) plans.push(await planMarketFile(table, market, date));
  const ledger = new GapLedger(store, venue);
  const spans = await ledger.spans(fromTs, toTs);
  const facts = {
    market: `${venue}:${symbol}`,
    date,
    gaps: await ledger.gaps(symbol, fromTs, toTs),
    spans: spans.map((span) => ({
      ...span,
      from: Math.max(span.from, fromTs),
      to: Math.min(span.to, toTs),
    })),
    listing: secondary?.market,
  };
  return {
    name: `${date} ${id}`,
    venue,
    tape: {
      facts,
      range: { venue, symbol, fromTs, toTs },
      complete: plans[0]?.complete ?? false,
      named,
    },
    files: plans.map((plan) =>
      plan.name.table === 'repaired_trades' ? plannedPart(plan, market, parts) : plannedFile(plan, market),
    ),
  };
}

/** The repaired trades of a market's day alone. */
export async function planRepairs(
  { market, date, fingerprint }: LateDay,
  parts: RepairedParts,
): Promise<DayPlan> {
  const plan = await planMarketFile('repaired_trades', market, date);
  const file = plannedPart(plan, market, parts);
  return { name: `${file.key} ${fingerprint}`, venue: market.venue, files: [file] };
}

/** Repaired trades that no archived file has, as one more file. Only a damaged one is replaced. */
function plannedPart(plan: FilePlan, market: LakeMarket, { healthy, damaged }: RepairedParts): PlannedFile {
  const file = plannedFile(plan, market);
  const [broken] = damaged;
  if (broken) return { ...file, key: broken.key, archived: healthy, rowsMin: broken.rows };
  if (healthy.length === 0) return file;
  return { ...file, key: lakeKeyOf({ ...plan.name, part: nextPart(healthy) }), archived: healthy };
}

function plannedFile(plan: FilePlan, { id, coin, quote }: LakeMarket): PlannedFile {
  const { name, source, complete } = plan;
  const named = { market: id, coin };
  const metadata = { date: name.date, ...named, quote };
  return { key: lakeKeyOf(name), source, metadata, complete, named };
}

/** The tables of each venue's day. */
export function planVenueDay(date: string, primaryVenue: string): readonly DayPlan[] {
  return venueTables.flatMap((table) =>
    sampledVenues(table, primaryVenue).map((venue): DayPlan => {
      const { name, source } = planVenueFile(table, venue, date, primaryVenue);
      const key = lakeKeyOf(name);
      return { name: key, venue, files: [{ key, source, metadata: { date } }] };
    }),
  );
}
