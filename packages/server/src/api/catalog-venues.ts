/** The ids of the catalog, in its order: what `exchange` may be. */
export const catalogVenueIds = [
  'hyperliquid',
  'bybit',
  'okx',
  'binance',
  'bitget',
  'gate',
  'mexc',
  'dydx',
  'kraken',
  'deribit',
  'polymarket',
  'coinbase',
  'cme',
] as const;
