/** A fund as the page has a column for it. */
export interface Fund {
  readonly ticker: string;
  readonly issuer: string;
  readonly feePct: number;
  /** Size of a usual day's flow, in millions of dollars. */
  readonly usdm: number;
  /** Additional average flow. */
  readonly driftUsdm: number;
  /** First day of trading; its column exists from then on. */
  readonly sinceMs: number;
  /** Whether it is the last to report, deep in the night. */
  readonly isLate?: boolean;
}

export interface FundTable {
  readonly title: string;
  /** First day of trading. */
  readonly launchMs: number;
  readonly funds: readonly Fund[];
  /** Over the last column: on one of the pages it has no name [M]. */
  readonly totalName: string;
}

type Row = readonly [ticker: string, issuer: string, feePct: number, usdm: number, driftUsdm: number];

function fundsFrom(sinceMs: number, rows: readonly Row[]): readonly Fund[] {
  return rows.map(([ticker, issuer, feePct, usdm, driftUsdm], i) => ({
    ticker,
    issuer,
    feePct,
    usdm,
    driftUsdm,
    sinceMs,
    isLate: i === 0,
  }));
}

const BTC_LAUNCH_MS = Date.UTC(2024, 0, 11);
const ETH_LAUNCH_MS = Date.UTC(2024, 6, 23);

const btcFunds = fundsFrom(BTC_LAUNCH_MS, [
  ['IBIT', 'Blackrock', 0.25, 180, 60],
  ['FBTC', 'Fidelity', 0.25, 90, 15],
  ['BITB', 'Bitwise', 0.2, 25, 3],
  ['ARKB', 'Ark', 0.21, 35, 2],
  ['BTCO', 'Invesco', 0.25, 8, 0],
  ['EZBC', 'Franklin', 0.19, 6, 0],
  ['BRRR', 'Valkyrie', 0.25, 5, 0],
  ['HODL', 'VanEck', 0.2, 12, 1],
  ['BTCW', 'WTree', 0.25, 4, 0],
  ['GBTC', 'Grayscale', 1.5, 40, -35],
  ['BTC', 'Grayscale', 0.15, 15, 2],
]);
const ethFunds = fundsFrom(ETH_LAUNCH_MS, [
  ['ETHA', 'Blackrock', 0.25, 60, 20],
  ['FETH', 'Fidelity', 0.25, 25, 4],
  ['ETHW', 'Bitwise', 0.2, 8, 0],
  ['TETH', '21Shares', 0.21, 2, 0],
  ['ETHV', 'VanEck', 0.2, 3, 0],
  ['QETH', 'Invesco', 0.25, 1, 0],
  ['EZET', 'Franklin', 0.19, 1, 0],
  ['ETHE', 'Grayscale', 2.5, 20, -15],
  ['ETH', 'Grayscale', 0.15, 10, 2],
]);

/** Later funds are listed among the others. */
function withNewcomer(funds: readonly Fund[], at: number, newcomer: Fund): readonly Fund[] {
  return funds.toSpliced(at, 0, newcomer);
}

export const FUND_TABLES: Readonly<Record<'bitcoin' | 'ethereum', FundTable>> = {
  bitcoin: {
    title: 'Bitcoin ETF Flow (US$m)',
    launchMs: BTC_LAUNCH_MS,
    totalName: 'Total',
    funds: withNewcomer(btcFunds, 9, {
      ticker: 'MSBT',
      issuer: 'Morgan Stanley',
      feePct: 0.2,
      usdm: 12,
      driftUsdm: 2,
      sinceMs: Date.UTC(2026, 3, 8),
    }),
  },
  ethereum: {
    title: 'Ethereum ETF Flow (US$m)',
    launchMs: ETH_LAUNCH_MS,
    totalName: '',
    funds: withNewcomer(ethFunds, 1, {
      ticker: 'ETHB',
      issuer: 'Blackrock',
      feePct: 0.25,
      usdm: 9,
      driftUsdm: 2,
      sinceMs: Date.UTC(2026, 2, 12),
    }),
  },
};
