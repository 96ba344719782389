import { type BarBuilder, createBuilder, type Trade, validateSpec } from '@crosstape/core';
import { TickBuffer } from '../../tape/tick-buffer.ts';
import type { RotationRequest } from '../rotation-spec.ts';

/** The expected result of a request, from these trades. */
export function built(trades: readonly Trade[], { kind, params, tick = 1 }: RotationRequest): BarBuilder {
  const check = validateSpec(kind, params, tick);
  if ('error' in check) throw new Error(check.error);
  const builder = createBuilder(check.spec);
  const buffer = new TickBuffer();
  for (const trade of trades) buffer.add(trade);
  builder.add(buffer.columns);
  return builder;
}
