/** About as many contracts as venues of perpetuals have live, generously: nobody has counted them. */
export const liveContracts = {
  hyperliquid: 250,
  binance: 600,
  bybit: 600,
  okx: 300,
  bitget: 600,
  gate: 700,
  mexc: 900,
  dydx: 250,
  kraken: 330,
} as const;
