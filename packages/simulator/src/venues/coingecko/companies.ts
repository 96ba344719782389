import { hash32, WEEK_MS } from '@crosstape/core';
import { uniformOf } from '../../market/noise.ts';

const COUNTRIES = ['US', 'JP', 'CA', 'GB', 'DE', 'HK', null] as const;

export interface HeldCoin {
  readonly coin: string;
  readonly supply: number;
  /** More than one page of them, for one of the coins. */
  readonly companies: number;
  /** Held by the largest. */
  readonly largest: number;
}

export const HELD_COINS: Readonly<Record<string, HeldCoin>> = {
  bitcoin: { coin: 'BTC', supply: 19_950_000, companies: 263, largest: 640_000 },
  ethereum: { coin: 'ETH', supply: 120_700_000, companies: 41, largest: 3_400_000 },
};

export interface Company {
  readonly name: string;
  readonly symbol: string | null;
  readonly country: string | null;
  readonly holdings: number;
  /** Paid for one coin, against the usual price; unknown of some. */
  readonly entryFactor: number | undefined;
}

/** Holders of a coin, the largest first. Some buy once a week. */
export function companiesOf(
  seed: number,
  { coin, companies, largest }: HeldCoin,
  nowMs: number,
): readonly Company[] {
  const week = Math.floor(nowMs / WEEK_MS);
  return Array.from({ length: companies }, (_, i) => {
    const salt = hash32(seed, i, coin.length, coin.charCodeAt(0));
    const bought = uniformOf(hash32(salt, 1)) < 0.3 ? 1 + 0.002 * (week % 500) : 1;
    return {
      name: `Treasury Company ${String(i + 1).padStart(3, '0')}`,
      symbol: uniformOf(hash32(salt, 2)) < 0.05 ? null : `T${String(i + 1).padStart(3, '0')}.US`,
      country: COUNTRIES[hash32(salt, 3) % COUNTRIES.length] ?? null,
      holdings: Math.round((largest / (i + 1) ** 1.3) * bought * 1000) / 1000,
      entryFactor: uniformOf(hash32(salt, 4)) < 0.1 ? undefined : 0.4 + uniformOf(hash32(salt, 5)),
    };
  }).toSorted((a, b) => b.holdings - a.holdings);
}
