/**
 * A venue's decimal text as a number. With up to 15 significant digits a number prints exactly the decimals it was read
 * from, so a price or size is unchanged; `.48` is 0.48. `undefined` for anything that is not a plain decimal.
 */
export function parseDecimal(text: unknown): number | undefined {
  if (typeof text !== 'string' || !/^-?(\d+(\.\d+)?|\.\d+)$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

const tens: readonly number[] = Array.from({ length: 23 }, (_, n) => 10 ** n);

/** 10^`exponent`. To compute it takes several times as long as to look it up, and every trade needs a few. */
export function tenTo(exponent: number): number {
  return tens[exponent] ?? 10 ** exponent;
}

/** Rounds away floating-point noise: a derived value with at most `decimals` decimals. */
export function roundTo(value: number, decimals: number): number {
  const scale = tenTo(decimals);
  const scaled = value * scale;
  return Math.abs(scaled) < Number.MAX_SAFE_INTEGER ? Math.round(scaled) / scale : value;
}

const NOTIONAL_DECIMALS = 6;

/** The value of a trade, to a millionth of a dollar. */
export function notionalUsdOf(price: number, size: number): number {
  return roundTo(price * size, NOTIONAL_DECIMALS);
}
