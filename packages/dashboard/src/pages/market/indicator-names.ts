/** Every indicator of the market chart: its name in the URL, which settings may follow, and its menu text. */
export const indicatorNames: Readonly<Record<string, { readonly title: string; readonly about: string }>> = {
  vwap: { title: 'VWAP', about: 'volume-weighted price since 00:00 UTC, Monday or the 1st' },
  avwap: { title: 'Anchored VWAP', about: 'since a bar that you right-click; default: Monday' },
  ema: { title: 'EMA', about: 'exponential moving average; add as many as you like' },
  bollinger: { title: 'Bollinger', about: 'moving average and standard-deviation bands' },
  supertrend: {
    title: 'Supertrend',
    about: 'trend band a multiple of ATR from the price; flips when the close crosses it',
  },
  compare: { title: 'Compare', about: 'another market as a line, in % since the first visible bar' },
  profile: { title: 'Volume profile', about: 'by price, of the visible bars: POC and 70% value area' },
  session: { title: 'Day profile', about: 'by price, of the last visible UTC day' },
  liqmap: { title: 'Liquidation map', about: 'by price and time, all venues; hollow: inferred' },
  liqlevels: {
    title: 'Liquidation levels',
    about: 'estimated from rising open interest and assumed leverages; no venue reports them',
  },
  footprint: { title: 'Footprint', about: 'sold × bought at each price inside the bars; zoom in to read' },
  bookheat: {
    title: 'Order book heat map',
    about: 'resting orders by price, recorded for the largest coins',
  },
  cvd: { title: 'CVD', about: 'running sum of buy minus sell volume' },
  delta: { title: 'Delta', about: 'buy minus sell volume per bar' },
  oi: { title: 'Open interest', about: "of the market's venue; of several markets: the sum" },
  funding: { title: 'Funding', about: '% per hour, of the same venue; of several: each, and their mean' },
  spread: { title: 'Spread', about: 'over another market: premium or basis in bps, else the ratio' },
  cvdkinds: { title: 'CVD, spot and perps', about: 'bought less sold $, all recorded markets' },
  cvdvenues: { title: 'CVD by venue', about: 'bought less sold $ of each venue, spot and perps' },
  oivenues: { title: 'OI by venue', about: 'in coins, of venues that report contracts' },
  lsratio: {
    title: 'Long/short ratio',
    about: 'accounts and top traders of venues that report them, hourly',
  },
  bookdepth: { title: 'Book depth', about: '$ of bids and asks near the mid, on Hyperliquid' },
  bookimbalance: { title: 'Book imbalance', about: 'bids less asks near the mid, in % of their sum' },
  liqsides: { title: 'Liquidations', about: '$ of longs and shorts in each bar, all venues' },
  rsi: { title: 'RSI', about: "relative strength index (Wilder's smoothing)" },
  macd: { title: 'MACD', about: 'difference of two EMAs, signal line and histogram' },
  stoch: { title: 'Stochastic', about: 'position of the close within the recent high–low range: %K, %D' },
  stochrsi: { title: 'Stochastic RSI', about: 'stochastic of the RSI' },
  atr: { title: 'ATR', about: "average true range (Wilder's smoothing), in price units" },
};

/** Indicators painted over the prices instead of lines. */
export const overlayNames: readonly string[] = ['profile', 'session', 'liqmap', 'liqlevels', 'bookheat'];

/** Indicators of a whole day, week or month, which may have begun before the first bar. */
export const earlierKinds: readonly string[] = ['vwap', 'avwap', 'session'];

/** Another market over the prices. */
export const COMPARE = 'compare';

/** Another market below the prices. */
export const SPREAD = 'spread';

/** Painted inside the bars. */
export const FOOTPRINT = 'footprint';

/** Indicators with figures of several venues. */
export const byVenueNames: readonly string[] = [
  'cvdkinds',
  'cvdvenues',
  'oivenues',
  'lsratio',
  'bookdepth',
  'bookimbalance',
  'liqsides',
];

/** Indicators of the market's own venue, which not every market has; for several markets, of their venues. */
export const sampleNames: readonly string[] = ['oi', 'funding'];

export const FIRST_INDICATORS = 'cvd,oi,funding';
