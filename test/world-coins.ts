/** For worlds of the primary venue, where each costs time: large and small coins, and one that is counted in thousands. */
export const fewCoins = ['BTC', 'ETH', 'SOL', 'kPEPE'] as const;

/** For worlds of several venues: some name these as well, whatever is listed. */
export const coinsOfVenues = [...fewCoins, 'XRP', 'HYPE', 'DOGE', 'LINK', 'BNB', 'TRX', 'MKR'] as const;
