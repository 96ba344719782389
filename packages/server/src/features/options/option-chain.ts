import { optionBooks, type OptionQuote, type OptionTables } from '@crosstape/core';

/** The venue whose options are served. */
export const optionsVenueId = 'deribit';

export const optionCoins = ['BTC', 'ETH', 'SOL', 'XRP'] as const;

export const optionTables = optionBooks.map((book) => `${book}Options` as const);

/** The served books of options on a coin: those of BTC and ETH that settle in USDC are few, and are not served. */
export function tableOfChain(coin: string): keyof OptionTables {
  if (coin === 'BTC') return 'btcOptions';
  return coin === 'ETH' ? 'ethOptions' : 'usdcOptions';
}

/** The options on a coin that have not expired, by expiry and strike, calls first. */
export function optionsOfChain(
  options: readonly OptionQuote[],
  coin: string,
  atMs: number,
): readonly OptionQuote[] {
  return options
    .filter((one) => one.coin === coin && one.expiryMs > atMs)
    .toSorted((a, b) => a.expiryMs - b.expiryMs || a.strike - b.strike || (a.type < b.type ? -1 : 1));
}
