import { dayOfLabel, type OptionType } from '@crosstape/core';
import { Malformed } from '../venue.ts';

const NAME = /^([A-Z0-9]+)(?:_(USDC|USDT))?-(\d{1,2}[A-Z]{3}\d{2})-(\d+(?:[dD.]\d+)?)-([CP])$/;
/** Options expire at 08:00 UTC [D, M]. */
const EXPIRY_TIME_MS = 8 * 3_600_000;

export interface OptionName {
  readonly coin: string;
  /** The stablecoin that it is quoted and settled in; absent where that is the coin itself. */
  readonly stablecoin?: string;
  readonly expiryMs: number;
  readonly strike: number;
  readonly type: OptionType;
}

/**
 * All that a name says: `BTC-27DEC26-100000-C`, `SOL_USDC-3JUL26-45-C`, `XRP_USDC-21SEP26-1d25-P`. The day may have one
 * digit, and `d` is the decimal point of a strike [D, N], in archives also `D` [M].
 * https://docs.deribit.com/#naming
 */
export function readOptionName(name: string): OptionName {
  const [, coin, stablecoin, label, digits, type] = NAME.exec(name) ?? [];
  const dayMs = dayOfLabel(label ?? '');
  const strike = Number(digits?.replace(/d/i, '.'));
  if (coin === undefined || dayMs === undefined || !(strike > 0))
    throw new Malformed(`${JSON.stringify(name)} is not the name of an option`);
  return {
    coin,
    ...(stablecoin !== undefined && { stablecoin }),
    expiryMs: dayMs + EXPIRY_TIME_MS,
    strike,
    type: type as OptionType,
  };
}
