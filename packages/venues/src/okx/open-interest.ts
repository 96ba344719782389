import { roundTo } from '@crosstape/core';
import { bySymbol } from '../by-symbol.ts';
import { notNegative, readDecimal, readObject, readRows, readText } from '../reading.ts';
import type { Resource } from '../venue.ts';
import { readAnswer } from './answer.ts';

/**
 * Open interest of every swap, inverse ones too:
 * ```json
 * {"instId":"BTC-USDT-SWAP","instType":"SWAP","oi":"2125419","oiCcy":"21254.19","oiUsd":"2206884361.1","ts":"1664005108969"}
 * ```
 * `oi` is in contracts, `oiCcy` in the base coin, `oiUsd` in dollars; one side [K: that it is one side is not
 * confirmed]. Shape [C, N]; 20 requests in 2 s [M, N].
 * https://www.okx.com/docs-v5/en/#public-data-rest-api-get-open-interest
 */
export const openInterest: Resource = {
  name: 'open-interest',
  polled: 'always',
  everyMs: 30_000,
  gives: ['openInterest'],
  needs: ['instruments'],
  weight: 1,
  request: { method: 'GET', path: '/api/v5/public/open-interest?instType=SWAP' },
  parse(body, _receivedAtMs, known) {
    const ours = bySymbol(known.instruments);
    const data = readAnswer(body);
    const { rows, refused } = readRows(data.length, (i) => {
      const row = readObject(data[i], 'open interest');
      const symbol = readText(row.instId, 'instId');
      const instrument = ours.get(symbol);
      if (!instrument) return undefined;
      return {
        coin: instrument.coin,
        symbol,
        contracts: readAmount(row.oi, `${symbol}.oi`),
        coins: readAmount(row.oiCcy, `${symbol}.oiCcy`),
        usd: roundTo(readAmount(row.oiUsd, `${symbol}.oiUsd`), 2),
      };
    });
    return { openInterest: rows, refused };
  },
};

function readAmount(value: unknown, what: string): number {
  return notNegative(readDecimal(value, what), what);
}
