import { mix } from '../../market/noise.ts';
import type { TradeRow } from '../../market/trade-rows.ts';

/** A decimal as the venue prints it: no exponent, no needless zeros, but at least one decimal. */
export function decimal(value: number, decimalsMax = 10): string {
  const text = value.toFixed(decimalsMax);
  const trimmed = text.includes('.') ? text.replace(/0+$/, '') : `${text}.`;
  const padded = trimmed.endsWith('.') ? `${trimmed}0` : trimmed;
  return padded === '-0.0' ? '0.0' : padded;
}

/**
 * {"coin":"BTC","side":"B","px":"69997.0","sz":"0.83613","time":1730160006192,
 *  "hash":"0x40d169aa…f9dd","tid":229986151112628,"users":["0xbuyer…","0xseller…"]}
 * https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/websocket/subscriptions
 */
export interface WireTrade {
  readonly coin: string;
  /** The aggressor: `B` bought, `A` sold. */
  readonly side: 'B' | 'A';
  readonly px: string;
  readonly sz: string;
  readonly time: number;
  readonly hash: string;
  readonly tid: number;
  /** Buyer, seller. */
  readonly users: readonly [string, string];
}

/** Prints a market's trades; addresses follow from the seed. */
export class TradePrinter {
  readonly #seed: number;
  readonly #takers: string[] = [];
  readonly #makers: string[] = [];

  constructor(seed: number) {
    this.#seed = seed;
  }

  print(row: TradeRow, skewMs: number): WireTrade {
    const taker = this.taker(row.taker);
    const maker = this.maker(row.maker);
    return {
      coin: row.coin,
      side: row.isBuy ? 'B' : 'A',
      px: decimal(row.price),
      sz: decimal(row.size),
      time: row.ts + skewMs,
      hash: transactionHash(row.order),
      tid: row.tid,
      users: row.isBuy ? [taker, maker] : [maker, taker],
    };
  }

  taker(account: number): string {
    return (this.#takers[account] ??= `0x${hex(mix(this.#seed ^ 0x7a4e, account), 5)}`);
  }

  maker(account: number): string {
    return (this.#makers[account] ??= `0x${hex(mix(this.#seed ^ 0x3a4e, account), 5)}`);
  }
}

const NO_HASH = `0x${'0'.repeat(64)}`;

/** All zeros for actions of the chain itself, such as a slice of a TWAP: 28 % of orders. */
export function transactionHash(order: number): string {
  return (order & 0xff) < 72 ? NO_HASH : `0x${hex(order, 8)}`;
}

function hex(salt: number, words: number): string {
  let text = '';
  for (let i = 0; i < words; i += 1) text += word(mix(salt, i) >>> 0);
  return text;
}

/** Hexadecimal digits of a byte, computed once: every trade has 32 of them. */
const bytes = Array.from({ length: 0x100 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function word(value: number): string {
  return `${bytes[value >>> 24]}${bytes[(value >>> 16) & 0xff]}${bytes[(value >>> 8) & 0xff]}${bytes[value & 0xff]}`;
}
