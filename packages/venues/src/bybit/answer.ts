import { type Fields, readInteger, readObject } from '../reading.ts';
import { Declined } from '../venue.ts';

/** [D] https://bybit-exchange.github.io/docs/v5/error */
const REFUSALS: Readonly<Record<number, 'limited' | 'blocked'>> = {
  429: 'limited',
  10006: 'limited',
  10018: 'limited',
  // Not served in this region.
  10009: 'blocked',
  10024: 'blocked',
};

/**
 * What is in the envelope of every REST answer; a refusal comes with HTTP 200 as well [D]:
 * ```json
 * {"retCode":0,"retMsg":"OK","result":{…},"retExtInfo":{},"time":1735809771618}
 * {"retCode":10006,"retMsg":"Too many visits!","result":{},"retExtInfo":{},"time":1735809771618}
 * ```
 * https://bybit-exchange.github.io/docs/v5/intro
 */
export function readResult(body: unknown): Fields {
  const { retCode, retMsg, result } = readObject(body, 'answer');
  const code = readInteger(retCode, 'retCode');
  if (code !== 0) throw new Declined(REFUSALS[code] ?? 'down', `Bybit says ${code}: ${String(retMsg)}`);
  return readObject(result, 'result');
}
