import { hashText } from '@crosstape/core';
import { mix, uniformOf } from '../market/noise.ts';
import type { TradeMarket } from './trade-ledger.ts';

/** A level as a venue prints it: price, size and number of orders. */
export type WireLevel = readonly [price: string, size: string, orders: number];

export interface WireSides {
  /** Best first. */
  readonly bids: readonly WireLevel[];
  readonly asks: readonly WireLevel[];
}

/** The book of a simulated market, in the units of its tape. */
export interface BookMarket {
  readonly market: TradeMarket;
  readonly price: (price: number) => string;
  readonly size: (size: number, price: number) => string;
}

/** Messages to a client that subscribes to a book. */
export interface BookFollowing {
  readonly book: BookMarket;
  /** Levels a side. */
  readonly depth: number;
  /** The venue sends the whole book each time. */
  readonly isWhole?: boolean;
  /** The frames of a message, each with the next number where the venue numbers them. */
  print(message: BookMessage, nextNumber: () => number): readonly string[];
}

/** The whole book, or the changed levels: a removed one has a size of `0`. */
interface BookMessage extends WireSides {
  readonly isSnapshot: boolean;
  /** The book after it. */
  readonly after: WireSides;
  /** The venue's time. */
  readonly ts: number;
}

/** Price steps, in powers of ten below the price, or as fine as the venue prints them. */
const STEP_DIGITS = 4;
/** How long an order rests at a price, each with its own phase. */
const RESTING_MS = 4_000;
const LEVEL_USD = 40_000;
const GROWTH = 0.2;
/** One in eight prices has no order. */
const EMPTY_MASK = 7;
/** Prices that are looked at for each level, where the venue prints coarser ones. */
const LOOKS_PER_LEVEL = 64;

/** The book at a time, around the price of the last trade: a pure function of the market. */
function bookAt({ market, price, size }: BookMarket, atMs: number, depth: number): WireSides {
  const { symbol, tape } = market;
  const next = tape.nextAt(atMs);
  const last = tape.read(next - 1, next)[0];
  if (!last) return { bids: [], asks: [] };
  const step = 10 ** (Math.floor(Math.log10(last.price)) - STEP_DIGITS);
  const salt = hashText(symbol);
  const side = (from: number, direction: 1 | -1, isFree: (text: string) => boolean): readonly WireLevel[] => {
    const levels: WireLevel[] = [];
    let before = '';
    for (let i = 0; levels.length < depth && i < depth * LOOKS_PER_LEVEL; i += 1) {
      const place = from + direction * i;
      const text = price(place * step);
      if (text === before || !(Number(text) > 0) || !isFree(text)) continue;
      const spot = mix(salt, hashText(text));
      const hash = mix(spot, Math.floor((atMs + (spot & 4095)) / RESTING_MS));
      before = text;
      if ((hash & EMPTY_MASK) === 0 && levels.length > 0) continue;
      const usd = LEVEL_USD * (0.1 + uniformOf(hash)) * (1 + GROWTH * levels.length);
      const printed = size(usd / last.price, last.price);
      if (Number(printed) > 0) levels.push([text, printed, 1 + ((hash >>> 4) & 7)]);
    }
    return levels;
  };
  const middle = Math.floor(last.price / step);
  const bids = side(middle, -1, () => true);
  const best = Number(bids[0]?.[0] ?? 0);
  return { bids, asks: side(middle + 1, 1, (text) => Number(text) > best) };
}

/** The levels that differ, removed ones with a size of `0`. */
function changesOf(before: WireSides, after: WireSides): WireSides {
  return { bids: sideChanges(before.bids, after.bids), asks: sideChanges(before.asks, after.asks) };
}

function sideChanges(before: readonly WireLevel[], after: readonly WireLevel[]): readonly WireLevel[] {
  const old = new Map(before.map((level) => [level[0], level]));
  const kept = new Set(after.map(([price]) => price));
  const gone = before.flatMap(([price]): WireLevel[] => (kept.has(price) ? [] : [[price, '0', 0]]));
  const others = after.filter((level) => {
    const known = old.get(level[0]);
    return known?.[1] !== level[1] || known[2] !== level[2];
  });
  return [...gone, ...others];
}

/** Sends the books that one client follows. */
export class FollowedWireBooks {
  readonly #followed = new Map<
    string,
    { readonly following: BookFollowing; number: number; sent?: WireSides }
  >();

  add(topic: string, following: BookFollowing, atMs: number): void {
    this.#followed.set(topic, { following, number: Math.floor(atMs) % 1_000_000_000 });
  }

  delete(topic: string): void {
    this.#followed.delete(topic);
  }

  /** The frames that are due, with the symbol and the book that they lead to. */
  due(
    atMs: number,
    ts: number,
  ): readonly { readonly symbol: string; readonly book: WireSides; readonly frames: readonly string[] }[] {
    return [...this.#followed.values()].flatMap((followed) => {
      const { following, sent } = followed;
      const after = bookAt(following.book, atMs, following.depth);
      const isSnapshot = following.isWhole === true || !sent;
      const { bids, asks } = isSnapshot ? after : changesOf(sent, after);
      if (!isSnapshot && bids.length + asks.length === 0) return [];
      followed.sent = after;
      const nextNumber = (): number => (followed.number += 1);
      const frames = following.print({ isSnapshot, bids, asks, after, ts }, nextNumber);
      return [{ symbol: following.book.market.symbol, book: after, frames }];
    });
  }
}
