import { HOUR_MS } from '@crosstape/core';
import { plainDecimal } from '../plain-decimal.ts';
import { Reply, type WireRoute } from '../wire.ts';
import { badTicker, marketsOf, printOracle } from './markets.ts';
import { heightAt } from './trades.ts';

const ROWS_MAX = 100;
/** After the hour, a rate takes effect. */
const DATED_MS = 219;

/**
 * What was paid at full hours, newest first: {"ticker":"BTC-USD","rate":"0.000002375","price":"89993.8",
 * "effectiveAt":"2025-12-08T16:00:00.219Z","effectiveAtHeight":"66623467"} [D]
 * https://docs.dydx.xyz/indexer-client/http#get-historical-funding
 */
export const historicalFunding: WireRoute = {
  path: '/v4/historicalFunding/:market',
  answer({ market, params, query, nowMs }) {
    const ticker = params.market ?? '';
    const one = marketsOf(market).find((candidate) => candidate.ticker === ticker);
    if (!one) return badTicker(ticker, { param: 'ticker', location: 'params' });
    const limit = Math.min(ROWS_MAX, Number(query.get('limit') ?? ROWS_MAX));
    const asked = query.get('effectiveBeforeOrAt');
    const untilMs = asked === null ? nowMs : Math.min(nowMs, Date.parse(asked));
    if (Number.isNaN(untilMs))
      return new Reply(
        { errors: [{ value: asked, msg: 'Invalid value', param: 'effectiveBeforeOrAt' }] },
        400,
      );
    const newestMs = Math.floor((untilMs - DATED_MS) / HOUR_MS) * HOUR_MS;
    const rows = Array.from({ length: limit }, (_, i) => {
      const paidMs = newestMs - i * HOUR_MS;
      return {
        ticker,
        rate: plainDecimal(market.funding(one.coin.name, paidMs - 1).rate, 16),
        price: printOracle(one, market.quote(one.coin.name, paidMs).index),
        effectiveAt: new Date(paidMs + DATED_MS).toISOString(),
        effectiveAtHeight: String(heightAt(paidMs)),
      };
    });
    return new Reply({ historicalFunding: rows });
  },
};
