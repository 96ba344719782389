import { roundTo } from '@crosstape/core';
import { notNegative, readDecimal, readObject } from '../reading.ts';
import { type Lookup, Malformed } from '../venue.ts';
import { readAnswer } from './answer.ts';

/**
 * Open interest, which this venue serves for one contract at a time:
 * ```json
 * {"symbol":"BTCUSDT","openInterest":"10659.509","time":1589437530011}
 * ```
 * In units of the base asset, which are also the venue's contracts [D]; one-sided [K]. One pass a minute over the
 * five or six hundred contracts costs a quarter of the weight.
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Open-Interest
 */
export const openInterest: Lookup = {
  name: 'openInterest',
  polled: 'always',
  everyMs: 60_000,
  gives: ['openInterest'],
  needs: ['instruments', 'prices'],
  weight: 1,
  keys: ({ instruments = [] }) => instruments.map(({ symbol }) => symbol),
  request: (symbol) => ({
    method: 'GET',
    path: `/fapi/v1/openInterest?symbol=${encodeURIComponent(symbol)}`,
  }),
  parse(body, _receivedAtMs, { prices = [] }, symbol) {
    const answer = readObject(readAnswer(body), 'answer');
    if ((answer.symbol ?? symbol) !== symbol)
      throw new Malformed(`requested ${symbol}, got ${String(answer.symbol)}`);
    const coins = notNegative(readDecimal(answer.openInterest, 'openInterest'), 'openInterest');
    const price = prices.find((one) => one.symbol === symbol);
    if (!price) return { openInterest: [], refused: [`${symbol} has no mark`] };
    const { coin, mark } = price;
    return { openInterest: [{ coin, symbol, contracts: coins, coins, value: roundTo(coins * mark, 2) }] };
  },
};
