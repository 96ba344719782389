import type { TickColumns } from '../ticks/tick-columns.ts';
import type { BarParam, BarRule } from './bar-kind.ts';
import { ceilAt, exactDecimal } from './exact-decimal.ts';
import { readSums } from './exact-sums.ts';
import type { OpenBar } from './open-bar.ts';

/** The unit of a threshold on a sum. */
export const unitParam: BarParam = {
  name: 'unit',
  description: 'Unit of the threshold: `base` counts coins, `usd` price × size',
  type: 'choice',
  choices: ['base', 'usd'],
  default: 'base',
};

export interface SumScanOptions {
  readonly threshold: number;
  readonly isUsd: boolean;
  /** Sells count against buys, and the sum may reach the threshold on either side of 0. */
  readonly isSigned: boolean;
}

/**
 * Up to here plain numbers decide exactly: before each trade the sum is below the threshold, so an addition that is
 * rounded, because it passes 2^53, is far above it.
 */
const PLAIN_THRESHOLD_MAX = 2 ** 51;

/** A rule that closes a bar when a running sum over its trades reaches a threshold. */
export function createSumScan({ threshold, isUsd, isSigned }: SumScanOptions): BarRule {
  const exact = exactDecimal(threshold);
  let limitExact = 0n;
  let limit = 0;

  const sumOf = (bar: OpenBar): bigint => {
    const { volume, delta, notional, buyNotional } = readSums(bar);
    if (isUsd) return isSigned ? 2n * buyNotional - notional : notional;
    return isSigned ? delta : volume;
  };

  const scanPlain = (bar: OpenBar, { price, size, isBuy }: TickColumns, from: number, to: number): number => {
    let sum = bar.trades === 0 ? 0 : Number(sumOf(bar));
    for (let i = from; i < to; i += 1) {
      let amount = size[i]!;
      if (isUsd) amount *= price[i]!;
      if (isSigned) amount *= 2 * isBuy[i]! - 1;
      sum += amount;
      if (sum >= limit || sum <= -limit) {
        bar.isClosed = true;
        return i + 1;
      }
    }
    return to;
  };

  const scanExact = (bar: OpenBar, { price, size, isBuy }: TickColumns, from: number, to: number): number => {
    let sum = sumOf(bar);
    for (let i = from; i < to; i += 1) {
      let amount = BigInt(size[i]!);
      if (isUsd) amount *= BigInt(price[i]!);
      sum += isSigned && isBuy[i] === 0 ? -amount : amount;
      if (sum >= limitExact || sum <= -limitExact) {
        bar.isClosed = true;
        return i + 1;
      }
    }
    return to;
  };

  return {
    rescale({ priceDecimals, sizeDecimals }) {
      limitExact = ceilAt(exact, isUsd ? priceDecimals + sizeDecimals : sizeDecimals);
      limit = Number(limitExact);
    },
    scan(bar, ticks, from, to) {
      return limit > PLAIN_THRESHOLD_MAX ? scanExact(bar, ticks, from, to) : scanPlain(bar, ticks, from, to);
    },
  };
}
