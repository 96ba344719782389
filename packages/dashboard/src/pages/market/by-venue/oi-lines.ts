import type { Sample } from '../indicator.ts';
import { goneOn } from '../samples.ts';

/** Live samples of a venue that are kept: half a day of one every 30 seconds. */
export const LIVE_MAX = 1_500;

/** A venue's current figure. */
export interface OiNow {
  readonly venue: string;
  readonly oiContracts: number;
  readonly oiCoin?: number;
  readonly fetchedAt: number;
}

/** Coins of one contract; `undefined` where a venue reports no contracts. */
export function coinsPerContract({ oiContracts, oiCoin }: OiNow): number | undefined {
  return oiCoin !== undefined && oiContracts > 0 ? oiCoin / oiContracts : undefined;
}

/** Live samples of every venue with those of another answer. */
export function withLive(
  live: ReadonlyMap<string, readonly Sample[]>,
  rows: readonly OiNow[],
): ReadonlyMap<string, readonly Sample[]> {
  const next = new Map(live);
  for (const { venue, oiCoin, fetchedAt: ts } of rows) {
    if (oiCoin === undefined) continue;
    next.set(venue, goneOn(next.get(venue) ?? [], [{ ts, value: oiCoin }]).slice(-LIVE_MAX));
  }
  return next;
}

/** Recorded contracts as coins, and live samples after them. */
export function oiSamples(
  recorded: readonly { readonly t: number; readonly v: number }[],
  perContract: number,
  live: readonly Sample[],
): readonly Sample[] {
  return goneOn(
    recorded.map(({ t, v }) => ({ ts: t, value: v * perContract })),
    live,
  );
}
