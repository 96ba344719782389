import {
  createIdColumns,
  createReceiptColumns,
  createTickColumns,
  type IdColumns,
  type ReceiptColumns,
  tenTo,
  type TickColumns,
  type Trade,
} from '@crosstape/core';
import { decimalsOf, fits, shorten } from './column-decimals.ts';
import type { Ticks } from './tick-table.ts';

const CAPACITY_MIN = 64;

/** State that decides whether the next trade belongs to the same order. */
export interface LastTrade {
  readonly ts: number;
  readonly isBuy: number;
}

/** A trade after the last one that was kept. The venue may have sent others of its order in between, which were dropped. */
export function following(last: LastTrade | undefined, trade: Trade): Trade {
  const isFirst = trade.sameOrder && (last?.ts !== trade.ts || last.isBuy !== (trade.side === 'buy' ? 1 : 0));
  return isFirst ? { ...trade, sameOrder: false } : trade;
}

/** Trades of one coin as columns that grow. */
export class TickBuffer implements Ticks {
  columns: TickColumns;
  ids: IdColumns;
  /** Absent while no receive time is known; later trades than its length have none. */
  receipts: ReceiptColumns | undefined;

  /** With room for this many trades to begin with. */
  constructor(capacity: number = CAPACITY_MIN) {
    this.columns = createTickColumns(Math.max(capacity, CAPACITY_MIN));
    this.ids = createIdColumns(Math.max(capacity, CAPACITY_MIN));
  }

  /** Time of the newest trade; `undefined` if there is none. */
  get lastTs(): number | undefined {
    return this.length === 0 ? undefined : this.columns.ts[this.length - 1];
  }

  /** The newest trade. */
  get last(): LastTrade | undefined {
    const { length, ts, isBuy } = this.columns;
    return length === 0 ? undefined : { ts: ts[length - 1] as number, isBuy: isBuy[length - 1] as number };
  }

  get length(): number {
    return this.columns.length;
  }

  add(trade: Trade): void {
    this.#reserve(this.length + 1);
    const { columns, ids } = this;
    const i = columns.length;
    columns.ts[i] = trade.ts;
    columns.isBuy[i] = trade.side === 'buy' ? 1 : 0;
    columns.sameOrder[i] = trade.sameOrder ? 1 : 0;
    if (!fits(trade.price, columns.priceDecimals) || !fits(trade.size, columns.sizeDecimals))
      this.#scale(decimalsOf(trade.price), decimalsOf(trade.size));
    columns.price[i] = Math.round(trade.price * tenTo(columns.priceDecimals));
    columns.size[i] = Math.round(trade.size * tenTo(columns.sizeDecimals));
    ids.tid[i] = trade.tid;
    ids.lateMs[i] = trade.ts - (trade.venueTs ?? trade.ts);
    if (trade.recvLagMs !== undefined) this.#receiptColumns().lagMs[i] = trade.recvLagMs;
    this.#setLength(i + 1);
  }

  /** Takes over trades that are columns already: those with `from <= i < to`. */
  addTicks({ columns, ids, receipts }: Ticks, from = 0, to = columns.length): void {
    const length = to - from;
    this.#reserve(this.length + length);
    this.#scale(columns.priceDecimals, columns.sizeDecimals);
    const priceFactor = 10 ** (this.columns.priceDecimals - columns.priceDecimals);
    const sizeFactor = 10 ** (this.columns.sizeDecimals - columns.sizeDecimals);
    const at = this.length;
    for (let i = 0; i < length; i += 1) {
      this.columns.price[at + i] = (columns.price[from + i] as number) * priceFactor;
      this.columns.size[at + i] = (columns.size[from + i] as number) * sizeFactor;
    }
    this.columns.ts.set(columns.ts.subarray(from, to), at);
    this.columns.isBuy.set(columns.isBuy.subarray(from, to), at);
    this.columns.sameOrder.set(columns.sameOrder.subarray(from, to), at);
    this.ids.tid.set(ids.tid.subarray(from, to), at);
    this.ids.lateMs.set(ids.lateMs.subarray(from, to), at);
    if (receipts) this.#receiptColumns().lagMs.set(receipts.lagMs.subarray(from, to), at);
    this.#setLength(at + length);
  }

  /** Adds the next trades of a chunk. Where trades between them are missing, the first one no longer continues an order. */
  follow(ticks: Ticks): void {
    const at = this.length;
    this.addTicks(ticks);
    const { ts, isBuy, sameOrder } = this.columns;
    if (at > 0 && (ts[at] !== ts[at - 1] || isBuy[at] !== isBuy[at - 1])) sameOrder[at] = 0;
  }

  /** Keeps only the oldest, and drops the decimals that only the others needed. */
  truncate(length: number): void {
    this.#setLength(length);
    this.receipts?.lagMs.fill(Number.NaN, length);
    const { price, size, priceDecimals, sizeDecimals } = this.columns;
    this.columns.priceDecimals = shorten(price, length, priceDecimals);
    this.columns.sizeDecimals = shorten(size, length, sizeDecimals);
  }

  /** Gives back its room: 8,192 trades take 400 KB. */
  clear(): void {
    this.columns = createTickColumns(CAPACITY_MIN);
    this.ids = createIdColumns(CAPACITY_MIN);
    this.receipts = undefined;
  }

  #setLength(length: number): void {
    this.columns.length = length;
    this.ids.length = length;
    if (this.receipts) this.receipts.length = length;
  }

  #receiptColumns(): ReceiptColumns {
    if (!this.receipts) {
      this.receipts = createReceiptColumns(this.columns.ts.length);
      this.receipts.lagMs.fill(Number.NaN);
    }
    return this.receipts;
  }

  /** Decimals only ever grow within a buffer; earlier values are converted. */
  #scale(priceDecimals: number, sizeDecimals: number): void {
    const { columns } = this;
    if (priceDecimals > columns.priceDecimals) {
      rescale(columns.price, columns.length, priceDecimals - columns.priceDecimals);
      columns.priceDecimals = priceDecimals;
    }
    if (sizeDecimals > columns.sizeDecimals) {
      rescale(columns.size, columns.length, sizeDecimals - columns.sizeDecimals);
      columns.sizeDecimals = sizeDecimals;
    }
  }

  #reserve(length: number): void {
    if (length <= this.columns.ts.length) return;
    const { columns, ids, receipts } = this;
    this.columns = createTickColumns(Math.max(length, columns.ts.length * 2));
    this.ids = createIdColumns(this.columns.ts.length);
    this.receipts = undefined;
    this.addTicks({ columns, ids, receipts });
  }
}

function rescale(values: Float64Array, length: number, decimals: number): void {
  const factor = 10 ** decimals;
  for (let i = 0; i < length; i += 1) values[i] = (values[i] as number) * factor;
}
