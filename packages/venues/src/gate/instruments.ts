import type { Instrument } from '@crosstape/core';
import { isGoldToken } from '../gold-tokens.ts';
import { type Fields, readObject, readPositiveDecimal, readText, readTick } from '../reading.ts';
import { Malformed } from '../venue.ts';

/** `BTC_USDT`: what stands before the settlement currency is the coin. */
const SETTLED_IN_USDT = /^(.+)_USDT$/;

/** A contract that is ours: crypto, linear, perpetual, and trading now. */
export interface Listing extends Instrument {
  readonly contractSize: number;
  readonly fields: Fields;
}

/**
 * Whether a row of `/futures/usdt/contracts` is ours, and what it is a contract of. `quanto_multiplier` is the coins
 * in one contract [D], which is how small coins are scaled here: no `1000…` names. `status` is `trading` among
 * `prelaunch`, `delisting`, `delisted`, `circuit_breaker` [D], `suspend` [C]. `contract_type` is empty for crypto and
 * names the group of the others: `stocks`, `metals`, `forex` [M]; tokens of gold are among the metals [L]. Older answers
 * have neither `status` nor `contract_type` [L].
 */
export function parseListing(row: unknown, i: number): Listing | undefined {
  const fields = readObject(row, `answer[${i}]`);
  const symbol = readText(fields.name, `answer[${i}].name`);
  const { type, status, contract_type: group } = fields;
  const isOurs =
    (type ?? 'direct') === 'direct' &&
    (status ?? 'trading') === 'trading' &&
    fields.in_delisting !== true &&
    fields.is_pre_market !== true;
  if (!isOurs) return undefined;
  const coin = SETTLED_IN_USDT.exec(symbol)?.[1];
  if (coin === undefined) throw new Malformed(`${symbol} does not settle in USDT`);
  if ((group ?? '') !== '' && !isGoldToken(coin)) return undefined;
  const contractSize = readPositiveDecimal(fields.quanto_multiplier, `${symbol}.quanto_multiplier`);
  return { symbol, coin, quote: 'USDT', contractSize, ...readTick(fields.order_price_round), fields };
}
