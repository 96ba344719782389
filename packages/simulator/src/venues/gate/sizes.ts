import type { IncomingHttpHeaders } from 'node:http';

/** How a count of contracts is sent: `"124.5"` to clients that ask for decimals, else the whole number 124 [D]. */
export type PrintCount = (contracts: number) => string | number;

export function countPrinter(headers: IncomingHttpHeaders): PrintCount {
  return headers['x-gate-size-decimal'] === '1' ? String : Math.trunc;
}
