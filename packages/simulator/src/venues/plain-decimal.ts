/** A decimal as most venues print it: no exponent, no needless zeros. */
export function plainDecimal(value: { toFixed(decimals: number): string }, decimalsMax: number): string {
  const text = value.toFixed(decimalsMax);
  const trimmed = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  return trimmed === '-0' ? '0' : trimmed;
}

/** Decimals that give a price this many significant figures; none for a large one. */
export function decimalsFor(price: number, figures: number): number {
  return Math.max(0, figures - 1 - Math.floor(Math.log10(price)));
}
