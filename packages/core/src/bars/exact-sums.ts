import type { OpenBar } from './open-bar.ts';

/**
 * Sums that can exceed 2^53, where a number stops being exact, are two numbers: `carry` × 2^53 + `rest`. The carry of a
 * small sum is 0 and the rest alone is the sum, so that loops use plain numbers.
 */
export const LIMB = 2 ** 53;

const LIMB_EXACT = 2n ** 53n;

/** The sums of a bar in whole numbers without limit. */
export interface ExactSums {
  volume: bigint;
  delta: bigint;
  minDelta: bigint;
  maxDelta: bigint;
  notional: bigint;
  buyNotional: bigint;
}

export function readSums(bar: OpenBar): ExactSums {
  return {
    volume: join(bar.volumeCarry, bar.volume),
    delta: join(bar.deltaCarry, bar.delta),
    minDelta: join(bar.minDeltaCarry, bar.minDelta),
    maxDelta: join(bar.maxDeltaCarry, bar.maxDelta),
    notional: join(bar.notionalCarry, bar.notional),
    buyNotional: join(bar.buyNotionalCarry, bar.buyNotional),
  };
}

export function writeSums(bar: OpenBar, sums: ExactSums): void {
  bar.volumeCarry = carryOf(sums.volume);
  bar.volume = restOf(sums.volume);
  bar.deltaCarry = carryOf(sums.delta);
  bar.delta = restOf(sums.delta);
  bar.minDeltaCarry = carryOf(sums.minDelta);
  bar.minDelta = restOf(sums.minDelta);
  bar.maxDeltaCarry = carryOf(sums.maxDelta);
  bar.maxDelta = restOf(sums.maxDelta);
  bar.notionalCarry = carryOf(sums.notional);
  bar.notional = restOf(sums.notional);
  bar.buyNotionalCarry = carryOf(sums.buyNotional);
  bar.buyNotional = restOf(sums.buyNotional);
}

function join(carry: number, rest: number): bigint {
  return carry === 0 ? BigInt(rest) : BigInt(carry) * LIMB_EXACT + BigInt(rest);
}

function carryOf(value: bigint): number {
  if (isSmall(value)) return 0;
  const carry = Number(value >> 53n);
  if (Number.isSafeInteger(carry)) return carry;
  throw new RangeError('a sum over trades is too large to be kept exactly');
}

function restOf(value: bigint): number {
  return isSmall(value) ? Number(value) : Number(BigInt.asUintN(53, value));
}

function isSmall(value: bigint): boolean {
  return value < LIMB_EXACT && value > -LIMB_EXACT;
}
