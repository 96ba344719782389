import { roundTo } from '@crosstape/core';
import { bySymbol } from '../by-symbol.ts';
import { readAmount, readObject, readOptional, readRows, readText } from '../reading.ts';
import type { Resource } from '../venue.ts';
import { readAnswer } from './answer.ts';

const SIZE_DECIMALS = 8;

/**
 * Open interest of every swap, inverse ones too:
 * ```json
 * {"instId":"BTC-USDT-SWAP","instType":"SWAP","oi":"2125419","oiCcy":"21254.19","oiUsd":"2206884361.1","ts":"1664005108969"}
 * ```
 * `oi` is in contracts, `oiCcy` in the base coin, `oiUsd` in dollars; one side [K: that it is one side is not
 * confirmed]. Captured rows lack `oiUsd` now and then [L]: then it is worth its mark, and has
 * no value before the first marks. Shape [C, N]; 20 requests in 2 s
 * [M, N].
 * https://www.okx.com/docs-v5/en/#public-data-rest-api-get-open-interest
 */
export const openInterest: Resource = {
  name: 'open-interest',
  polled: 'always',
  everyMs: 30_000,
  gives: ['openInterest'],
  needs: ['instruments'],
  prefers: ['prices'],
  weight: 1,
  request: { method: 'GET', path: '/api/v5/public/open-interest?instType=SWAP' },
  parse(body, _receivedAtMs, known) {
    const ours = bySymbol(known.instruments);
    const prices = bySymbol(known.prices);
    const data = readAnswer(body);
    const { rows, refused } = readRows(data.length, (i, odd) => {
      const row = readObject(data[i], 'open interest');
      const symbol = readText(row.instId, 'instId');
      const instrument = ours.get(symbol);
      if (!instrument) return undefined;
      const { coin, contractSize = 1 } = instrument;
      const optional = (field: string): number | undefined =>
        readOptional(row[field], `${symbol}.${field}`, readAmount, odd);
      const [oi, oiUsd, mark] = [optional('oi'), optional('oiUsd'), prices.get(symbol)?.mark];
      const coins =
        optional('oiCcy') ??
        roundTo((oi ?? readAmount(row.oi, `${symbol}.oi`)) * contractSize, SIZE_DECIMALS);
      const value = mark === undefined ? oiUsd : coins * mark;
      return {
        coin,
        symbol,
        contracts: oi ?? roundTo(coins / contractSize, SIZE_DECIMALS),
        coins,
        ...(value !== undefined && { value: roundTo(value, 2) }),
        ...(oiUsd !== undefined && { usd: roundTo(oiUsd, 2) }),
      };
    });
    return { openInterest: rows, refused };
  },
};
