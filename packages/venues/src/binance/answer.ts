import { Declined } from '../venue.ts';

/** `TOO_MANY_REQUESTS` and the one for connections [D]. */
const LIMIT_CODES: readonly unknown[] = [-1003, -1034];

/**
 * Any call can be answered with an error instead of its own shape:
 * ```json
 * {"code":-1003,"msg":"Too many requests; current limit of IP(1.2.3.4) is 2400 requests per minute. …"}
 * ```
 * It comes with a status of 4xx or 5xx [D]; clients look for it in a 200 as well [C], and so do we.
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/error-code
 */
export function readAnswer(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const { code, msg } = body as { readonly code?: unknown; readonly msg?: unknown };
  if (typeof code !== 'number' || code >= 0 || typeof msg !== 'string') return body;
  throw new Declined(LIMIT_CODES.includes(code) ? 'limited' : 'down', `The venue says ${code}: ${msg}`);
}
