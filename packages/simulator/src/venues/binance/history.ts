import { paidRates, pastTimes } from '../past-samples.ts';
import { Reply, type WireRoute } from '../wire.ts';
import { findTraded, missing, wrong } from './errors.ts';
import { dataWindowOf, PERIOD_MS, windowOf } from './period-window.ts';

const FUNDING_LIMIT = { default: 100, max: 1000 };

/**
 * What was open at the ends of periods, oldest first, of a month only:
 * [{"symbol":"BTCUSDT","sumOpenInterest":"20403.12345678","sumOpenInterestValue":"176196512.12345678",
 *   "CMCCirculatingSupply":"165880.538","timestamp":1583127900000}]
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Open-Interest-Statistics [D]
 */
const interest: WireRoute = {
  path: '/futures/data/openInterestHist',
  costs: () => ({ futuresData: 1 }),
  answer(question) {
    const { market, query } = question;
    const symbol = query.get('symbol');
    if (!symbol) return missing('symbol');
    const listing = findTraded(market, symbol);
    if (!listing) return new Reply([]);
    const periodMs = PERIOD_MS[query.get('period') ?? ''];
    if (periodMs === undefined) return query.has('period') ? wrong('period') : missing('period');
    const window = dataWindowOf(question);
    if (typeof window === 'string') return wrong(window);
    const { coin, share } = listing;
    const rows = pastTimes(periodMs, window).map((timestamp) => {
      const coins = market.openInterest(coin.name, timestamp) * share;
      return {
        symbol,
        sumOpenInterest: coins.toFixed(coin.sizeDecimals),
        sumOpenInterestValue: (coins * market.quote(coin.name, timestamp).mark).toFixed(8),
        CMCCirculatingSupply: '0.00000000',
        timestamp,
      };
    });
    return new Reply(rows.toReversed());
  },
};

/**
 * What was paid, oldest first:
 * [{"symbol":"BTCUSDT","fundingRate":"-0.03750000","fundingTime":1570608000000,"markPrice":"34287.54619963"}]
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Get-Funding-Rate-History [D]
 */
const funding: WireRoute = {
  path: '/fapi/v1/fundingRate',
  costs: () => ({ weight: 1, fundingInfo: 1 }),
  answer(question) {
    const { market, query } = question;
    const symbol = query.get('symbol');
    if (!symbol) return missing('symbol');
    const listing = findTraded(market, symbol);
    if (!listing) return new Reply([]);
    const window = windowOf(question, FUNDING_LIMIT);
    if (typeof window === 'string') return wrong(window);
    const { coin } = listing;
    const rows = paidRates(market, coin.name, window).map(({ paidMs, rate }) => ({
      symbol,
      fundingTime: paidMs,
      fundingRate: rate.toFixed(8),
      markPrice: market.quote(coin.name, paidMs).mark.toFixed(8),
    }));
    return new Reply(rows.toReversed());
  },
};

export const historyRoutes: readonly WireRoute[] = [interest, funding];
