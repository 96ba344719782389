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
/** The first stretch that is looked through for them; each one before is longer. */
const LOOK_BACK_MS = 10_000;

/** The newest trades of a coin, as last requested. */
interface Newest {
  readonly count: number;
  /** All of them are older. */
  readonly toMs: number;
  readonly rows: readonly TradeRow[];
}

/** Reads a market's trades as objects, including extra ones. */
export class TradeRows {
  readonly #market: Market;
  readonly extra: ExtraTrades;
  readonly #columns = new TradeColumns(2 * BLOCK_TRADES_MAX);
  /** By coin. Trades of a rarely traded coin are many hours apart: drawing all of them again takes long. */
  readonly #newest = new Map<string, Newest>();

  constructor(market: Market) {
    this.#market = market;
    this.extra = new ExtraTrades(market);
  }

  /** The trades with `fromMs <= ts < toMs`, oldest first. Meant for short stretches. */
  read(coin: Coin, fromMs: number, toMs: number): TradeRow[] {
    return this.#withExtra(coin, this.#traded(coin, fromMs, toMs), fromMs, toMs);
  }

  /** The newest trades up to a time, oldest first. */
  recent(coin: Coin, atMs: number, count: number): TradeRow[] {
    const toMs = atMs + 1;
    const oldestMs = toMs - LOOK_BACK_MAX_MS;
    const rows = this.#newestRows(coin, toMs, count).filter(({ ts }) => ts >= oldestMs);
    return this.#withExtra(coin, rows, oldestMs, toMs).slice(-count);
  }

  /** At least as many rows of the market as requested, unless there are fewer within the look-back. */
  #newestRows(coin: Coin, toMs: number, wanted: number): readonly TradeRow[] {
    const last = this.#newest.get(coin.name);
    const known = last && last.toMs <= toMs && last.count >= wanted ? last : undefined;
    const count = known?.count ?? wanted;
    const fromMs = Math.max(toMs - LOOK_BACK_MAX_MS, known?.toMs ?? 0);
    let rows: readonly TradeRow[] = [];
    for (let [endMs, spanMs] = [toMs, LOOK_BACK_MS]; endMs > fromMs && rows.length < count; spanMs *= 4) {
      const startMs = Math.max(fromMs, endMs - spanMs);
      rows = [...this.#traded(coin, startMs, endMs), ...rows];
      endMs = startMs;
    }
    if (known && rows.length < count) rows = [...known.rows, ...rows];
    rows = rows.slice(-count);
    this.#newest.set(coin.name, { count, toMs, rows });
    return rows;
  }

  /** Trades of the market itself. */
  #traded(coin: Coin, fromMs: number, toMs: number): TradeRow[] {
    const rows: TradeRow[] = [];
    for (let atMs = fromMs; atMs < toMs; ) {
      atMs = this.#market.fill(coin.name, atMs, toMs, this.#columns);
      for (let i = 0; i < this.#columns.length; i += 1) rows.push(this.#row(coin, i));
    }
    return rows;
  }

  #withExtra(coin: Coin, rows: TradeRow[], fromMs: number, toMs: number): TradeRow[] {
    const extra = this.extra.read(coin, fromMs, toMs);
    return extra.length === 0 ? rows : [...rows, ...extra].toSorted((a, b) => a.ts - b.ts);
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
