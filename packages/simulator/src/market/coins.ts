/** Tokens of gold, which some venues list as metals or real-world assets. */
export const GOLD_TOKENS: readonly string[] = ['PAXG', 'XAUT'];

/** A contract of the simulated market, under the primary venue's own ticker. */
export interface Coin {
  readonly name: string;
  /** Around which its price moves, in dollars. */
  readonly price: number;
  readonly sizeDecimals: number;
  readonly leverageMax: number;
  /** Expected at rate 1. */
  readonly tradesPerWeek: number;
  /** Standard deviation of a day's log return. */
  readonly dailyVolatility: number;
  /** Standard deviation of the perpetual's premium over its index. */
  readonly premiumBps: number;
  /** Around which open interest moves, one-sided. */
  readonly openInterestUsd: number;
  /** Empty for the venue's own list; else the builder dex that lists it, which also prefixes the name. */
  readonly dex: string;
  /** Set on contracts of a dex that are not crypto. */
  readonly category?: string;
  /** Stays in the venue's list without a market. */
  readonly isDelisted: boolean;
}

/** name, price, size decimals, leverage, thousand trades a week, daily volatility %, premium bps, OI in $ million. */
type Row = readonly [string, number, number, number, number, number, number, number];

const LISTED: readonly Row[] = [
  ['BTC', 96_500, 5, 40, 2000, 2.2, 1.4, 2600],
  ['ETH', 3420, 4, 25, 900, 3.1, 1.8, 1400],
  ['SOL', 168.4, 2, 20, 500, 4.1, 2.6, 520],
  ['XRP', 2.31, 0, 20, 300, 4.0, 3.2, 180],
  ['HYPE', 38.2, 2, 10, 210, 5.4, 4.2, 900],
  ['DOGE', 0.1724, 0, 10, 105, 4.7, 4.0, 72],
  ['kPEPE', 0.00712, 0, 10, 88, 6.1, 6.5, 46],
  ['SUI', 2.05, 1, 10, 74, 5.3, 5.1, 58],
  ['FARTCOIN', 0.412, 1, 10, 62, 8.9, 11, 39],
  ['ENA', 0.335, 0, 10, 52, 6.8, 7.4, 41],
  ['ZEC', 412, 2, 10, 50, 7.7, 9.2, 68],
  ['PUMP', 0.0041, 0, 10, 46, 8.2, 10.5, 57],
  ['LINK', 15.6, 1, 10, 42, 4.4, 4.3, 37],
  ['BNB', 912, 3, 10, 40, 2.9, 2.7, 51],
  ['AVAX', 17.9, 2, 10, 36, 4.8, 4.6, 24],
  ['kBONK', 0.0131, 0, 10, 34, 6.6, 7.9, 13],
  ['ADA', 0.521, 0, 10, 32, 4.5, 4.1, 26],
  ['AAVE', 186, 2, 10, 31, 5.0, 4.9, 33],
  ['LTC', 97.3, 2, 10, 30, 3.9, 3.8, 21],
  ['WLD', 0.792, 1, 10, 28, 6.5, 6.9, 19],
  ['TAO', 341, 3, 5, 27, 5.9, 6.4, 23],
  ['WIF', 0.498, 1, 5, 26, 7.3, 8.8, 12],
  ['TRUMP', 7.45, 1, 10, 25, 6.2, 8.1, 18],
  ['PENGU', 0.0158, 0, 5, 24, 7.5, 9.6, 14],
  ['NEAR', 2.34, 1, 10, 22, 5.2, 5.4, 13],
  ['ONDO', 0.61, 0, 10, 21, 5.0, 5.8, 15],
  ['BCH', 508, 3, 10, 20, 3.8, 4.0, 17],
  ['UNI', 7.12, 1, 10, 19, 5.1, 5.2, 12],
  ['ARB', 0.253, 1, 10, 18, 5.3, 5.7, 11],
  ['TIA', 0.93, 1, 10, 17, 6.0, 7.0, 8],
  ['SEI', 0.171, 0, 10, 16, 5.7, 6.3, 7.5],
  ['DOT', 2.86, 1, 10, 15, 4.5, 4.8, 9],
  ['CRV', 0.465, 1, 10, 15, 5.8, 6.6, 10],
  ['JUP', 0.33, 0, 10, 14, 5.6, 6.2, 8],
  ['OP', 0.412, 1, 10, 14, 5.4, 6.0, 7],
  ['APT', 3.18, 2, 10, 13, 5.2, 5.9, 6.5],
  ['INJ', 7.4, 1, 10, 12, 5.5, 6.5, 5.5],
  ['XMR', 352, 3, 5, 12, 3.9, 6.8, 9],
  ['PENDLE', 2.71, 0, 5, 11, 6.1, 7.3, 6],
  ['PAXG', 4075, 3, 10, 6, 1.0, 3.1, 12],
  ['XAUT', 4068, 3, 10, 3, 1.0, 3.4, 4],
  ['kNEIRO', 0.00192, 0, 5, 8, 7.0, 8.3, 3.4],
  ['LDO', 0.87, 1, 10, 11, 5.6, 6.1, 5],
  ['HBAR', 0.165, 0, 5, 10, 5.0, 5.6, 6.2],
  ['kSHIB', 0.0091, 0, 10, 10, 4.9, 5.3, 5.1],
  ['XLM', 0.268, 0, 5, 9, 4.7, 5.0, 4.8],
  ['FIL', 1.62, 1, 5, 8, 5.1, 6.7, 4.2],
  ['TRX', 0.291, 0, 10, 8, 2.1, 3.6, 7.4],
];

/** Rows that the venue keeps so that list indexes do not change. */
const DELISTED: readonly { readonly row: Row; readonly at: number }[] = [
  { row: ['MATIC', 0.38, 1, 20, 0, 0, 0, 0], at: 3 },
  { row: ['MKR', 1740, 4, 10, 0, 0, 0, 0], at: 30 },
];

const BUILDER_LISTED: readonly (readonly [Row, string])[] = [
  [['xyz:XYZ100', 24_650, 4, 20, 22, 1.1, 4.4, 42], 'indices'],
  [['xyz:TSLA', 412, 3, 10, 9, 3.2, 9.5, 11], 'stocks'],
  [['xyz:NVDA', 188.6, 3, 10, 11, 2.6, 8.7, 14], 'stocks'],
  [['xyz:GOLD', 4080, 4, 20, 6, 1.0, 5.5, 9], 'commodities'],
];

export const COINS: readonly Coin[] = listCoins();

function listCoins(): readonly Coin[] {
  const main = LISTED.map((row) => coinOf(row));
  for (const { row, at } of DELISTED) main.splice(at, 0, { ...coinOf(row), isDelisted: true });
  return [...main, ...BUILDER_LISTED.map(([row, category]) => ({ ...coinOf(row), category }))];
}

function coinOf([
  name,
  price,
  sizeDecimals,
  leverageMax,
  thousands,
  volatility,
  premiumBps,
  millions,
]: Row): Coin {
  return {
    name,
    price,
    sizeDecimals,
    leverageMax,
    tradesPerWeek: thousands * 1000,
    dailyVolatility: volatility / 100,
    premiumBps,
    openInterestUsd: millions * 1e6,
    dex: name.includes(':') ? name.slice(0, name.indexOf(':')) : '',
    isDelisted: false,
  };
}
