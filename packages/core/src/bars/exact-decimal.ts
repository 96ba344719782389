/** An exact decimal: `digits` / 10^`decimals`. */
export interface ExactDecimal {
  readonly digits: bigint;
  readonly decimals: number;
}

/** A number as the exact decimal that it prints. */
export function exactDecimal(value: number): ExactDecimal {
  if (!Number.isFinite(value)) throw new RangeError(`${value} is not a decimal`);
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = BigInt(whole + fraction);
  const decimals = fraction.length - Number(exponent);
  return decimals < 0 ? { digits: digits * powerOfTen(-decimals), decimals: 0 } : { digits, decimals };
}

export function timesExact(value: ExactDecimal, count: number): ExactDecimal {
  return { digits: value.digits * BigInt(count), decimals: value.decimals };
}

/** The greatest whole number of 10^-`decimals` that is not above a value of 0 or more. */
export function floorAt(value: ExactDecimal, decimals: number): bigint {
  const shift = decimals - value.decimals;
  return shift >= 0 ? value.digits * powerOfTen(shift) : value.digits / powerOfTen(-shift);
}

/** The least whole number of 10^-`decimals` that is not below a value of 0 or more. */
export function ceilAt(value: ExactDecimal, decimals: number): bigint {
  const floor = floorAt(value, decimals);
  const isWhole = value.digits * powerOfTen(decimals) === floor * powerOfTen(value.decimals);
  return isWhole ? floor : floor + 1n;
}

/** A bigint as a number; Infinity above 2^53, which no price or size reaches. */
export function reachable(value: bigint): number {
  return value > Number.MAX_SAFE_INTEGER ? Infinity : Number(value);
}

/** The number that is nearest to `value` / 10^`decimals`, rounded once. */
export function nearestNumber(value: bigint, decimals: number): number {
  return Number(`${value}e-${decimals}`);
}

export function powerOfTen(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}
