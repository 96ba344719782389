import { Reply, type Question } from '../wire.ts';

/** How long the venue takes, in microseconds. */
const TAKES_US = 187;

/** `{"jsonrpc":"2.0","result":…,"usIn":1794700000000123,"usOut":1794700000000310,"usDiff":187,"testnet":false}` [D, C] */
export function success({ nowMs }: Question, result: unknown): Reply {
  return new Reply({ jsonrpc: '2.0', result, ...timing(nowMs) });
}

/** `{"jsonrpc":"2.0","error":{"code":-32602,"message":"Invalid params","data":{…}},…}` [D, C], with HTTP 400 [K]. */
export function invalid({ nowMs }: Question, param: string, reason: string): Reply {
  const error = { code: -32_602, message: 'Invalid params', data: { reason, param } };
  return new Reply({ jsonrpc: '2.0', error, ...timing(nowMs) }, 400);
}

function timing(nowMs: number): object {
  const usIn = nowMs * 1_000;
  return { usIn, usOut: usIn + TAKES_US, usDiff: TAKES_US, testnet: false };
}
