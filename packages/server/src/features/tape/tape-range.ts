import { DAY_MS } from '@crosstape/core';
import { Failure } from '../../platform/errors.ts';
import type { Context } from '../context.ts';

/**
 * The range that two parameters give, by default the 24 hours up to now, each for itself as the contract has it. Given
 * under the caller's parameter names, the start first, for the error message.
 */
export function readTapeRange(
  { nowMs }: Context,
  given: Readonly<Record<string, number | undefined>>,
): { readonly from: number; readonly to: number } {
  const [[startName, start], [endName, end]] = Object.entries(given) as [
    [string, number | undefined],
    [string, number | undefined],
  ];
  const to = end ?? nowMs;
  const from = start ?? nowMs - DAY_MS;
  if (from >= to) {
    const written = end === undefined ? `now (${to})` : String(to);
    throw new Failure(
      'bad_request',
      `Parameter \`${startName}\` must be less than \`${endName}\`: ${from} is not less than ${written}.`,
    );
  }
  return { from, to };
}
