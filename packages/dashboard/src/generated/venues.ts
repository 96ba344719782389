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

/** Report open interest in contracts; the others in USD only, which changes with the price and is not recorded. */
export const contractVenues = [
  "hyperliquid",
  "bybit",
  "okx",
  "binance",
  "dydx",
  "kraken"
] as const;

/** Long/short ratios with a history: of all accounts, or of the largest traders. */
export const ratioSeries = [
  {
    "venue": "bybit",
    "view": "global"
  },
  {
    "venue": "okx",
    "view": "global"
  },
  {
    "venue": "okx",
    "view": "top"
  },
  {
    "venue": "binance",
    "view": "global"
  },
  {
    "venue": "binance",
    "view": "top"
  }
] as const;

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
