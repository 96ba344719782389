/** Records of spot ETFs, treasuries and valuation. */
export const assets = ['bitcoin', 'ethereum'] as const;
export type Asset = (typeof assets)[number];

/** Net flows of the spot ETFs of an asset on one trading day. */
export interface EtfDay {
  /** In the source's format. */
  readonly label: string;
  /** 00:00 UTC of the day. */
  readonly dayMs: number;
  /** Ticker to millions of dollars. Funds that have not reported are absent. */
  readonly flowsUsdm: Readonly<Record<string, number>>;
  /** Sum of the funds that have reported. */
  readonly totalUsdm: number;
}

/** Net flows of the spot ETFs of an asset. */
export interface EtfFlows {
  readonly coin: string;
  /** Every ETF that the source has a column for, in its order. */
  readonly tickers: readonly string[];
  /** Days on which at least one has reported, ascending. */
  readonly days: readonly EtfDay[];
  /** Whether the days go back to the launch without omissions, except `refusedDays`. */
  readonly isSinceLaunch: boolean;
  /** Days of the source that are inconsistent, in its format. Absent if there are none. */
  readonly refusedDays?: readonly string[];
}

/** A company's holdings of an asset. */
export interface TreasuryCompany {
  readonly name: string;
  /** Empty if it has none. */
  readonly symbol: string;
  /** Empty if unknown. */
  readonly country: string;
  /** In coins. */
  readonly holdings: number;
  /** 0 if unknown. */
  readonly entryValueUsd: number;
  /** Absent if the source does not report it. */
  readonly valueUsd?: number;
  readonly supplyPct?: number;
}

/** Holdings of public companies of an asset, or a page of them. */
export interface Treasury {
  readonly coin: string;
  /** Of all companies, in coins. Absent, like the other totals, if the source does not report it. */
  readonly holdings?: number;
  readonly valueUsd?: number;
  readonly marketCapPct?: number;
  readonly companies: readonly TreasuryCompany[];
}

export const valuationMetrics = [
  'mvrvZScore',
  'nupl',
  'puellMultiple',
  'reserveRisk',
  'realizedCap',
] as const;
export type ValuationMetric = (typeof valuationMetrics)[number];

/** The newest value of a metric. */
export interface MetricReading {
  readonly coin: string;
  /** Its day, `YYYY-MM-DD`. */
  readonly day: string;
  readonly value: number;
}

/** One table per request, because each can fail on its own. */
export type OnchainTables = { readonly [Name in `${Asset}EtfFlows`]: EtfFlows } & {
  readonly [Name in `${Asset}Treasury`]: Treasury;
} & { readonly [Name in ValuationMetric]: MetricReading };
