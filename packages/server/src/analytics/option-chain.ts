import type { OptionQuote } from '@crosstape/core';

/** Whose options are served. */
export const optionsVenueId = 'deribit';

export const optionCoins = ['BTC', 'ETH', 'SOL', 'XRP'] as const;

/** Coins whose options settle in themselves; a few of theirs settle in USDC, and those are not served. */
const inverseCoins: ReadonlySet<string> = new Set(['BTC', 'ETH']);

/** The options on a coin that have not expired: those of the one book that is served, by expiry and strike, calls first. */
export function optionsOfChain(
  options: readonly OptionQuote[],
  coin: string,
  atMs: number,
): readonly OptionQuote[] {
  const isLinear = !inverseCoins.has(coin);
  return options
    .filter((one) => one.coin === coin && one.isLinear === isLinear && one.expiryMs > atMs)
    .toSorted((a, b) => a.expiryMs - b.expiryMs || a.strike - b.strike || (a.type < b.type ? -1 : 1));
}
