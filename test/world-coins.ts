/** For worlds of the primary venue: large and small coins, and one that is counted in thousands. */
export const fewCoins = ['BTC', 'ETH', 'SOL', 'XRP', 'HYPE', 'DOGE', 'kPEPE', 'LINK'] as const;

/** For worlds of several venues: some name these as well, whatever is listed. */
export const coinsOfVenues = [...fewCoins, 'BNB', 'TRX', 'MKR'] as const;
