import { perpVenues } from '../format/venues.ts';

/** The explanation of a panel, for first-time readers. */
export interface Explanation {
  /** Matches the title of the panel. */
  readonly title: RegExp;
  readonly what: string;
  /** Origin of the figures. */
  readonly from: string;
  readonly formula?: string;
  readonly unit: string;
}

const VENUES = `${perpVenues.length} perpetual venues, polled by the service`;
const TAPE = 'Trades of the venue, recorded by the service';
const SPOT = 'Spot venues, followed by the service';
const DERIBIT = 'Deribit, all listed options';

/** Every panel with figures; the first match wins. */
export const explanations: readonly Explanation[] = [
  {
    title: /^Chart/,
    what: 'Bars of the chosen market. The line over them shows where the tape is complete, refilled, partial or missing; yellow bars have a gap.',
    from: `${TAPE}; before the record, the venue's own candles`,
    formula:
      'CVD = Σ (bought − sold size). VWAP = Σ price × size ÷ Σ size since 00:00 UTC, or since the anchor; what traded before the first bar is from candles of minutes, of more than a day from those of hours. RSI, ATR and Supertrend smooth as Wilder does; the EMAs of MACD begin as means. Stochastic: (close − low) ÷ (high − low) of the last bars × 100, %K and %D are means of it. Compare: close of the other market ÷ its close at the first visible bar, drawn as that multiple of the close of this chart there; bars that are not of the clock are compared by minute. Spread: close ÷ close of the other market, as quoted (of several markets together in dollars), less 1 in bps where they are within 5% of each other; a price older than ten minutes is not compared. Profile: volume of each bar spread over its range; the value area holds 70% of it around the POC. By venue: CVD of all recorded markets in $ since the first bar with a record, at the price of each minute; open interest = contracts × coins of a contract; long/short ratios by the hour, of accounts and (dashed) of positions of the largest traders. Of several markets: open interest summed and funding weighted over the venues that report contracts, where all of them have reported within two hours; liquidations reported and inferred, summed by bar. Footprint: sold × bought of the trades of each bar by price; frame: POC; line at its right: 70% value area; coloured edge: three times what met it a row further (bought against what was sold a row lower), thick where three such rows lie on each other. Liquidation levels are an estimate: open interest that rose within ten minutes, on venues that report contracts, counts as longs and shorts opened at the mean price of that bar, 40% of them at 10×, 30% at 25×, 20% at 50× and 10% at 100×, with a maintenance margin of 0.4%; where it falls, the same share of all is closed, and a level that is traded is gone. Book heat map: the most that rested at each price: recorded once a minute for the largest coins of the primary venue, up to 2.5% from the mid, and as this page has seen it since the map was opened. A replay has none.',
    unit: 'prices in the quote currency, volume in coins; figures by venue in $, open interest in coins',
  },
  {
    title: /^Book/,
    what: 'Resting orders at each price, of the market on the chart or of several markets in one book. The bar behind a level is the sum of all levels up to it; of several markets, in the colours of their venues. A row with × is crossed: another market would trade with it. Old books are left out of the sums.',
    from: "The venue's own feed, at most 20 levels a side",
    formula:
      'Spread in bps = (best ask − best bid) ÷ best bid × 10,000; USDT and USDC are converted at their rate of this minute',
    unit: 'price in $, or the currency of the market; size in coins; sum as the price',
  },
  {
    title: /^Tape/,
    what: 'Taker orders as they trade, newest first: fills of the same time and side are one row. The larger the order, the stronger its colour. Of several venues, the most traded markets in dollars are shown. Liquidations of all venues, or of the chosen one, can be put among them.',
    from: TAPE,
    unit: 'price in the quote currency, size in coins, value in $',
  },
  {
    title: /^Footprint/,
    what: 'Volume traded at each price within a bar, sold and bought. The outlined price has the most volume.',
    from: TAPE,
    formula: 'Delta = bought − sold',
    unit: 'coins',
  },
  {
    title: /^\S+ (perpetual|spot) on |^\S+ on \d+ |^All (perpetuals|spot pairs|markets) of /,
    what: 'Price of the last trade, and funding, open interest and volume of the market now. Of several markets together: the sum of open interest and volume, and the mean of funding.',
    from: 'The venue of the market; the index is that of Hyperliquid',
    formula:
      'Basis = (mark ÷ index − 1) × 10,000. Funding a year = rate per hour × 8,760; of several venues the mean by open interest. Open interest: all linear perpetuals of the coin on the venue.',
    unit: '$, bps, % per hour',
  },
  {
    title: /, as recorded$/,
    what: 'Last price, funding and open interest at the time of the replay. Change and volume are those of the 24 full hours before it.',
    from: `${TAPE}; funding and open interest of Hyperliquid, sampled every 10 minutes`,
    formula: 'Open interest = recorded contracts × last price',
    unit: '$, % per hour',
  },
  {
    title: /^Screener/,
    what: 'Every coin with its figures. “Columns” adds and removes columns, including funding and volume by venue. Click a value to filter by it or create an alert. A view saves columns, filters and order.',
    from: 'Price, volume, CVD and whales: Hyperliquid; funding, open interest, liquidations and volume by venue: all venues',
    formula:
      'OI change: contracts now ÷ contracts then, venues weighted by open interest. CVD = bought − sold value of takers. Volatility: deviation of half-hour returns × √17,520.',
    unit: '$, %, bps; funding and volatility in % a year',
  },
  {
    title: /^Movers|^\d+ coins/,
    what: 'Coins with their price changes and figures of the day.',
    from: 'Hyperliquid; funding, open interest and liquidations from all venues',
    unit: '$ and %',
  },
  {
    title: /^Open interest by (strike|expiry)/,
    what: 'Open contracts of calls and of puts, by strike or expiry.',
    from: DERIBIT,
    unit: 'coins',
  },
  {
    title: /^(?!Open interest|Funding).* by venue$/,
    what: 'Funding, open interest and 24-hour volume of a coin on each venue. Volumes are as the venues report them; ≈ marks coins multiplied by the last price.',
    from: VENUES,
    formula: 'Share = the venue ÷ the sum of all venues',
    unit: '$ and %',
  },
  {
    title: /^Open interest|open interest,|by venue$/,
    what: 'Value of all open contracts. Venues that count both sides are halved, so that sums are comparable.',
    from: VENUES,
    formula: 'Contracts × contract size × mark price',
    unit: '$',
  },
  {
    title: /^Funding by venue|^Funding|funding, 7 days|funding spread/,
    what: 'The rate longs pay shorts. When it is negative, shorts pay longs.',
    from: VENUES,
    formula: 'Yearly = rate ÷ hours of its period × 8,760. Spread = highest − lowest.',
    unit: '% of the notional, per year unless switched',
  },
  {
    title: /^Best long and short/,
    what: 'For each coin the pair of venues whose funding earns most after your fees: short where funding is high, long where it is low.',
    from: VENUES,
    formula: 'Net = spread × days ÷ 365 − 2 × (fee of the short + fee of the long)',
    unit: '% of the notional',
  },
  {
    title: /spread over time/i,
    what: 'Funding that a short on one venue received less what a long on the other paid, hour by hour. Choose any two venues.',
    from: `${VENUES}: recorded every hour, and before that what each venue says it paid`,
    formula:
      'Spread = rate of the short − rate of the long, per year. Earned = mean spread × hours ÷ 8,760, without fees.',
    unit: '% of the notional',
  },
  {
    title: /^Liquidations of all coins/,
    what: 'Liquidated value of all coins by hour or UTC day: shorts above, longs below, the inferred part paler. Bars that are not complete, because a feed was not connected or nothing was recorded, are paler as a whole.',
    from: 'All venues with a liquidation feed, and the tape of Hyperliquid, since recording began',
    formula: 'Σ price × size in $, kept by hour for 90 days',
    unit: '$',
  },
  {
    title: / liquidations by /,
    what: 'Liquidated value of a coin by hour or UTC day: shorts above, longs below, the inferred part paler. Incomplete bars are paler as a whole.',
    from: 'All venues with a liquidation feed, and the tape of Hyperliquid',
    formula: 'Σ price × size in $; of a busy coin the newest 30,000 are read',
    unit: '$',
  },
  {
    title: /iquidations/,
    what: 'Forced closes of positions. Measured: reported by a venue. Inferred: detected on the tape of a venue that does not report them.',
    from: 'All venues with a liquidation feed, and the tape of Hyperliquid',
    unit: '$',
  },
  {
    title: /^Volume/,
    what: 'Traded value of the last 24 hours, and how many coins rose and fell.',
    from: 'Hyperliquid',
    unit: '$',
  },
  {
    title: /^Positioning/,
    what: 'Share of accounts, or of the positions of the largest traders, that is long. Venues count different things, so they are never averaged.',
    from: 'Binance and OKX',
    formula: 'Long ÷ (long + short)',
    unit: '%',
  },
  {
    title: /long\/short ratio/,
    what: 'How many accounts are long for each that is short; dashed, the size of long positions of the largest traders for that of short ones. Venues count different things, so they are never averaged.',
    from: 'The histories of Binance, Bybit and OKX, by the hour; a new hour comes some minutes after its end',
    formula: 'Long ÷ short',
    unit: 'ratio; 1 is as many longs as shorts',
  },
  {
    title: /perpetuals$/,
    what: 'One coin on every venue: price, funding, open interest.',
    from: VENUES,
    unit: '$ and % a year',
  },
  {
    title: /^Flow pressure|^Pressure score|flows$/,
    what: 'Flow pressure of a coin, from −100 (selling) to 100 (buying).',
    from: 'Spot venues, Korean premium, ETF proxy and the tape',
    formula: '100 × Σ weight × tanh(x / scale) / Σ weight over the components that are known',
    unit: 'points',
  },
  {
    title: /^Signals/,
    what: 'Conditions of the flows that crossed a threshold.',
    from: 'The flows of this service',
    unit: 'bps, σ or points',
  },
  {
    title: /spot venues against their median/,
    what: 'How far the price of each spot venue is from the median of all, at the same moment.',
    from: SPOT,
    formula: '(price ÷ median − 1) × 10,000',
    unit: 'bps',
  },
  {
    title: /Korean premium/,
    what: 'Premium of the price in Korean won over the price in dollars.',
    from: 'Upbit, spot venues, and the KRW rate of Dunamu',
    formula: 'KRW price ÷ USDKRW ÷ median price − 1',
    unit: 'bps',
  },
  {
    title: /ETF proxy/,
    what: 'An estimate of US spot ETF trading during market hours.',
    from: 'Coinbase against other spot venues',
    unit: 'bps',
  },
  {
    title: /prints:/,
    what: 'Large trades on the primary venue and on Coinbase, as they happen.',
    from: TAPE,
    unit: '$',
  },
  {
    title: /^Whales/,
    what: 'Taker orders above a size, all fills of an order as one.',
    from: TAPE,
    unit: '$',
  },
  {
    title: /^ETF net flow|^Spot ETF|flows by fund and day/,
    what: 'Daily net flows of US spot ETFs.',
    from: 'Farside Investors',
    formula: 'Created − redeemed shares, at their value',
    unit: '$ million',
  },
  {
    title: /treasuries/,
    what: 'Coins held by public companies.',
    from: 'Published filings, as listed by the source',
    unit: 'coins and $',
  },
  {
    title: /^Valuation/,
    what: 'Long-term bitcoin metrics, a day or more old.',
    from: 'The on-chain source named in the panel',
    unit: 'as named with each figure',
  },
  {
    title: /^(Prediction|Ranked|Order book|Depth|Price history)/,
    what: 'Open questions and the price of each answer: the probability implied by the market.',
    from: 'Polymarket',
    formula: 'Rank = liquidity × hours until it closes. History: price every 10 minutes, 30 days',
    unit: '¢ for $1',
  },
  {
    title: /flow by /,
    what: 'Premium of the options that takers bought and sold in the window, block trades included. Calls bought and puts sold gain when the price rises.',
    from: 'Trades of Deribit, recorded by the service every 10 seconds',
    formula:
      'Premium = price × index × size where it is quoted in the coin, price × size in USDC. Net = bought − sold. Delta and vega: Σ ± size × that of the option by Black-76 at the volatility of the trade, + bought and − sold',
    unit: '$; delta in coins; vega in $ per percentage point of volatility',
  },
  {
    title: /option prints$/,
    what: 'The newest trades of options of the last 24 hours above a premium. The legs of a block trade are marked, and so are liquidations.',
    from: 'Trades of Deribit, recorded by the service every 10 seconds',
    formula: 'Premium = price × index × size where it is quoted in the coin, price × size in USDC',
    unit: 'size in coins, volatility in % a year, premium in $',
  },
  {
    title: / options$/,
    what: 'Open interest, gamma and the levels that stand out.',
    from: DERIBIT,
    unit: '$ and coins',
  },
  {
    title: /walls and gamma flip/,
    what: 'The strikes with the largest gamma of calls and of puts, and the price where the total changes sign, every 10 minutes of the last 90 days.',
    from: DERIBIT,
    unit: '$',
  },
  {
    title: /gamma profile/,
    what: 'Gamma exposure at other prices, with the same options and volatilities.',
    from: DERIBIT,
    formula: 'Gamma × open interest × spot² × 1 %, re-priced at each spot; calls positive, puts negative',
    unit: '$ per 1 %',
  },
  {
    title: /implied volatility, 30 days/,
    what: 'Implied volatility at the money in 30 days, hour by hour over the recorded days (at most 90), where it is among them, and what the coin did over the 30 full days before. DVOL is the venue’s own index of the same 30 days, for a year: the rank is its own where there is one.',
    from: `${DERIBIT}, sampled every 10 minutes; DVOL of Deribit by day; daily closes of the primary venue`,
    formula:
      'Implied: interpolated in total variance between the expiries around 30 days. A day counts with its last value: rank = (now − lowest day) ÷ (highest − lowest), percentile = days below now ÷ days but the present one. Realised: root of the mean square of daily log returns × √365.',
    unit: '% a year; the spread in points of volatility',
  },
  {
    title: /volatility cone/,
    what: 'Realised volatility by period length over the last year, next to implied volatility.',
    from: `Daily closes of the primary venue; ${DERIBIT}`,
    formula: 'Realised: root of the mean square of daily log returns × √365',
    unit: '% a year',
  },
  {
    title: /gamma/i,
    what: 'How much dealers must trade to stay hedged when the price moves 1 %, by strike or expiry.',
    from: DERIBIT,
    formula: 'Gamma × open interest × spot² × 1 %; calls positive, puts negative',
    unit: '$ per 1 %',
  },
  {
    title: /skew by expiry/,
    what: 'Implied volatility, open interest and max pain of each expiry. Max pain is the strike at which its options pay least in total if it settles there.',
    from: DERIBIT,
    formula:
      'Max pain: the strike where Σ open interest × max(0, ±(settlement − strike)) is least, + for calls and − for puts; the lowest of several.',
    unit: '% a year; open interest in coins; max pain in $',
  },
  {
    title: /skew|smile|term structure|chain$/,
    what: 'Implied volatility and prices by strike and expiry.',
    from: DERIBIT,
    unit: '% a year',
  },
  {
    title: /files by day/,
    what: 'Parquet files of each recorded day of the coin, to download or to read in place.',
    from: 'The record of this service',
    unit: 'trades, and bytes of the files',
  },
  {
    title: /^Coverage|on record|trades by day/,
    what: 'How complete the record of trades is.',
    from: 'The ledger of gaps of this service',
    unit: 'time',
  },
  {
    title: /^Audit calendar|^Audit of the record|^Worst hours|^Audited day/,
    what: 'Every recorded hour of every market, compared with the candles that the venue itself publishes.',
    from: 'The record of this service, and the candle endpoint of each venue',
    formula: 'Equal: every proven figure of all 60 minutes is the same. Within: at most 0.1 % apart.',
    unit: 'hours of one market',
  },
  {
    title: /^Audited hour/,
    what: 'Recorded data against venue data: the hour, and the minutes that differ. A difference in a minute without a reported gap is an error.',
    from: 'The record of this service, and the candle endpoint of the venue',
    formula: 'Difference = record − venue',
    unit: 'volume in coins, value in the quote currency',
  },
  {
    title: /^(Service|Readiness|Sources|Venues and sources|Incidents)/,
    what: 'Status of the service and its sources.',
    from: 'The service itself',
    unit: 'time and counts',
  },
  {
    title: /^(Your key|Rate limits|This browser)/,
    what: 'Usage of this browser and its key.',
    from: 'The service itself',
    unit: 'requests',
  },
];

export function explanationOf(title: string): Explanation | undefined {
  return explanations.find((one) => one.title.test(title));
}
