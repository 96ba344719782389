import { paidRates } from '../past-samples.ts';
import { Reply, type WireRoute } from '../wire.ts';
import { categoryOf, limitOf, success, unknownSymbol, windowOf } from './envelope.ts';
import { contractsFor } from './tickers.ts';

const ROWS_MAX = 200;

/**
 * What was paid, newest first: {"symbol":"ETHPERP","fundingRate":"0.0001","fundingRateTimestamp":"1672041600000"} [D]
 * https://bybit-exchange.github.io/docs/v5/market/history-fund-rate
 */
export const fundingHistory: WireRoute = {
  path: '/v5/market/funding/history',
  answer(question) {
    const { market, query, nowMs } = question;
    const asked = categoryOf(question);
    if (asked instanceof Reply) return asked;
    const limit = limitOf(question, ROWS_MAX, ROWS_MAX);
    if (limit instanceof Reply) return limit;
    const { category } = asked;
    const contract = contractsFor(question, category).find((one) => one.symbol === query.get('symbol'));
    if (!contract) return unknownSymbol(nowMs);
    const window = windowOf(question, limit);
    if (window instanceof Reply) return window;
    const list = paidRates(market, contract.coin.name, window).map(({ paidMs, rate }) => ({
      symbol: contract.symbol,
      fundingRate: rate.toFixed(8),
      fundingRateTimestamp: String(paidMs),
    }));
    return success({ category, list }, nowMs);
  },
};
