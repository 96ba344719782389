import { pastTimes } from '../past-samples.ts';
import { type Question, Reply, type WireRoute } from '../wire.ts';
import { findTraded, missing, wrong } from './errors.ts';
import { dataWindowOf, PERIOD_MS } from './period-window.ts';

/**
 * Who holds what, three calls of one shape, oldest first, of a month only; without times the newest:
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

function answerRatios(view: string, question: Question): Reply {
  const { market, query } = question;
  const symbol = query.get('symbol');
  if (!symbol) return missing('symbol');
  const listing = findTraded(market, symbol);
  // These calls answer for what they do not know with an empty list [K].
  if (!listing) return new Reply([]);
  const period = query.get('period');
  if (!period) return missing('period');
  const periodMs = PERIOD_MS[period];
  if (periodMs === undefined) return wrong('period');
  const window = dataWindowOf(question);
  if (typeof window === 'string') return wrong(window);
  const rows = pastTimes(periodMs, window).map((timestamp) => {
    const long = market.longFraction(listing.coin.name, view, timestamp);
    return {
      symbol,
      longAccount: long.toFixed(4),
      longShortRatio: (long / (1 - long)).toFixed(4),
      shortAccount: (1 - long).toFixed(4),
      timestamp,
    };
  });
  return new Reply(rows.toReversed());
}
