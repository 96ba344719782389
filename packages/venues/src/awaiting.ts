import type { Venue } from './venue.ts';

/**
 * Venues that are known by name and have no connector yet. Their codes resolve everywhere, and whoever asks for
 * them is told that they are down. One leaves this list when its folder arrives.
 */
export const awaiting: readonly Venue[] = [
  { id: 'okx', name: 'OKX', kind: 'cex', aliases: ['okex', 'venue_c'] },
  { id: 'binance', name: 'Binance', kind: 'cex', aliases: ['bn', 'venue_d'] },
  { id: 'mexc', name: 'MEXC', kind: 'cex', aliases: ['venue_g'] },
  { id: 'kraken', name: 'Kraken', kind: 'cex', aliases: ['krakenfutures'] },
];
