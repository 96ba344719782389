/** How a venue's perpetuals are told by the interface. */
export interface PerpConvention {
  /** Funding rates are scaled to this many hours. */
  readonly fundingPeriodHours: 1 | 8;
  /** The venue is taken to report open interest in USD only. */
  readonly isOiUsdOnly: boolean;
  /** What is meant when no coins are asked for; absent: every coin that the venue lists. */
  readonly coinsByDefault?: readonly string[];
}

const hourly: PerpConvention = { fundingPeriodHours: 1, isOiUsdOnly: false };
const eightHourly: PerpConvention = { fundingPeriodHours: 8, isOiUsdOnly: false };
const usdOnly: PerpConvention = {
  fundingPeriodHours: 8,
  isOiUsdOnly: true,
  coinsByDefault: ['BTC', 'ETH'],
};

/** Every perpetual venue, by id. */
export const perpConventions = {
  hyperliquid: hourly,
  bybit: eightHourly,
  okx: eightHourly,
  binance: eightHourly,
  bitget: usdOnly,
  gate: usdOnly,
  mexc: usdOnly,
  dydx: hourly,
  kraken: hourly,
} as const satisfies Record<string, PerpConvention>;

export type PerpVenueId = keyof typeof perpConventions;

export const perpVenueIds = Object.keys(perpConventions) as PerpVenueId[];
