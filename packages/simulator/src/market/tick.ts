/**
 * Prices and sizes as whole numbers: a price in units of 10^-(6 - sizeDecimals), a size in lots of 10^-sizeDecimals.
 * https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/tick-and-lot-size
 */
export function priceDecimals(sizeDecimals: number): number {
  return 6 - sizeDecimals;
}

/** The price step at a scaled price: five significant figures, but never more than a whole dollar. */
export function tickAt(price: number, dollar: number): number {
  if (price < 100_000) return 1;
  const tick = price < 1e6 ? 10 : price < 1e7 ? 100 : price < 1e8 ? 1000 : 10_000;
  return tick < dollar ? tick : dollar;
}

/** The lowest legal price that is not below a price. */
export function legalAbove(price: number, dollar: number): number {
  const tick = tickAt(price, dollar);
  return Math.ceil(price / tick) * tick;
}

/** The highest legal price that is not above a price. */
export function legalBelow(price: number, dollar: number): number {
  const tick = tickAt(price, dollar);
  return Math.floor(price / tick) * tick;
}

/** The next legal price above a legal one. */
export function priceAbove(price: number, dollar: number): number {
  return price + tickAt(price, dollar);
}

/** The next legal price below a legal one; the step changes at a power of ten. */
export function priceBelow(price: number, dollar: number): number {
  return price - tickAt(price - 1, dollar);
}
