import { plain, price } from '../../format/numbers.ts';

/** Coins with options. */
export const underlyings = ['BTC', 'ETH', 'SOL', 'XRP'] as const;
export type Underlying = (typeof underlyings)[number];

/** The decimals of the strike. */
export function strikeText(strike: number): string {
  const [, decimals = ''] = String(strike).split('.');
  return plain(strike, decimals.length);
}

/** A price among strikes: whole dollars where strikes are. */
export function levelText(level: number): string {
  return level >= 1_000 ? plain(level, 0) : price(level);
}
