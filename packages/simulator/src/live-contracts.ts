/**
 * Real numbers of contracts of each venue, and of coins of the spot venues. Counted in captures of 2026: Hyperliquid,
 * Bybit, Gate, MEXC; approximate for Binance and Kraken. The others are estimates.
 */
export const liveContracts = {
  hyperliquid: 179,
  binance: 620,
  bybit: 869,
  okx: 310,
  bitget: 620,
  gate: 1_013,
  mexc: 1_192,
  dydx: 250,
  kraken: 257,
  coinbase: 380,
  'binance-spot': 460,
  'kraken-spot': 620,
  'okx-spot': 330,
  'bybit-spot': 480,
  upbit: 250,
} as const;

/** Number of coins that a venue lists at real size; 0 for one without a list. */
export function liveContractsOf(venue: string): number {
  return (liveContracts as Readonly<Record<string, number>>)[venue] ?? 0;
}
