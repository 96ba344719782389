import { Reply, type WireRoute } from '../wire.ts';
import { pastTimes } from '../past-samples.ts';
import { categoryOf, INTERVALS, limitOf, refusal, success, unknownSymbol, windowOf } from './envelope.ts';
import { contractsFor, oneSidedOf } from './tickers.ts';

const ROWS_DEFAULT = 50;
const ROWS_MAX = 200;

/**
 * What was held at the ends of past intervals, newest first:
 * {"openInterest":"63910691.00000000","singleOpenInterest":"31955346","timestamp":"1780963200000"} [D]
 * https://bybit-exchange.github.io/docs/v5/market/open-interest
 */
export const openInterest: WireRoute = {
  path: '/v5/market/open-interest',
  answer(question) {
    const { market, query, nowMs } = question;
    const asked = categoryOf(question);
    if (asked instanceof Reply) return asked;
    const limit = limitOf(question, ROWS_DEFAULT, ROWS_MAX);
    if (limit instanceof Reply) return limit;
    const { category } = asked;
    const contract = contractsFor(question, category).find((one) => one.symbol === query.get('symbol'));
    if (!contract) return unknownSymbol(nowMs);
    const everyMs = INTERVALS[query.get('intervalTime') ?? ''];
    if (everyMs === undefined) return refusal(10_001, 'params error: intervalTime is invalid', nowMs);
    const window = windowOf(question, limit);
    if (window instanceof Reply) return window;
    const list = pastTimes(everyMs, window).map((atMs) => {
      const single = oneSidedOf(contract, market, atMs);
      return {
        openInterest: (2 * single).toFixed(8),
        singleOpenInterest: single.toFixed(contract.sizeDecimals),
        timestamp: String(atMs),
      };
    });
    return success({ symbol: contract.symbol, category, list, nextPageCursor: '' }, nowMs);
  },
};
