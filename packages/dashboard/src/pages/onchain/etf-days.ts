import type { Schemas } from '@crosstape/client';
import { plain, usd } from '../../format/numbers.ts';

export interface AssetParam {
  value: 'bitcoin' | 'ethereum';
}

export const assetCoins = { bitcoin: 'BTC', ethereum: 'ETH' } as const;

type EtfFlows = Schemas['EtfFlowsSnap'];
const USD_PER_MILLION = 1_000_000;

export interface EtfDay {
  readonly dateMs: number;
  readonly label: string;
  readonly totalUsdm: number;
  /** All flows up to this day. */
  readonly cumulativeUsdm: number;
  readonly isPartial: boolean;
  readonly values: Readonly<Record<string, number>>;
}

/** The days with their running totals: the source has that of the last one. */
export function daysOf({ rows, cumulativeUsdm }: EtfFlows): readonly EtfDay[] {
  const sum = rows.reduce((total, row) => total + row.total, 0);
  let cumulative = cumulativeUsdm - sum;
  return rows.map(({ dateMs, dateLabel, total, partial, values }) => {
    cumulative += total;
    return {
      dateMs,
      label: dateLabel,
      totalUsdm: total,
      cumulativeUsdm: cumulative,
      isPartial: partial === true,
      values,
    };
  });
}

/** The sum of a fund, or of all, over the displayed days; `undefined` if none has reported. */
export function sumOf(days: readonly EtfDay[], ticker: string): number | undefined {
  const shown = days.flatMap(({ values }) => values[ticker] ?? []);
  return shown.length === 0 ? undefined : shown.reduce((total, one) => total + one, 0);
}

/** `+$112.4M` */
export function flowText(usdm: number | undefined, digits = 1): string {
  return usd(usdm === undefined ? undefined : usdm * USD_PER_MILLION, { signed: true, digits });
}

/** `$28.93B` */
export function sumText(usdm: number | undefined): string {
  return usd(usdm === undefined ? undefined : usdm * USD_PER_MILLION, { digits: 2 });
}

/** Millions with one decimal, as in the grid; a zero is a value, and missing reports are a dash. */
export function cellText(usdm: number | undefined): string {
  return usdm === 0 ? '0' : plain(usdm, 1);
}
