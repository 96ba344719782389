import type { OptionQuote } from '../records.ts';

/**
 * The strike of each expiry at which its options pay least in total if it settles there: the lowest of several. Only
 * strikes with open interest count. An expiry without open interest in calls or in puts has none.
 */
export function maxPainByExpiry(options: readonly OptionQuote[]): ReadonlyMap<number, number> {
  const chains = new Map<number, Map<number, StrikeOi>>();
  for (const { expiryMs, strike, type, openInterest } of options) {
    if (openInterest <= 0) continue;
    const chain = chains.get(expiryMs) ?? new Map<number, StrikeOi>();
    chains.set(expiryMs, chain);
    const held = chain.get(strike) ?? { strike, C: 0, P: 0 };
    held[type] += openInterest;
    chain.set(strike, held);
  }
  return new Map(
    [...chains].flatMap(([expiryMs, chain]) => {
      const strike = maxPainOf([...chain.values()]);
      return strike === undefined ? [] : [[expiryMs, strike] as const];
    }),
  );
}

/** Open interest of calls and puts of a strike. */
interface StrikeOi {
  readonly strike: number;
  C: number;
  P: number;
}

/** Open interest in coins has at most eight decimals: compared as whole numbers. */
const UNITS_A_COIN = 1e8;

/**
 * A dollar further up, every call at or below pays a dollar more and every put above a dollar less. The payout is least
 * where the former are no fewer than the latter for the first time.
 */
function maxPainOf(chain: readonly StrikeOi[]): number | undefined {
  const units = (coins: number): number => Math.round(coins * UNITS_A_COIN);
  let calls = 0;
  let puts = chain.reduce((sum, { P }) => sum + units(P), 0);
  if (puts === 0 || chain.every(({ C }) => C === 0)) return undefined;
  for (const { strike, C, P } of chain.toSorted((a, b) => a.strike - b.strike)) {
    calls += units(C);
    puts -= units(P);
    if (calls >= puts) return strike;
  }
  return undefined;
}
