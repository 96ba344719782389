import type { Coin } from './coins.ts';
import { ExtraTrades } from './extra-trades.ts';
import type { Market } from './market.ts';
import { priceDecimals } from './tick.ts';
import { TradeColumns } from './trade-columns.ts';
import { BLOCK_TRADES_MAX } from './trades.ts';

/** A trade as an object, for the wire. */
export interface TradeRow {
  readonly coin: string;
  readonly isBuy: boolean;
  /** In dollars. */
  readonly price: number;
  /** In coins. */
  readonly size: number;
  readonly ts: number;
  readonly tid: number;
  readonly order: number;
  readonly taker: number;
  readonly maker: number;
  readonly isLiquidation: boolean;
}

/** How far back recent trades are looked for. */
const LOOK_BACK_MAX_MS = 86_400_000;

/** Reads a market's trades as objects, those asked for on top of it among them. */
export class TradeRows {
  readonly #market: Market;
  readonly extra: ExtraTrades;
  readonly #columns = new TradeColumns(2 * BLOCK_TRADES_MAX);

  constructor(market: Market) {
    this.#market = market;
    this.extra = new ExtraTrades(market);
  }

  /** The trades with `fromMs <= ts < toMs`, oldest first. Meant for short stretches. */
  read(coin: Coin, fromMs: number, toMs: number): TradeRow[] {
    const rows: TradeRow[] = [];
    for (let atMs = fromMs; atMs < toMs; ) {
      atMs = this.#market.fill(coin.name, atMs, toMs, this.#columns);
      for (let i = 0; i < this.#columns.length; i += 1) rows.push(this.#row(coin, i));
    }
    const extra = this.extra.read(coin, fromMs, toMs);
    return extra.length === 0 ? rows : [...rows, ...extra].toSorted((a, b) => a.ts - b.ts);
  }

  /** The newest trades up to a time, oldest first. */
  recent(coin: Coin, atMs: number, count: number): TradeRow[] {
    for (let spanMs = 10_000; ; spanMs *= 4) {
      const rows = this.read(coin, atMs + 1 - Math.min(spanMs, LOOK_BACK_MAX_MS), atMs + 1);
      if (rows.length >= count || spanMs >= LOOK_BACK_MAX_MS) return rows.slice(-count);
    }
  }

  #row(coin: Coin, i: number): TradeRow {
    const columns = this.#columns;
    return {
      coin: coin.name,
      isBuy: columns.isBuy[i] === 1,
      price: columns.price[i]! / 10 ** priceDecimals(coin.sizeDecimals),
      size: columns.lots[i]! / 10 ** coin.sizeDecimals,
      ts: columns.ts[i]!,
      tid: columns.tid[i]!,
      order: columns.order[i]!,
      taker: columns.taker[i]!,
      maker: columns.maker[i]!,
      isLiquidation: columns.isLiquidation[i] === 1,
    };
  }
}
