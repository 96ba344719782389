/**
 * A venue's decimal text as a number. Up to 15 significant digits a number prints back the very decimals it was
 * read from, so a price or size survives unchanged; `.48` is 0.48. `undefined` for anything that is not a plain decimal.
 */
export function parseDecimal(text: unknown): number | undefined {
  if (typeof text !== 'string' || !/^-?(\d+(\.\d+)?|\.\d+)$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** Rounds away the noise of float arithmetic: a derived value with at most `decimals` decimals. */
export function roundTo(value: number, decimals: number): number {
  const scale = 10 ** decimals;
  const scaled = value * scale;
  return Math.abs(scaled) < Number.MAX_SAFE_INTEGER ? Math.round(scaled) / scale : value;
}

const NOTIONAL_DECIMALS = 6;

/** What a trade is worth, to a millionth of a dollar. */
export function notionalUsdOf(price: number, size: number): number {
  return roundTo(price * size, NOTIONAL_DECIMALS);
}
