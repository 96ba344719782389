const tens: readonly number[] = Array.from({ length: 23 }, (_, n) => 10 ** n);

/** 10^`exponent`. To compute it takes several times as long as to look it up, and every trade needs a few. */
export function tenTo(exponent: number): number {
  return tens[exponent] ?? 10 ** exponent;
}

const POINT = 46;
const ZERO = 48;
const SHORT_MAX = 15;

/**
 * The number of a short decimal text without a sign; NaN for any other, decimal or not. Nearly every price and size is
 * one, and `Number` with a test of the text takes several times as long. Whole numbers below 2^53 and powers of ten up to
 * 10^22 are exact, so their quotient is the same number.
 */
export function shortDecimal(text: string): number {
  const { length } = text;
  if (length === 0 || length > SHORT_MAX) return Number.NaN;
  let units = 0;
  let point = -1;
  for (let i = 0; i < length; i += 1) {
    const code = text.charCodeAt(i);
    if (code >= ZERO && code < ZERO + 10) units = units * 10 + (code - ZERO);
    else if (code === POINT && point < 0 && i > 0) point = i;
    else return Number.NaN;
  }
  if (point < 0) return units;
  return point === length - 1 ? Number.NaN : units / tenTo(length - 1 - point);
}

/**
 * A venue's decimal text as a number. With up to 15 significant digits a number prints exactly the decimals it was read
 * from, so a price or size is unchanged; `.48` is 0.48. `undefined` for anything that is not a plain decimal.
 */
export function parseDecimal(text: unknown): number | undefined {
  if (typeof text !== 'string') return undefined;
  const short = shortDecimal(text);
  if (!Number.isNaN(short)) return short;
  if (!/^-?(\d+(\.\d+)?|\.\d+)$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
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
