import { type Fields, readArray, readObject } from '../reading.ts';
import { Declined, Malformed } from '../venue.ts';

/** Rate limit reached, systems busy, operation too frequent [K for the last two]. */
const LIMITED = new Set(['50011', '50013', '50040']);
const UNKNOWN_INSTRUMENT = '51001';

/**
 * The envelope of every answer. `code` is `"0"` or the reason why there are no data, with HTTP 200 for most of them:
 * ```json
 * {"code":"0","msg":"","data":[…]}
 * {"code":"51001","msg":"Instrument ID, Instrument ID code, or Spread ID doesn't exist.","data":[]}
 * ```
 * Shape [C, N].
 * https://www.okx.com/docs-v5/en/#error-code
 */
export function readAnswer(body: unknown): readonly unknown[] {
  const answer = readObject(body, 'answer');
  if (answer.code === '0') return readArray(answer.data, 'data');
  throw declined(answer);
}

/** The same for a question about one instrument: `undefined` when it is no longer there. */
export function readAnswerOfOne(body: unknown): readonly unknown[] | undefined {
  return readObject(body, 'answer').code === UNKNOWN_INSTRUMENT ? undefined : readAnswer(body);
}

function declined({ code, msg }: Fields): Error {
  // Text is what the wire has; anything else is not the venue speaking.
  if (typeof code !== 'string') return new Malformed(`answer.code is not a text: ${JSON.stringify(code)}`);
  return new Declined(LIMITED.has(code) ? 'limited' : 'down', `The venue says ${code}: ${String(msg)}`);
}
