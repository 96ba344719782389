import { readNumber, readObject } from '../reading.ts';
import { Declined } from '../venue.ts';

/** `too_many_requests` [D] and `too_many_concurrent_requests` [N]. */
const LIMITED: ReadonlySet<number> = new Set([10_028, 10_066]);

/**
 * What is in the envelope of every answer. A refusal has `error` in the place of `result` and comes with HTTP 200 or 400:
 * ```json
 * {"jsonrpc":"2.0","result":…,"usIn":1794700000000123,"usOut":1794700000000456,"usDiff":333,"testnet":false}
 * {"jsonrpc":"2.0","error":{"code":10028,"message":"too_many_requests"},"testnet":false}
 * ```
 * Shape [D, C].
 * https://docs.deribit.com/articles/errors
 */
export function readResult(body: unknown): unknown {
  const { result, error } = readObject(body, 'answer');
  if (error === undefined) return result;
  const { code, message } = readObject(error, 'error');
  const number = readNumber(code, 'error.code');
  throw new Declined(LIMITED.has(number) ? 'limited' : 'down', `Deribit says ${number}: ${String(message)}`);
}
