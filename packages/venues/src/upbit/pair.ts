/** `KRW-BTC`, the currency first, is a bitcoin in won; `undefined` of any other market. */
export function coinOfPair(market: string): string | undefined {
  return /^KRW-([^-]+)$/.exec(market)?.[1];
}
