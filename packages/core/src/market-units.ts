import { exactDecimal, type ExactDecimal } from './bars/exact-decimal.ts';
import type { Market } from './market.ts';
import { firstTickAt, type TickColumns } from './ticks/tick-columns.ts';

/** The units of a market's sizes and prices. */
export type MarketUnits = Pick<Market, 'contractSize' | 'scale' | 'unitsBefore'>;

/** The units of a market, without the rest. */
export function unitsOf({ contractSize, scale, unitsBefore }: MarketUnits): MarketUnits {
  return { contractSize, scale, ...(unitsBefore && { unitsBefore }) };
}

/** The units of trades at a time. */
export function unitsAt(units: MarketUnits, ts: number): MarketUnits {
  return units.unitsBefore?.find(({ untilMs }) => ts < untilMs) ?? units;
}

/** Sizes are multiplied by `digits` / 10^`decimals`, prices by 10^`priceZeros`. Negative exponents divide. */
interface Factors {
  readonly digits: bigint;
  readonly decimals: number;
  readonly priceZeros: number;
}

/** By units: every written batch of a market's trades has the same. */
const known = new WeakMap<Pick<MarketUnits, 'contractSize' | 'scale'>, Factors>();

function factorsOf(units: Pick<MarketUnits, 'contractSize' | 'scale'>): Factors {
  let factors = known.get(units);
  if (!factors) known.set(units, (factors = readFactors(units)));
  return factors;
}

function readFactors({ contractSize, scale }: Pick<MarketUnits, 'contractSize' | 'scale'>): Factors {
  const priceZeros = Math.round(Math.log10(scale));
  if (!(contractSize > 0) || !(Math.abs(10 ** priceZeros / scale - 1) < 1e-9))
    throw new RangeError(`no unit of ${contractSize} with a scale of ${scale}`);
  let { digits, decimals } = exactDecimal(contractSize);
  for (; digits % 10n === 0n; digits /= 10n) decimals -= 1;
  return { digits, decimals: decimals + priceZeros, priceZeros };
}

/** Factor from sizes of a market to coins; negative decimals append zeros. */
export function sizeFactorOf(units: MarketUnits): ExactDecimal {
  const { digits, decimals } = factorsOf(units);
  return { digits, decimals };
}

/**
 * Converts the venue's price and size to the primary venue's coins, exactly; price × size × contract size stays the
 * same.
 */
export interface CoinUnits {
  price(venuePrice: number): number;
  size(venueSize: number): number;
}

/** Exact if the result has at most 15 significant digits; otherwise the nearest number. */
export function coinUnitsOf(units: MarketUnits): CoinUnits {
  const { digits, decimals, priceZeros } = factorsOf(units);
  const times = (value: number, by: bigint, zeros: number): number => {
    if (by === 1n && zeros === 0) return value;
    const text = String(value);
    // Only the point moves, for most markets. Infinity and exponents are left to what follows.
    if (by === 1n && /^[\d.]+$/.test(text)) return Number(`${text}e${zeros}`);
    const exact = exactDecimal(value);
    return Number(`${exact.digits * by}e${zeros - exact.decimals}`);
  };
  return {
    price: (value) => times(value, 1n, priceZeros),
    size: (value) => times(value, digits, -decimals),
  };
}

/** Larger numbers are not exact in a column. */
const WHOLE_MAX = Number.MAX_SAFE_INTEGER;

/**
 * Converts columns of a market's own prices and sizes to the primary venue's coins, each trade from the units of its
 * time. Unchanged columns are shared with the input. Throws a RangeError when a value would exceed 2^53.
 */
export function columnsInCoins<Columns extends Omit<TickColumns, 'sameOrder'>>(
  columns: Columns,
  units: MarketUnits,
): Columns {
  if (units.contractSize === 1 && units.scale === 1 && units.unitsBefore === undefined) return columns;
  const parts = partsOf(columns, units).map(({ to, factors: { digits, decimals, priceZeros } }) => ({
    price: { to, times: 1, decimals: columns.priceDecimals - priceZeros },
    size: { to, times: Number(digits), decimals: columns.sizeDecimals + decimals },
  }));
  const price = shifted(
    columns.price,
    parts.map((part) => part.price),
  );
  const size = shifted(
    columns.size,
    parts.map((part) => part.size),
  );
  return {
    ...columns,
    price: price.values,
    priceDecimals: price.decimals,
    size: size.values,
    sizeDecimals: size.decimals,
  };
}

/** Where the trades of each unit end. */
function partsOf(
  columns: Pick<TickColumns, 'ts' | 'length'>,
  newest: MarketUnits,
): readonly { readonly to: number; readonly factors: Factors }[] {
  const parts: { to: number; factors: Factors }[] = [];
  for (const units of newest.unitsBefore ?? []) {
    const to = firstTickAt(columns, units.untilMs);
    if (to > (parts.at(-1)?.to ?? 0)) parts.push({ to, factors: factorsOf(units) });
  }
  const { length } = columns;
  if (parts.at(-1)?.to !== length) parts.push({ to: length, factors: factorsOf(newest) });
  return parts;
}

/** Trades up to the position `to`: `values` × `times` as integers of 10^-`decimals`. */
interface Shift {
  readonly to: number;
  readonly times: number;
  readonly decimals: number;
}

/** The values of all parts with the same decimals, not below 0: zeros are appended instead. */
function shifted(
  values: Float64Array,
  parts: readonly Shift[],
): { readonly values: Float64Array; readonly decimals: number } {
  const decimals = Math.max(0, ...parts.map((part) => part.decimals));
  const factorOf = (part: Shift): number => part.times * 10 ** (decimals - part.decimals);
  if (parts.every((part) => factorOf(part) === 1)) return { values, decimals };
  const result = new Float64Array(parts.at(-1)!.to);
  let i = 0;
  for (const part of parts) {
    const factor = factorOf(part);
    for (; i < part.to; i += 1) {
      const value = values[i]! * factor;
      if (value > WHOLE_MAX) throw new RangeError(`trade ${i}: ${value} is above 2^53`);
      result[i] = value;
    }
  }
  return { values: result, decimals };
}
