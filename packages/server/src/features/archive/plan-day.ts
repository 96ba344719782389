import type { Store } from '../../store/store.ts';
import { type FilePlan, planMarketFile, planVenueFile, sampledVenues } from '../lake/file-orders.ts';
import { DAY_MS, lakeKeyOf, marketTables, startOfDate, venueTables } from '../lake/lake-key.ts';
import type { LakeMarket } from '../lake/lake-markets.ts';
import { GapLedger } from '../tape/gap-ledger.ts';
import type { SealOrder } from './seal-day.ts';

interface PlannedFile {
  readonly key: string;
  readonly source: FilePlan['source'];
  readonly metadata: Readonly<Record<string, string>>;
  readonly complete?: boolean | undefined;
  readonly named?: { readonly market: string; readonly coin: string } | undefined;
}

/** The files of a market's or a venue's day. */
export interface DayPlan {
  /** Of the plan, on its date. */
  readonly name: string;
  readonly venue: string;
  readonly tape?: NonNullable<SealOrder['tape']> & {
    readonly complete: boolean;
    readonly named: { readonly market: string; readonly coin: string };
  };
  readonly files: readonly PlannedFile[];
}

/** The tape of a market's day, and its tables. */
export async function planMarketDay(store: Store, market: LakeMarket, date: string): Promise<DayPlan> {
  const { id, venue, symbol, coin, quote, secondary } = market;
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
    files: plans.map(({ name, source, complete }) => ({
      key: lakeKeyOf(name),
      source,
      metadata: { date, ...named, quote },
      complete,
      named,
    })),
  };
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
