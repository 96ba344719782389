import type { AnswerOf } from '@crosstape/client';
import { labelOf } from './expiries.ts';

type OptionChainRow = AnswerOf<'/options/chain'>['data'][number];

/** Exposure is expressed per move of one percent. */
const MOVE = 0.01;

interface Exposure {
  readonly callOi: number;
  readonly putOi: number;
  readonly gex: number;
  readonly callGex: number;
  readonly putGex: number;
}

interface StrikeExposure extends Exposure {
  readonly strike: number;
}

interface ExpiryExposure extends Exposure {
  readonly expiryMs: number;
}

/** The call and the put of one strike and expiry. */
export interface ChainRow {
  readonly key: string;
  readonly expiryMs: number;
  readonly expiryLabel: string;
  readonly strike: number;
  /** The venue's forward price at expiry. */
  readonly forward: number;
  readonly call?: OptionChainRow;
  readonly put?: OptionChainRow;
}

/** Calls and puts side by side, by expiry and strike. */
export function pairOptions(options: readonly OptionChainRow[]): readonly ChainRow[] {
  const rows = new Map<string, ChainRow>();
  for (const option of options) {
    const { expiryMs, strike, underlyingPrice: forward, type } = option;
    const key = `${expiryMs} ${strike}`;
    const known = rows.get(key) ?? { key, expiryMs, expiryLabel: labelOf(expiryMs), strike, forward };
    rows.set(key, { ...known, ...(type === 'C' ? { call: option } : { put: option }) });
  }
  return [...rows.values()].toSorted((a, b) => a.expiryMs - b.expiryMs || a.strike - b.strike);
}

/** Open interest and gamma exposure by strike, ascending, as `/options/gex` has them of all expiries together. */
export function strikesOf(options: readonly OptionChainRow[], spot: number): readonly StrikeExposure[] {
  return exposuresBy(options, spot, ({ strike }) => strike).map(([strike, sums]) => ({ strike, ...sums }));
}

/** The same by expiry, the next one first. */
export function expiriesOf(options: readonly OptionChainRow[], spot: number): readonly ExpiryExposure[] {
  return exposuresBy(options, spot, ({ expiryMs }) => expiryMs).map(([expiryMs, sums]) => ({
    expiryMs,
    ...sums,
  }));
}

/** Sums by a number of the options, ascending. Options without gamma or open interest are left out. */
function exposuresBy(
  options: readonly OptionChainRow[],
  spot: number,
  keyOf: (option: OptionChainRow) => number,
): readonly (readonly [number, Exposure])[] {
  const rows = new Map<number, { -readonly [Field in keyof Exposure]: number }>();
  for (const option of options) {
    const { type, oi, gamma } = option;
    if (gamma === undefined || oi === 0) continue;
    const key = keyOf(option);
    const row = rows.get(key) ?? { callOi: 0, putOi: 0, gex: 0, callGex: 0, putGex: 0 };
    const exposure = (type === 'C' ? 1 : -1) * gamma * oi * spot ** 2 * MOVE;
    row[type === 'C' ? 'callOi' : 'putOi'] += oi;
    row[type === 'C' ? 'callGex' : 'putGex'] += exposure;
    row.gex += exposure;
    rows.set(key, row);
  }
  return [...rows].toSorted(([a], [b]) => a - b);
}

/** The strikes with the largest exposure of calls and of puts, as `/options/gex` has them of all expiries together. */
export function wallsOf(strikes: readonly Pick<StrikeExposure, 'strike' | 'callGex' | 'putGex'>[]): {
  readonly call: number | undefined;
  readonly put: number | undefined;
} {
  const largest = (side: 'callGex' | 'putGex'): number | undefined =>
    strikes.filter((row) => row[side] !== 0).toSorted((a, b) => Math.abs(b[side]) - Math.abs(a[side]))[0]
      ?.strike;
  return { call: largest('callGex'), put: largest('putGex') };
}

/** A figure of a side of the chain. */
export interface ChainColumn {
  readonly name: string;
  readonly title: string;
  readonly hint: string;
  readonly isMinor?: boolean;
  readonly value: (option: OptionChainRow) => number | undefined;
}

/** From the outside to the strike. */
export const priceColumns: readonly ChainColumn[] = [
  { name: 'Oi', title: 'OI', hint: 'Open interest in coins', value: ({ oi }) => oi },
  {
    name: 'Volume',
    title: 'Vol 24 h',
    hint: 'Volume of 24 hours in coins',
    isMinor: true,
    value: ({ volume24h }) => volume24h,
  },
  {
    name: 'Iv',
    title: 'IV',
    hint: 'Implied volatility of the mark',
    value: ({ markIv }) => (markIv > 0 ? markIv : undefined),
  },
  { name: 'Mark', title: 'Mark $', hint: 'Mark price in USD', value: ({ markPriceUsd }) => markPriceUsd },
];

/** From the outside to the strike. */
export const greekColumns: readonly ChainColumn[] = [
  { name: 'Theta', title: 'Θ $', hint: 'Change in USD per day', isMinor: true, value: ({ theta }) => theta },
  { name: 'Vega', title: 'Vega $', hint: 'Change in USD per point of volatility', value: ({ vega }) => vega },
  { name: 'Gamma', title: 'Γ', hint: 'Change of delta per USD', isMinor: true, value: ({ gamma }) => gamma },
  { name: 'Delta', title: 'Δ', hint: 'Change in USD per USD of the forward', value: ({ delta }) => delta },
];

const chainColumns: readonly ChainColumn[] = [...priceColumns, ...greekColumns];

/** Sorted by `strike`, `callOi`, `putIv` and so on; with `-` from the largest. Unknown values come last. */
export function sortChain(rows: readonly ChainRow[], order: string): readonly ChainRow[] {
  const name = order.replace(/^-/, '');
  const sign = order.startsWith('-') ? -1 : 1;
  const side = name.startsWith('call') ? 'call' : 'put';
  const column = chainColumns.find((one) => `${side}${one.name}` === name);
  if (!column) return sign < 0 ? rows.toReversed() : rows;
  const valueOf = (row: ChainRow): number | undefined => {
    const option = row[side];
    return option && column.value(option);
  };
  return rows.toSorted((a, b) => {
    const [x, y] = [valueOf(a), valueOf(b)];
    if (x === undefined || y === undefined) return x === y ? 0 : x === undefined ? 1 : -1;
    return (x - y) * sign;
  });
}

/** Gamma is tiny and spans magnitudes: three digits and an exponent. */
export function gammaText(gamma: number): string {
  return gamma === 0 ? '0' : gamma.toExponential(2);
}
