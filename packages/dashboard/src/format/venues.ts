/** Names that people know venues by, short ones for where there is little room, and a colour that is theirs on every page. */
const known: Readonly<Record<string, readonly [name: string, color: string, short?: string]>> = {
  hyperliquid: ['Hyperliquid', '--series-2', 'HL'],
  binance: ['Binance', '--series-3'],
  bybit: ['Bybit', '--series-6'],
  okx: ['OKX', '--series-1'],
  bitget: ['Bitget', '--series-8'],
  gate: ['Gate', '--series-5'],
  mexc: ['MEXC', '--series-4'],
  kraken: ['Kraken', '--series-9'],
  dydx: ['dYdX', '--series-7'],
  coinbase: ['Coinbase', '--series-1'],
  upbit: ['Upbit', '--series-4'],
};

/** The venues of perpetuals, the primary one first. */
export const perpVenues = [
  'hyperliquid',
  'binance',
  'bybit',
  'okx',
  'bitget',
  'gate',
  'mexc',
  'kraken',
  'dydx',
] as const;

export function venueName(venue: string): string {
  return known[venue]?.[0] ?? venue;
}

export function venueShort(venue: string): string {
  return known[venue]?.[2] ?? venueName(venue);
}

/** Name of a token of `design/tokens.css`. */
export function venueColor(venue: string): string {
  return known[venue]?.[1] ?? '--series-7';
}
