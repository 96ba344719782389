import { MINUTE_MS } from '@crosstape/core';
import { REAL_COINS } from '../../market/real-coins.ts';
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
const RATIO_DECIMALS = 16;

/** Longs against shorts of the largest accounts by their positions, newest first: `[time, ratio]`, both texts [C, M]. */
export const topTraderRoute: WireRoute = {
  path: '/api/v5/rubik/stat/contracts/long-short-position-ratio-contract-top-trader',
  costs: ({ query }) => ({ [limitOf(query.get('instId') ?? '')]: 1 }),
  answer: answerRatios,
};

/** Five in two seconds per IP and instrument [M]. */
export const topTraderLimits: readonly WireLimit[] = REAL_COINS.filter((coin) => coin.dex === '').map(
  (coin) => ({
    name: limitOf(mainListing(coin).instId),
    spanMs: 2000,
    max: 5,
  }),
);

function limitOf(instId: string): string {
  return `top-trader ${instId}`;
}

function answerRatios({ market, nowMs, query }: Question): Reply {
  const instId = query.get('instId');
  if (instId === null) return failure('50014', 'Parameter instId can not be empty.', 400);
  const periodMs = PERIOD_MS[query.get('period') ?? '5m'];
  if (periodMs === undefined) return failure('51000', 'Parameter period error', 400);
  const limit = Number(query.get('limit') ?? ROWS_MAX);
  if (!Number.isInteger(limit) || limit < 1 || limit > ROWS_MAX)
    return failure('51000', 'Parameter limit error', 400);
  const listing = liveListings(market).find((one) => one.instId === instId);
  if (!listing) return failure('51001', "Instrument ID, Instrument ID code, or Spread ID doesn't exist.");
  const newestMs = Math.floor(nowMs / periodMs) * periodMs;
  return success(
    Array.from({ length: limit }, (_, i) => {
      const ts = newestMs - i * periodMs;
      const long = market.longFraction(listing.coin.name, 'top positions', ts);
      return [String(ts), (long / (1 - long)).toFixed(RATIO_DECIMALS)];
    }),
  );
}
