import { type Fields, isWhole } from '../../json.ts';
import type { Level } from '../../market/book.ts';
import type { Coin } from '../../market/coins.ts';
import type { Market } from '../../market/market.ts';
import { priceDecimals, tickAt } from '../../market/tick.ts';
import { decimal } from './print.ts';

const LEVELS_MAX = 20;
const LEVELS_FAST = 5;
/** Levels gathered into coarser ones: three figures take 2,000 of them, and 20,000 of a price above 100,000. */
const LEVELS_GATHERED_MAX = 25_000;

/** {"px":"110427.0","sz":"4.11882","n":3} */
export interface WireLevel {
  readonly px: string;
  readonly sz: string;
  readonly n: number;
}

/** Aggregation of a book: figures from 2 to 5, and a mantissa of 2 or 5 only with five of them. */
export interface Grain {
  readonly nSigFigs: number | null;
  readonly mantissa: number | null;
}

/** Parses `nSigFigs` and `mantissa`; `undefined` if the venue does not accept them. */
export function readGrain({ nSigFigs, mantissa }: Fields): Grain | undefined {
  const figures = nSigFigs ?? null;
  const step = mantissa ?? null;
  if (figures !== null && !isWhole(figures, 2, 5)) return undefined;
  if (step === null) return { nSigFigs: figures, mantissa: null };
  return figures === 5 && (step === 2 || step === 5) ? { nSigFigs: figures, mantissa: step } : undefined;
}

/**
 * {"coin":"BTC","time":1754450974231,"levels":[[{"px":"113377.0","sz":"7.6699","n":17}],[…]]}; `spread` only on coarse
 * ones, `fast` only on the socket's quick ones.
 * https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/info-endpoint#l2-book-snapshot
 */
export function printBook(
  market: Market,
  coin: Coin,
  options: {
    readonly atMs: number;
    readonly skewMs: number;
    readonly grain: Grain;
    readonly isFast?: boolean;
  },
): unknown {
  const { atMs, skewMs, grain, isFast = false } = options;
  const count = isFast ? LEVELS_FAST : LEVELS_MAX;
  const { mid } = market.quote(coin.name, atMs);
  const book = market.book(coin.name, atMs, count * ticksOf(mid, coin, grain));
  const spread = (book.asks[0]?.price ?? 0) - (book.bids[0]?.price ?? 0);
  return {
    coin: coin.name,
    time: book.ts + skewMs,
    levels: [
      gather(book.bids, grain, Math.floor)
        .slice(0, count)
        .map((level) => printLevel(level, coin)),
      gather(book.asks, grain, Math.ceil)
        .slice(0, count)
        .map((level) => printLevel(level, coin)),
    ],
    ...(grain.nSigFigs === null ? {} : { spread: decimal(spread, 6) }),
    ...(isFast ? { fast: true } : {}),
  };
}

export function printLevel(level: Level, coin: Coin): WireLevel {
  return { px: decimal(level.price, 6), sz: decimal(level.size, coin.sizeDecimals), n: level.orders };
}

/** How many ticks a level takes near a price; the whole book takes no more than the maximum. */
function ticksOf(price: number, coin: Coin, grain: Grain): number {
  if (grain.nSigFigs === null) return 1;
  const dollar = 10 ** priceDecimals(coin.sizeDecimals);
  const tick = tickAt(Math.round(price * dollar), dollar) / dollar;
  return Math.min(LEVELS_GATHERED_MAX / LEVELS_MAX, Math.max(1, Math.ceil(unitOf(price, grain) / tick)));
}

/** The price step of a grain near a price. */
function unitOf(price: number, { nSigFigs, mantissa }: Grain): number {
  return 10 ** (Math.floor(Math.log10(price)) + 1 - (nSigFigs ?? 0)) * (mantissa ?? 1);
}

/** Merges levels of the same coarse price; bids are rounded down and asks up, so that the book stays uncrossed. */
function gather(levels: readonly Level[], grain: Grain, round: (x: number) => number): readonly Level[] {
  if (grain.nSigFigs === null) return levels;
  const gathered: { price: number; size: number; orders: number }[] = [];
  for (const level of levels) {
    const unit = unitOf(level.price, grain);
    // The small nudge keeps a price that is already coarse where it is.
    const price = round(level.price / unit + (round === Math.floor ? 1e-9 : -1e-9)) * unit;
    const last = gathered.at(-1);
    if (last && Math.abs(last.price - price) < unit / 2) {
      last.size += level.size;
      last.orders += level.orders;
    } else gathered.push({ price, size: level.size, orders: level.orders });
  }
  return gathered;
}
