// Made by `npm run generate` from packages/venues.
export const perpVenues = [
  "hyperliquid",
  "bybit",
  "okx",
  "binance",
  "bitget",
  "gate",
  "mexc",
  "dydx",
  "kraken"
] as const;

/** Report open interest in USD only, and have no recorded history of it. */
export const usdOnlyVenues: readonly string[] = [
  "bitget",
  "gate",
  "mexc"
];

export const venueNames: Readonly<Record<string, string>> = {
  "hyperliquid": "Hyperliquid",
  "bybit": "Bybit",
  "okx": "OKX",
  "binance": "Binance",
  "bitget": "Bitget",
  "gate": "Gate",
  "mexc": "MEXC",
  "dydx": "dYdX",
  "kraken": "Kraken",
  "deribit": "Deribit",
  "polymarket": "Polymarket",
  "coinbase": "Coinbase",
  "upbit": "Upbit",
  "dunamu": "Dunamu forex",
  "frankfurter": "Frankfurter",
  "farside": "Farside Investors",
  "coingecko": "CoinGecko",
  "bitcoindata": "BGeometrics",
  "coinalyze": "Coinalyze",
  "cme": "CME"
};

export const shortNames: Readonly<Record<string, string>> = {
  "hyperliquid": "HL",
  "polymarket": "POLY"
};
