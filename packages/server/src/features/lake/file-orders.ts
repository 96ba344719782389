import { coverageRows, type CoverageRow } from '../market-tape/coverage-rows.ts';
import { perpConventionOf } from '../markets/venue-ids.ts';
import { historyVenues } from '../perps/history-samples.ts';
import {
  DAY_MS,
  type LakeName,
  type MarketFileTable,
  startOfDate,
  symbolInPath,
  type VenueFileTable,
} from './lake-key.ts';
import type { LakeMarket } from './lake-markets.ts';
import type { FileOrder } from './make-file.ts';

/** What a file is made from, and what its entry in the manifest says beside the figures of the file itself. */
export interface FilePlan {
  readonly name: LakeName;
  readonly source: FileOrder['source'];
  /** Of a sampled table the samples say it. */
  readonly complete?: boolean;
  readonly market?: LakeMarket;
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
  return {
    name: { table, venue, symbol: symbolInPath(symbol), date },
    market,
    complete: rows.length > 0 && gaps.every(({ state }) => state === 'refilled'),
    source:
      table === 'gaps'
        ? { table, rows: gaps.map(plainGap) }
        : {
            table,
            venue,
            symbol,
            coin,
            fromTs,
            toTs,
            ...(unit && { unit: { contractSize: unit.contractSize, scale: unit.scale } }),
          },
  };
}

function plainGap({ from, to, state, reason, expectedTrades, recordedTrades }: CoverageRow) {
  return { from, to, state, reason, expectedTrades, recordedTrades };
}

/** Whose samples a table has. */
export function sampledVenues(table: VenueFileTable, primaryVenue: string): readonly string[] {
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
  const periodHours = perpConventionOf(venue).fundingPeriodHours;
  return {
    name: { table, venue, date },
    source: { table, venue, primaryVenue, periodHours, fromTs, toTs: fromTs + DAY_MS },
  };
}
