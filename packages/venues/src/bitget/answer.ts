import { readObject, readText } from '../reading.ts';
import { Declined } from '../venue.ts';

const SUCCESS = '00000';

/** Codes that say when to come back rather than what is wrong with the question [C]. */
const STATUS_BY_CODE: Readonly<Record<string, 'limited' | 'blocked'>> = {
  '429': 'limited',
  '1001': 'limited',
  '50009': 'limited',
  '403': 'blocked',
};

/**
 * Every answer comes in an envelope, refusals also with HTTP 200 [C]:
 * ```json
 * {"code":"00000","msg":"success","requestTime":1700533773477,"data":[…]}
 * {"code":"429","msg":"Too Many Requests","requestTime":1700533773477,"data":null}
 * ```
 * https://www.bitget.com/api-doc/common/error-code/restapi
 */
export function unwrap(body: unknown): unknown {
  const answer = readObject(body, 'answer');
  const code = readText(answer.code, 'answer.code');
  if (code === SUCCESS) return answer.data;
  throw new Declined(STATUS_BY_CODE[code] ?? 'down', `the venue says ${code}: ${String(answer.msg)}`);
}
