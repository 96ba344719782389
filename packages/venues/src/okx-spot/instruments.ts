import type { Instrument } from '@crosstape/core';
import { readAnswer } from '../okx/answer.ts';
import { readObject, MOST, readRows, readText, readTick } from '../reading.ts';
import type { Resource } from '../venue.ts';
import { splitInstId } from './inst-id.ts';

/**
 * Every pair; what concerns contracts is empty [D]:
 * ```json
 * {"code":"0","msg":"","data":[{"instType":"SPOT","instId":"BTC-USDT","uly":"","instFamily":"","baseCcy":"BTC",
 *   "quoteCcy":"USDT","settleCcy":"","ctVal":"","ctMult":"","ctValCcy":"","optType":"","stk":"",
 *   "listTime":"1548133413000","expTime":"","lever":"10","tickSz":"0.1","lotSz":"0.00000001","minSz":"0.00001",
 *   "ctType":"","state":"live","ruleType":"normal"}]}
 * ```
 * https://www.okx.com/docs-v5/en/#public-data-rest-api-get-instruments
 */
export const instruments: Resource = {
  name: 'instruments',
  polled: 'always',
  everyMs: 600_000,
  gives: ['instruments'],
  weight: 1,
  request: { method: 'GET', path: '/api/v5/public/instruments?instType=SPOT' },
  parse(body) {
    const list = readAnswer(body);
    const { rows, refused } = readRows(list.length, (i) => parsePair(list[i], `data[${i}]`), MOST);
    return { instruments: rows, refused };
  },
};

function parsePair(row: unknown, what: string): Instrument | undefined {
  const listed = readObject(row, what);
  const symbol = readText(listed.instId, `${what}.instId`);
  const pair = splitInstId(symbol);
  if (!pair || (listed.state ?? 'live') !== 'live') return undefined;
  return { ...pair, symbol, ...readTick(listed.tickSz) };
}
