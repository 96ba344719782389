import { type Fields, readObject } from '../reading.ts';
import { Declined, Malformed } from '../venue.ts';

/**
 * Every answer says how it went, with HTTP 200 either way [D]:
 * ```json
 * {"result":"success","tickers":[…],"serverTime":"2026-09-18T06:25:37.000Z"}
 * {"result":"error","error":"apiLimitExceeded","serverTime":"2016-02-25T09:45:53.818Z"}
 * ```
 * https://docs.kraken.com/api/docs/futures-api/trading/get-tickers
 */
export function readAnswer(body: unknown): Fields {
  const answer = readObject(body, 'answer');
  if (answer.result === 'error') {
    const error = String(answer.error);
    throw new Declined(error === 'apiLimitExceeded' ? 'limited' : 'down', `The venue says: ${error}`);
  }
  if ((answer.result ?? 'success') !== 'success') {
    throw new Malformed(`result is neither success nor error: ${String(answer.result)}`);
  }
  return answer;
}
