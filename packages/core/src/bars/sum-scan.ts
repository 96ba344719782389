import type { BarParam, BarRule, RuleTicks } from './bar-kind.ts';
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
  /** Sells count negative, and the sum may reach the threshold on either side of 0. */
  readonly isSigned: boolean;
}

/**
 * Up to here plain numbers decide exactly: before each trade the sum is below the threshold, so an addition that is
 * rounded, because it exceeds 2^53, is far above it.
 */
const PLAIN_THRESHOLD_MAX = 2 ** 51;

/** A rule that closes a bar when a running sum over its trades reaches a threshold. */
export function createSumScan({ threshold, isUsd, isSigned }: SumScanOptions): BarRule {
  const exact = exactDecimal(threshold);
  const scanPlain = isSigned ? (isUsd ? scanUsdDelta : scanDelta) : isUsd ? scanUsd : scanVolume;
  let limitExact = 0n;
  let limit = 0;

  const sumOf = (bar: OpenBar): bigint => {
    const { volume, delta, notional, buyNotional } = readSums(bar);
    if (isUsd) return isSigned ? 2n * buyNotional - notional : notional;
    return isSigned ? delta : volume;
  };

  const scanExact = (bar: OpenBar, { price, size, isBuy }: RuleTicks, from: number, to: number): number => {
    let sum = sumOf(bar);
    for (let i = from; i < to; i += 1) {
      const amount = BigInt(size[i]!) * (isUsd ? BigInt(price[i]!) : 1n);
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
      if (limit > PLAIN_THRESHOLD_MAX) return scanExact(bar, ticks, from, to);
      const sum = bar.trades === 0 ? 0 : Number(sumOf(bar));
      const end = scanPlain(ticks, from, to, sum, limit);
      bar.isClosed = end <= to;
      return Math.min(end, to);
    },
  };
}

/*
 * The same loop for each sum, because a choice within it costs as much as the sum. They return the index after the
 * trade with which the sum reaches the limit, and one more than `to` where it does not.
 */

function scanVolume({ size }: RuleTicks, from: number, to: number, start: number, limit: number): number {
  let sum = start;
  for (let i = from; i < to; i += 1) {
    sum += size[i]!;
    if (sum >= limit) return i + 1;
  }
  return to + 1;
}

function scanUsd({ price, size }: RuleTicks, from: number, to: number, start: number, limit: number): number {
  let sum = start;
  for (let i = from; i < to; i += 1) {
    sum += price[i]! * size[i]!;
    if (sum >= limit) return i + 1;
  }
  return to + 1;
}

function scanDelta(
  { size, isBuy }: RuleTicks,
  from: number,
  to: number,
  start: number,
  limit: number,
): number {
  let sum = start;
  for (let i = from; i < to; i += 1) {
    sum += size[i]! * (2 * isBuy[i]! - 1);
    if (sum >= limit || sum <= -limit) return i + 1;
  }
  return to + 1;
}

function scanUsdDelta(ticks: RuleTicks, from: number, to: number, start: number, limit: number): number {
  const { price, size, isBuy } = ticks;
  let sum = start;
  for (let i = from; i < to; i += 1) {
    sum += price[i]! * size[i]! * (2 * isBuy[i]! - 1);
    if (sum >= limit || sum <= -limit) return i + 1;
  }
  return to + 1;
}
