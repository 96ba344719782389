import type { Instrument } from '@crosstape/core';
import { roundTo } from '@crosstape/core';
import { isGoldToken } from '../gold-tokens.ts';
import { readObject, readPositiveDecimal, MOST, readRows, readText, readTick } from '../reading.ts';
import { Malformed, type Resource } from '../venue.ts';
import { readAnswer } from './answer.ts';

const SETTLED_IN: ReadonlySet<unknown> = new Set(['USDT', 'USDC']);
/** `1` is crypto; `3` to `6` are stocks, commodities, forex and bonds; older answers have no category [C, N]. */
const CRYPTO = '1';
const SIZE_DECIMALS = 12;

/**
 * Every swap that the venue knows, those not yet or no longer trading too:
 * ```json
 * {"alias":"","baseCcy":"","category":"1","ctMult":"1","ctType":"linear","ctVal":"0.1","ctValCcy":"ETH","expTime":"",
 *  "instCategory":"1","instFamily":"ETH-USDT","instId":"ETH-USDT-SWAP","instType":"SWAP","lever":"100",
 *  "listTime":"1611916828000","lotSz":"0.01","minSz":"0.01","quoteCcy":"","ruleType":"normal","settleCcy":"USDT",
 *  "state":"live","tickSz":"0.01","uly":"ETH-USDT"}
 * {"instId":"NEW-USDT-SWAP","instType":"SWAP","state":"preopen"}
 * ```
 * A contract is `ctVal` × `ctMult` of `ctValCcy`, which is the base of a linear swap. `baseCcy` is empty: the base is
 * the first part of `uly`. Older answers have no `ruleType` [L]; other absent fields follow from the id. Shape [C, N];
 * 20 requests in 2 s [M, N].
 * https://www.okx.com/docs-v5/en/#public-data-rest-api-get-instruments
 */
export const instruments: Resource = {
  name: 'instruments',
  polled: 'always',
  everyMs: 600_000,
  gives: ['instruments'],
  weight: 1,
  request: { method: 'GET', path: '/api/v5/public/instruments?instType=SWAP' },
  parse(body) {
    const listings = readAnswer(body);
    const { rows, refused } = readRows(listings.length, (i) => parseListing(listings[i]), MOST);
    return { instruments: rows, refused };
  },
};

function parseListing(row: unknown): Instrument | undefined {
  const listing = readObject(row, 'instrument');
  const symbol = readText(listing.instId, 'instId');
  const [base, quote] = symbol.split('-');
  const { state, ruleType, ctType, settleCcy, instCategory, uly, ctValCcy } = listing;
  if ((state ?? 'live') !== 'live' || (ruleType ?? 'normal') !== 'normal') return undefined;
  if ((ctType ?? 'linear') !== 'linear' || !SETTLED_IN.has(settleCcy ?? quote)) return undefined;
  const coin = readText(uly ? readText(uly, `${symbol}.uly`).split('-')[0] : base, `${symbol}.uly`);
  if ((instCategory ?? CRYPTO) !== CRYPTO && !isGoldToken(coin)) return undefined;
  if ((ctValCcy ?? coin) !== coin)
    throw new Malformed(`${symbol} is counted in ${String(ctValCcy)}, not ${coin}`);
  const value = readPositiveDecimal(listing.ctVal, `${symbol}.ctVal`);
  const multiplier = readPositiveDecimal(listing.ctMult ?? '1', `${symbol}.ctMult`);
  const settledIn = readText(settleCcy ?? quote, `${symbol}.settleCcy`);
  const contractSize = roundTo(value * multiplier, SIZE_DECIMALS);
  return { symbol, coin, quote: settledIn, contractSize, ...readTick(listing.tickSz) };
}
