/** The venues of perpetuals, the primary one first, and what fits above a narrow column. */
export const perpVenues = [
  { id: 'hyperliquid', name: 'Hyperliquid', short: 'HL' },
  { id: 'binance', name: 'Binance', short: 'Binance' },
  { id: 'bybit', name: 'Bybit', short: 'Bybit' },
  { id: 'okx', name: 'OKX', short: 'OKX' },
  { id: 'bitget', name: 'Bitget', short: 'Bitget' },
  { id: 'gate', name: 'Gate', short: 'Gate' },
  { id: 'mexc', name: 'MEXC', short: 'MEXC' },
  { id: 'kraken', name: 'Kraken', short: 'Kraken' },
  { id: 'dydx', name: 'dYdX', short: 'dYdX' },
] as const;

export const perpVenueIds = perpVenues.map(({ id }) => id);

export const HOURS_PER_YEAR = 8_760;
