/** A spot venue: its plain id in answers, and that of the source of its prices. */
export interface SpotVenueName {
  readonly venue: string;
  readonly source: string;
}

/** The five spot venues, the proxy venue of ETF flows first. */
export const spotVenueNames = [
  { venue: 'coinbase', source: 'coinbase' },
  { venue: 'binance', source: 'binance-spot' },
  { venue: 'kraken', source: 'kraken-spot' },
  { venue: 'okx', source: 'okx-spot' },
  { venue: 'bybit', source: 'bybit-spot' },
] as const satisfies readonly SpotVenueName[];
