import type { Instrument } from '@crosstape/core';
import { readArray, readObject, MOST, readRows, readText } from '../reading.ts';
import { Malformed, type Resource } from '../venue.ts';

/**
 * Every contract of every venue that it follows:
 * ```json
 * {"symbol":"BTCUSDT_PERP.A","exchange":"A","symbol_on_exchange":"BTCUSDT","base_asset":"BTC","quote_asset":"USDT",
 *  "is_perpetual":true,"margined":"STABLE","expire_at":null,"oi_lq_vol_denominated_in":"BASE_ASSET",
 *  "has_long_short_ratio_data":true,"has_ohlcv_data":true,"has_buy_sell_data":true}
 * ```
 * What follows the last dot of a symbol is the code of its venue. `margined` is `STABLE` where the contract is linear,
 * `COIN` where it is inverse [M]. A base keeps its prefix, as `1000PEPE` [K].
 * https://api.coinalyze.net/v1/doc/
 */
export const futureMarkets: Resource = {
  name: 'future-markets',
  polled: 'always',
  everyMs: 3_600_000,
  gives: ['instruments'],
  weight: 1,
  request: { method: 'GET', path: '/v1/future-markets' },
  parse(body) {
    const markets = readArray(body, 'answer');
    const { rows, refused } = readRows(
      markets.length,
      (i): Instrument | undefined => {
        const market = readObject(markets[i], `answer[${i}]`);
        if (market.is_perpetual !== true || market.margined !== 'STABLE') return undefined;
        const symbol = readText(market.symbol, `answer[${i}].symbol`);
        return { symbol, coin: readText(market.base_asset, `${symbol}.base_asset`) };
      },
      MOST,
    );
    if (rows.length === 0) throw new Malformed(`none of ${markets.length} markets is a linear perpetual`);
    return { instruments: rows, refused };
  },
};
