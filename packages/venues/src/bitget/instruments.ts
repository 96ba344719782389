import type { Instrument } from '@crosstape/core';
import { isGoldToken } from '../gold-tokens.ts';
import { type Fields, readArray, readObject, MOST, readRows, readText, readTick } from '../reading.ts';
import type { Resource } from '../venue.ts';
import { unwrap } from './answer.ts';
import type { Product } from './product.ts';

/**
 * What is listed among the contracts of a product; those in USDC are called `BTCPERP` [C]:
 * ```json
 * {"symbol":"BTCUSDT","baseCoin":"BTC","quoteCoin":"USDT","symbolType":"perpetual","symbolStatus":"normal",
 *  "isRwa":"NO","fundInterval":"8","minTradeNum":"0.001","sizeMultiplier":"0.001","volumePlace":"3",
 *  "pricePlace":"1","priceEndStep":"1","maxLever":"125","launchTime":"","offTime":"-1","deliveryTime":"",…}
 * ```
 * Shape [C]. `symbolStatus` is `normal` while one can trade; the others (`maintain`, `limit_open`, `restrictedAPI`,
 * `off`) are [K]. `isRwa` is `YES` on stocks, metals and currencies [M], on tokens of gold too [L]. `sizeMultiplier` is only the step of an
 * order: sizes are in the base coin, which keeps its prefix (`1000BONK`) [K].
 * https://www.bitget.com/api-doc/contract/market/Get-All-Symbols-Contracts
 */
export function instruments({ type, quote, prefix }: Product): Resource {
  return {
    name: `${prefix}contracts`,
    polled: 'always',
    everyMs: 600_000,
    gives: ['instruments'],
    weight: 1,
    request: { method: 'GET', path: `/api/v2/mix/market/contracts?productType=${type}` },
    parse(body) {
      const contracts = readArray(unwrap(body), 'data');
      const { rows, refused } = readRows(
        contracts.length,
        (i) => parseContract(contracts[i], i, quote),
        MOST,
      );
      return { instruments: rows, refused };
    },
  };
}

function parseContract(row: unknown, i: number, quote: string): Instrument | undefined {
  const contract = readObject(row, `data[${i}]`);
  const symbol = readText(contract.symbol, `data[${i}].symbol`);
  const coin = readText(contract.baseCoin, `${symbol}.baseCoin`);
  const { quoteCoin, symbolType, symbolStatus, isRwa } = contract;
  const isOurs =
    (quoteCoin ?? quote) === quote &&
    (symbolType ?? 'perpetual') === 'perpetual' &&
    (symbolStatus ?? 'normal') === 'normal' &&
    (isRwa !== 'YES' || isGoldToken(coin));
  return isOurs ? { symbol, coin, quote, ...tickOf(contract) } : undefined;
}

/** `priceEndStep` of the last of `pricePlace` decimals: 5 and 1 are steps of 0.5 [C]. */
function tickOf({ priceEndStep, pricePlace }: Fields): { readonly tick?: number } {
  const isWhole = typeof pricePlace === 'string' && /^\d{1,2}$/.test(pricePlace);
  return isWhole && typeof priceEndStep === 'string'
    ? readTick(Number(`${priceEndStep}e-${pricePlace}`))
    : {};
}
