import type { Instrument } from '@crosstape/core';
import { usualName } from '../coin-aliases.ts';
import { readObject, MOST, readRows, readText, readTick } from '../reading.ts';
import { DOLLARS } from '../spot-pairs.ts';
import type { Resource } from '../venue.ts';
import { readAnswer } from './answer.ts';

/**
 * Every pair under the name by which the other calls answer, whatever they were asked by [D]:
 * ```json
 * {"error":[],"result":{"XXBTZUSD":{"altname":"XBTUSD","wsname":"XBT/USD","aclass_base":"currency","base":"XXBT",
 *   "aclass_quote":"currency","quote":"ZUSD","lot":"unit","cost_decimals":5,"pair_decimals":1,"lot_decimals":8,
 *   "lot_multiplier":1,"ordermin":"0.00005","costmin":"0.5","tick_size":"0.1","status":"online",…}}}
 * ```
 * `wsname` is the spelling of the first version of its sockets; the second spells coins plainly (`BTC/USD`).
 * https://docs.kraken.com/api/docs/rest-api/get-tradable-asset-pairs
 */
export const assetPairs: Resource = {
  name: 'asset-pairs',
  polled: 'always',
  everyMs: 600_000,
  gives: ['instruments'],
  weight: 1,
  request: { method: 'GET', path: '/0/public/AssetPairs' },
  parse(body) {
    const pairs = Object.entries(readAnswer(body));
    const { rows, refused } = readRows(
      pairs.length,
      (i) => {
        const [symbol = '', pair] = pairs[i] ?? [];
        return parsePair(symbol, pair);
      },
      MOST,
    );
    return { instruments: rows, refused };
  },
};

function parsePair(symbol: string, row: unknown): Instrument | undefined {
  const pair = readObject(row, symbol);
  const [base = '', quote = ''] = readText(pair.wsname, `${symbol}.wsname`).split('/');
  if ((pair.status ?? 'online') !== 'online' || base === '' || !DOLLARS.has(quote)) return undefined;
  const coin = usualName(base);
  return { symbol, quote, coin, streamSymbol: `${coin}/${quote}`, ...readTick(pair.tick_size) };
}
