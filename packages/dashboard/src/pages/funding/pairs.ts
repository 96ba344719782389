import type { AnswerOf } from '@crosstape/client';
import { yearlyPct } from '../../format/funding-rates.ts';

type FundingSnap = AnswerOf<'/perps/funding'>['data'][number];
type OpenInterest = AnswerOf<'/perps/oi'>['data'][number];

/** Taker fees in bps of the notional, by venue. */
export type Fees = Readonly<Record<string, number>>;

/** A perpetual sold on one venue and bought on another. */
export interface FundingPair {
  readonly coin: string;
  readonly shortVenue: string;
  readonly longVenue: string;
  /** Funding received on the short less funding paid on the long, percent of the notional a year. */
  readonly spreadPct: number;
  /** Fees of opening and closing both sides, percent of the notional. */
  readonly costPct: number;
  /** Earned in the holding time after fees, percent of the notional. */
  readonly netPct: number;
  /** The same for a year. */
  readonly netYearlyPct: number;
  /** Time until funding covers the fees; `undefined` where it never does. */
  readonly breakEvenDays: number | undefined;
  /** Next payment of either side. */
  readonly nextTs: number | undefined;
  /** Open interest of the smaller side in dollars. */
  readonly oiUsd: number | undefined;
}

export interface PairOptions {
  readonly fees: Fees;
  /** Holding time of both sides. */
  readonly days: number;
}

const BPS_PER_PCT = 100;
const DAYS_PER_YEAR = 365;
/** Open and close, on each side. */
const TRADES_PER_SIDE = 2;
/** Where the reader has not entered a fee. */
export const FEE_FIRST_BPS = 5;

/** For each coin the pair of venues that earns most over the holding time, after fees; the best first. */
export function bestPairs(
  funding: readonly FundingSnap[],
  interest: readonly OpenInterest[],
  options: PairOptions,
): readonly FundingPair[] {
  const byCoin = new Map<string, FundingSnap[]>();
  for (const row of funding) byCoin.set(row.coin, [...(byCoin.get(row.coin) ?? []), row]);
  const oiOf = new Map(interest.map(({ coin, venue, oiUsd }) => [`${coin} ${venue}`, oiUsd]));
  return [...byCoin.values()]
    .flatMap((rows) => bestOf(rows, oiOf, options) ?? [])
    .toSorted((a, b) => b.netPct - a.netPct);
}

function bestOf(
  rows: readonly FundingSnap[],
  oiOf: ReadonlyMap<string, number>,
  options: PairOptions,
): FundingPair | undefined {
  let best: FundingPair | undefined;
  for (const short of rows)
    for (const long of rows) {
      if (short.venue === long.venue) continue;
      const pair = pairOf(short, long, oiOf, options);
      if (!best || pair.netPct > best.netPct) best = pair;
    }
  return best;
}

function pairOf(
  short: FundingSnap,
  long: FundingSnap,
  oiOf: ReadonlyMap<string, number>,
  { fees, days }: PairOptions,
): FundingPair {
  const spreadPct = yearlyPct(short) - yearlyPct(long);
  const feeOf = (venue: string): number => fees[venue] ?? FEE_FIRST_BPS;
  const costPct = (TRADES_PER_SIDE * (feeOf(short.venue) + feeOf(long.venue))) / BPS_PER_PCT;
  const netPct = (spreadPct * days) / DAYS_PER_YEAR - costPct;
  const payments = [short.nextFundingTs, long.nextFundingTs].filter((ts) => typeof ts === 'number');
  const sides = [short, long].flatMap(({ coin, venue }) => oiOf.get(`${coin} ${venue}`) ?? []);
  return {
    coin: short.coin,
    shortVenue: short.venue,
    longVenue: long.venue,
    spreadPct,
    costPct,
    netPct,
    netYearlyPct: (netPct * DAYS_PER_YEAR) / days,
    breakEvenDays: spreadPct > 0 ? costPct / (spreadPct / DAYS_PER_YEAR) : undefined,
    nextTs: payments.length > 0 ? Math.min(...payments) : undefined,
    oiUsd: sides.length === 2 ? Math.min(...sides) : undefined,
  };
}
