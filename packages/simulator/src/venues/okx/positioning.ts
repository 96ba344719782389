import { MINUTE_MS } from '@crosstape/core';
import { REAL_COINS } from '../../market/real-coins.ts';
import { pastTimes } from '../past-samples.ts';
import type { Question, Reply, WireLimit, WireRoute } from '../wire.ts';
import { failure, success } from './envelope.ts';
import { liveListings, mainListing } from './listing.ts';

export const PERIOD_MS: Readonly<Record<string, number>> = {
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '1H': 60 * MINUTE_MS,
  '2H': 120 * MINUTE_MS,
  '4H': 240 * MINUTE_MS,
};
const ROWS_MAX = 100;
/** Periods that the venue has [K]. */
const PERIODS_MAX = 1440;
const RATIO_DECIMALS = 16;

/** A call of long/short ratios, its limit and its crowd. */
interface RatioCall {
  readonly name: string;
  readonly limit: string;
  readonly crowd: string;
}

const CALLS: readonly RatioCall[] = [
  { name: 'long-short-account-ratio-contract', limit: 'all-accounts', crowd: 'all accounts' },
  { name: 'long-short-position-ratio-contract-top-trader', limit: 'top-trader', crowd: 'top positions' },
];

/**
 * Longs against shorts of all accounts, and of the largest by their positions, newest first: `[time, ratio]`, both texts
 * [C, M].
 */
export const ratioRoutes: readonly WireRoute[] = CALLS.map((call) => ({
  path: `/api/v5/rubik/stat/contracts/${call.name}`,
  costs: ({ query }) => ({ [limitOf(call, query.get('instId') ?? '')]: 1 }),
  answer: (question) => answerRatios(call, question),
}));

/** Five in two seconds per IP and instrument, on each call [M]. */
export const ratioLimits: readonly WireLimit[] = CALLS.flatMap((call) =>
  REAL_COINS.filter((coin) => coin.dex === '').map((coin) => ({
    name: limitOf(call, mainListing(coin).instId),
    spanMs: 2000,
    max: 5,
  })),
);

function limitOf({ limit }: RatioCall, instId: string): string {
  return `${limit} ${instId}`;
}

function answerRatios({ crowd }: RatioCall, { market, nowMs, query }: Question): Reply {
  const instId = query.get('instId');
  if (instId === null) return failure('50014', 'Parameter instId can not be empty.', 400);
  const periodMs = PERIOD_MS[query.get('period') ?? '5m'];
  if (periodMs === undefined) return failure('51000', 'Parameter period error', 400);
  const limit = Number(query.get('limit') ?? ROWS_MAX);
  if (!Number.isInteger(limit) || limit < 1 || limit > ROWS_MAX)
    return failure('51000', 'Parameter limit error', 400);
  const [begin, end] = [Number(query.get('begin') ?? 0), Number(query.get('end') ?? nowMs)];
  if (!Number.isInteger(begin)) return failure('51000', 'Parameter begin error', 400);
  if (!Number.isInteger(end)) return failure('51000', 'Parameter end error', 400);
  const listing = liveListings(market).find((one) => one.instId === instId);
  if (!listing) return failure('51001', "Instrument ID, Instrument ID code, or Spread ID doesn't exist.");
  const fromMs = Math.max(begin, nowMs - PERIODS_MAX * periodMs);
  return success(
    pastTimes(periodMs, { fromMs, toMs: Math.min(nowMs, end), limit }).map((ts) => {
      const long = market.longFraction(listing.coin.name, crowd, ts);
      return [String(ts), (long / (1 - long)).toFixed(RATIO_DECIMALS)];
    }),
  );
}
