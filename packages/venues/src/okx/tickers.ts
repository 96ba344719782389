import type { Volume } from '@crosstape/core';
import { roundTo } from '@crosstape/core';
import { bySymbol } from '../by-symbol.ts';
import { readAmount, readObject, readOptional, readPositiveDecimal, readRows, readText } from '../reading.ts';
import type { Resource } from '../venue.ts';
import { readAnswer } from './answer.ts';

const VALUE_DECIMALS = 2;

/**
 * What was traded in every swap in 24 hours, inverse ones too:
 * ```json
 * {"instType":"SWAP","instId":"BTC-USDT-SWAP","last":"103890.1","lastSz":"0.01","askPx":"103890.2","askSz":"12.5",
 *  "bidPx":"103890.1","bidSz":"9.31","open24h":"102300","high24h":"104500","low24h":"101200","volCcy24h":"81234.56",
 *  "vol24h":"8123456","ts":"1763164800123","sodUtc0":"102500","sodUtc8":"102900"}
 * ```
 * `vol24h` is in contracts, `volCcy24h` in the base coin [D]. There is no amount in the quote currency: it is estimated
 * at the last price. 20 requests in 2 s [D].
 * https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-tickers
 */
export const tickers: Resource = {
  name: 'tickers',
  polled: 'always',
  everyMs: 120_000,
  gives: ['volumes'],
  needs: ['instruments'],
  weight: 1,
  request: { method: 'GET', path: '/api/v5/market/tickers?instType=SWAP' },
  parse(body, _receivedAtMs, known) {
    const ours = bySymbol(known.instruments);
    const data = readAnswer(body);
    const { rows, refused } = readRows(data.length, (i, odd): Volume | undefined => {
      const row = readObject(data[i], 'ticker');
      const symbol = readText(row.instId, 'instId');
      const instrument = ours.get(symbol);
      if (!instrument) return undefined;
      const coins = readAmount(row.volCcy24h, `${symbol}.volCcy24h`);
      // A swap that has just been listed has no last price.
      const last = readOptional(row.last, `${symbol}.last`, readPositiveDecimal, odd);
      if (last === undefined) return undefined;
      const value = roundTo(coins * last, VALUE_DECIMALS);
      return { coin: instrument.coin, symbol, value, isEstimate: true, coins };
    });
    return { volumes: rows, refused };
  },
};
