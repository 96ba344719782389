import { DAY_MS, unitsOf } from '@crosstape/core';
import { coverageRows, type CoverageRow } from '../market-tape/coverage-rows.ts';
import { perpConventionOf, perpVenueIds } from '../markets/venue-ids.ts';
import { historyVenues } from '../perps/history-samples.ts';
import {
  type LakeName,
  type MarketFileTable,
  startOfDate,
  symbolInPath,
  type VenueFileTable,
} from './lake-key.ts';
import type { LakeMarket } from './lake-markets.ts';
import type { FileOrder } from './make-file.ts';
import type { TradeRange } from './trade-file.ts';

/** How a file is made, and its manifest entry apart from the file's own figures. */
export interface FilePlan {
  readonly name: LakeName;
  readonly source: FileOrder['source'];
  /** Absent for a sampled table, whose samples determine it. */
  readonly complete?: boolean;
  readonly market?: LakeMarket;
  readonly version?: string;
}

/** A file of a market's day. */
export async function planMarketFile(
  table: MarketFileTable,
  market: LakeMarket,
  date: string,
): Promise<FilePlan> {
  const { venue, symbol, coin, secondary } = market;
  const fromTs = startOfDate(date);
  const toTs = fromTs + DAY_MS;
  const rows = await coverageRows({ ...market, coin: symbol }, fromTs, toTs);
  const gaps = rows.filter(({ state }) => state !== 'complete');
  const unit = secondary?.market;
  const range = {
    venue,
    symbol,
    coin,
    fromTs,
    toTs,
    ...(unit && { unit: unitsOf(unit) }),
  };
  return {
    name: { table, venue, symbol: symbolInPath(symbol), date },
    market,
    complete: rows.length > 0 && gaps.every(({ state }) => state === 'refilled'),
    source: sourceOf(table, range, gaps),
  };
}

function sourceOf(
  table: MarketFileTable,
  range: TradeRange,
  gaps: readonly CoverageRow[],
): FilePlan['source'] {
  if (table === 'gaps') return { table, rows: gaps.map(plainGap) };
  if (table === 'trades' || table === 'repaired_trades') return { table, ...range };
  const missing = gaps.filter(({ state }) => state !== 'refilled');
  return { table, ...range, gaps: missing.map(({ from, to }) => ({ from, to })) };
}

function plainGap({ from, to, state, reason, expectedTrades, recordedTrades }: CoverageRow) {
  return { from, to, state, reason, expectedTrades, recordedTrades };
}

/** The venues of a sampled table. */
export function sampledVenues(table: VenueFileTable, primaryVenue: string): readonly string[] {
  if (table === 'liquidations') return perpVenueIds;
  return table === 'funding' ? historyVenues : [primaryVenue];
}

/** A file of a venue's day of samples. */
export function planVenueFile(
  table: VenueFileTable,
  venue: string,
  date: string,
  primaryVenue: string,
): FilePlan {
  const fromTs = startOfDate(date);
  const range = { venue, fromTs, toTs: fromTs + DAY_MS };
  const name = { table, venue, date };
  if (table === 'liquidations') return { name, source: { table, ...range } };
  const periodHours = perpConventionOf(venue).fundingPeriodHours;
  return { name, source: { table, ...range, primaryVenue, periodHours } };
}
