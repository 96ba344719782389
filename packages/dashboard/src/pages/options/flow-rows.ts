import { labelOf } from './expiries.ts';

/** Sums of what takers bought and sold, in dollars. */
interface Sums {
  readonly boughtUsd: number;
  readonly soldUsd: number;
}

interface Sides {
  readonly calls: Sums;
  readonly puts: Sums;
}

export const flowTypes = ['both', 'calls', 'puts'] as const;
export type FlowType = (typeof flowTypes)[number];

export interface FlowBar {
  readonly x: number;
  /** What takers bought. */
  readonly up: number;
  /** What they sold, below zero. */
  readonly down: number;
}

/** Bars of premium: by expiry at their places, by strike at the strikes. */
export function flowBars(
  rows: readonly (Sides & ({ readonly expiryMs: number } | { readonly strike: number }))[],
  type: FlowType,
): readonly FlowBar[] {
  return rows.map((row, i) => {
    const sums = type === 'both' ? [row.calls, row.puts] : [row[type]];
    return {
      x: 'strike' in row ? row.strike : i,
      up: sums.reduce((sum, { boughtUsd }) => sum + boughtUsd, 0),
      down: -sums.reduce((sum, { soldUsd }) => sum + soldUsd, 0),
    };
  });
}

/** The premium of block trades as a share of all; `undefined` without trades. */
export function blockShareOf(flow: Sides & { readonly blocks: Sides }): number | undefined {
  const premium = ({ calls, puts }: Sides): number =>
    calls.boughtUsd + calls.soldUsd + puts.boughtUsd + puts.soldUsd;
  const all = premium(flow);
  return all > 0 ? premium(flow.blocks) / all : undefined;
}

/** Labels of expiries, `27NOV26`. */
export function expiryLabelsOf(rows: readonly { readonly expiryMs: number }[]): readonly string[] {
  return rows.map(({ expiryMs }) => labelOf(expiryMs));
}
