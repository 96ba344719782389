import { readInteger, readObject } from '../reading.ts';
import { Declined } from '../venue.ts';

/** Why there are no data, by the venue's code [C]; any other one means that it cannot answer now. */
const REASONS: ReadonlyMap<number, Declined['status']> = new Map([
  [429, 'limited'],
  [510, 'limited'],
  [403, 'blocked'],
  [406, 'blocked'],
  [511, 'blocked'],
]);
const UNKNOWN_CONTRACT = 1001;

/**
 * The envelope of every answer. A refusal comes with HTTP 200 and a code:
 * ```json
 * {"success":true,"code":0,"data":…}
 * {"success":false,"code":510,"message":"Requests are too frequent, please try again later"}
 * ```
 * Shape [C].
 * https://www.mexc.com/api-docs/futures/error-code
 */
export function readAnswer(body: unknown): unknown {
  const { code, data, message } = readObject(body, 'answer');
  const number = readInteger(code, 'answer.code');
  if (number === 0) return data;
  throw new Declined(REASONS.get(number) ?? 'down', `The venue says ${number}: ${String(message)}`);
}

/** Whether the contract that was requested is no longer there. */
export function isUnknownContract(body: unknown): boolean {
  return readObject(body, 'answer').code === UNKNOWN_CONTRACT;
}
