import { type Fields, readArray, readObject } from '../reading.ts';
import { Declined } from '../venue.ts';

/** `EGeneral:Too many requests`, `EAPI:Rate limit exceeded`, `EService: Throttled: 1663942000` [D]. */
const LIMITED = /Too many requests|Rate limit exceeded|Throttled/;

/**
 * The envelope of every answer, a refusal's as well, with HTTP 200 [D]:
 * ```json
 * {"error":[],"result":{…}}
 * {"error":["EGeneral:Too many requests"]}
 * ```
 * https://docs.kraken.com/api/docs/guides/spot-errors
 */
export function readAnswer(body: unknown): Fields {
  const { error, result } = readObject(body, 'answer');
  const errors = readArray(error ?? [], 'error').map(String);
  if (errors.length === 0) return readObject(result, 'result');
  const why = errors.join(', ');
  throw new Declined(LIMITED.test(why) ? 'limited' : 'down', `The venue says: ${why}`);
}
