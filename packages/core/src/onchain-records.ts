/** Records of spot ETFs, treasuries and valuation. */
export const assets = ['bitcoin', 'ethereum'] as const;
export type Asset = (typeof assets)[number];

/** Net flows of the spot ETFs of an asset on one trading day. */
export interface EtfDay {
  /** As the source writes it. */
  readonly label: string;
  /** 00:00 UTC of the day. */
  readonly dayMs: number;
  /** Ticker to millions of dollars. Who has not reported is absent. */
  readonly flowsUsdm: Readonly<Record<string, number>>;
  /** Sum of the funds that have reported. */
  readonly totalUsdm: number;
}

/** Net flows of the spot ETFs of an asset. */
export interface EtfFlows {
  readonly coin: string;
  /** Of every ETF that the source has a column for, in its order. */
  readonly tickers: readonly string[];
  /** Days on which at least one has reported, ascending. */
  readonly days: readonly EtfDay[];
  /** Whether it goes back to the day of the launch; but for `refusedDays`, none is left out since. */
  readonly isSinceLaunch: boolean;
  /** Days of the source that are inconsistent, as it writes them. Absent when there are none. */
  readonly refusedDays?: readonly string[];
}

/** What one company holds of an asset. */
export interface TreasuryCompany {
  readonly name: string;
  /** Empty when it has none. */
  readonly symbol: string;
  /** Empty when it is not known. */
  readonly country: string;
  /** In coins. */
  readonly holdings: number;
  /** 0 when it is not known. */
  readonly entryValueUsd: number;
  /** Absent where the source does not say. */
  readonly valueUsd?: number;
  readonly supplyPct?: number;
}

/** What public companies hold of an asset, or a page of it. */
export interface Treasury {
  readonly coin: string;
  /** Of all companies, in coins. Absent, as the other totals, where the source does not say. */
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
  /** The day that it describes, `YYYY-MM-DD`. */
  readonly day: string;
  readonly value: number;
}

/** One table for whatever is fetched, and can fail, on its own. */
export type OnchainTables = { readonly [Name in `${Asset}EtfFlows`]: EtfFlows } & {
  readonly [Name in `${Asset}Treasury`]: Treasury;
} & { readonly [Name in ValuationMetric]: MetricReading };
