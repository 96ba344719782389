import type { RoundedBook } from '@crosstape/core';
import { type DepthLevel, type DepthSide, type DepthSnapshot, midOf, REACH } from './recorded-depth.ts';

/**
 * Sizes are rounded to whole units; the unit is the largest power of ten with which the largest size takes this many.
 * Narrow levels near the mid have a hundredth of it.
 */
const UNITS_MIN = 10_000;

/** +1 for asks and −1 for bids: a price times its sign grows away from the mid. */
type Sign = 1 | -1;

/**
 * One book of several that were rounded to different numbers of figures, finest first: the levels of the finest, then what
 * the next one has beyond it. `undefined` where a side is empty.
 */
export function joinBooks(t: number, books: readonly RoundedBook[]): DepthSnapshot | undefined {
  if (books.length === 0 || books.some(({ bids, asks }) => bids.length === 0 || asks.length === 0))
    return undefined;
  const all = books.flatMap(({ figures, bids, asks }) => [
    ...bids.map(([price]) => widthExponent(price, figures, -1)),
    ...asks.map(([price]) => widthExponent(price, figures, 1)),
  ]);
  const stepExponent = Math.min(...all);
  const sizes = books.flatMap(({ bids, asks }) => [...bids, ...asks].map(([, size]) => size));
  const unitExponent = Math.floor(Math.log10(Math.max(...sizes) / UNITS_MIN));
  const scale = { stepExponent, unitExponent };
  const bids = sideOf(books, -1, scale);
  const asks = sideOf(books, 1, scale);
  const mid = midOf({ bids, asks });
  return { t, ...scale, bids: near(bids, mid, -1), asks: near(asks, mid, 1) };
}

type Scale = Pick<DepthSnapshot, 'stepExponent' | 'unitExponent'>;

function sideOf(books: readonly RoundedBook[], sign: Sign, scale: Scale): DepthSide {
  let joined: DepthSide = { levels: [], isCut: true };
  for (const book of books) {
    if (!joined.isCut) break;
    joined = withBeyond(joined, scaled(book, sign, scale), sign);
  }
  return joined;
}

/** One side of a rounded book in whole steps and units. */
function scaled(book: RoundedBook, sign: Sign, { stepExponent, unitExponent }: Scale): DepthSide {
  const side = sign === 1 ? book.asks : book.bids;
  const levels = side.map(
    ([price, size]): DepthLevel => ({
      price: Math.round(price * 10 ** -stepExponent),
      width: 10 ** (widthExponent(price, book.figures, sign) - stepExponent),
      size: Math.round(size * 10 ** -unitExponent),
    }),
  );
  return { levels, isCut: levels.length >= book.levelsMax };
}

/** A side, and after it what a coarser one has further out: of a level that it reaches into, the rest. */
function withBeyond(fine: DepthSide, coarse: DepthSide, sign: Sign): DepthSide {
  const last = fine.levels.at(-1);
  if (!last) return coarse;
  const end = sign * last.price;
  const beyond = coarse.levels.flatMap((level): DepthLevel[] => {
    const { price, width, size } = level;
    const covered = end - (sign * price - width);
    if (covered >= width) return [];
    if (covered <= 0) return [level];
    const seen = fine.levels.filter((one) => sign * one.price > sign * price - width);
    const rest = size - seen.reduce((sum, one) => sum + one.size, 0);
    return rest > 0 ? [{ price, width, size: rest }] : [];
  });
  return { levels: [...fine.levels, ...beyond], isCut: coarse.isCut };
}

/** The levels within reach, and the next one. */
function near({ levels, isCut }: DepthSide, mid: number, sign: Sign): DepthSide {
  const end = sign * mid * (1 + sign * REACH);
  const first = levels.findIndex(({ price }) => sign * price >= end);
  const isAll = first < 0 || first === levels.length - 1;
  const kept = levels.slice(0, first < 0 ? undefined : first + 1);
  // What is smaller than half a unit is not recorded; the last one says how far the levels reach.
  const seen = kept.filter(({ size }, i) => size > 0 || i === kept.length - 1);
  return { levels: seen, isCut: isCut || !isAll };
}

/**
 * The width of a level is this power of ten. Prices are rounded away from the mid, so that an ask at a power of ten was
 * below it.
 */
function widthExponent(price: number, figures: number, sign: Sign): number {
  const exponent = decadeOf(price);
  const isRoundedUp = sign === 1 && price === Number(`1e${exponent}`);
  return exponent + 1 - figures - (isRoundedUp ? 1 : 0);
}

/** The power of ten of the first digit; logarithms are not exact near powers of ten. */
function decadeOf(price: number): number {
  return Number(price.toExponential().split('e')[1]);
}
