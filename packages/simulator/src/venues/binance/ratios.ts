import { MINUTE_MS } from '@crosstape/core';
import { type Question, Reply, type WireRoute } from '../wire.ts';
import { findTraded, missing, wrong } from './errors.ts';

export const PERIOD_MS: Readonly<Record<string, number>> = {
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '1h': 60 * MINUTE_MS,
  '2h': 120 * MINUTE_MS,
  '4h': 240 * MINUTE_MS,
  '6h': 360 * MINUTE_MS,
  '12h': 720 * MINUTE_MS,
  '1d': 1440 * MINUTE_MS,
};
const LIMIT_DEFAULT = 30;
const LIMIT_MAX = 500;

/**
 * Who holds what, three calls of one shape, oldest first; without times the newest:
 * [{"symbol":"BTCUSDT","longShortRatio":"1.4342","longAccount":"0.5891","shortAccount":"0.4108","timestamp":1583139600000}]
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Long-Short-Ratio [D]
 */
export const ratioRoutes: readonly WireRoute[] = [
  'globalLongShortAccountRatio',
  'topLongShortAccountRatio',
  'topLongShortPositionRatio',
].map((name) => ({
  path: `/futures/data/${name}`,
  costs: () => ({ futuresData: 1 }),
  answer: (question) => answerRatios(name, question),
}));

function answerRatios(view: string, { market, query, nowMs }: Question): Reply {
  const symbol = query.get('symbol');
  if (!symbol) return missing('symbol');
  const listing = findTraded(market, symbol);
  // These calls answer for what they do not know with an empty list [K].
  if (!listing) return new Reply([]);
  const period = query.get('period');
  if (!period) return missing('period');
  const periodMs = PERIOD_MS[period];
  if (periodMs === undefined) return wrong('period');
  const limit = Number(query.get('limit') ?? LIMIT_DEFAULT);
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX) return wrong('limit');
  const lastMs = Math.floor(Math.min(nowMs, Number(query.get('endTime') ?? nowMs)) / periodMs) * periodMs;
  const rows = Array.from({ length: limit }, (_, i) => {
    const timestamp = lastMs - (limit - 1 - i) * periodMs;
    const long = market.longFraction(listing.coin.name, view, timestamp);
    return {
      symbol,
      longAccount: long.toFixed(4),
      longShortRatio: (long / (1 - long)).toFixed(4),
      shortAccount: (1 - long).toFixed(4),
      timestamp,
    };
  });
  const startMs = Number(query.get('startTime') ?? 0);
  return new Reply(rows.filter(({ timestamp }) => timestamp >= startMs));
}
