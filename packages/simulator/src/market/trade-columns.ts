/** Trades as columns, filled in place: nothing is allocated per trade. */
export class TradeColumns {
  readonly capacity: number;
  length = 0;
  /** Block time; many trades share one. */
  readonly ts: Float64Array;
  /** In units of 10^-(6 - sizeDecimals) dollars. */
  readonly price: Int32Array;
  /** In lots of 10^-sizeDecimals coins. */
  readonly lots: Int32Array;
  /** 1 when the taker bought. */
  readonly isBuy: Uint8Array;
  /** Fills of one taker order follow one another and share this number; the orders next to them have another. */
  readonly order: Uint32Array;
  /** Hash-like, 50 bits. */
  readonly tid: Float64Array;
  /** Numbers of the accounts that took and made. */
  readonly taker: Int32Array;
  readonly maker: Int32Array;
  /** 1 when the taker's order was a liquidation: the truth that the venue's public trades do not include. */
  readonly isLiquidation: Uint8Array;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.ts = new Float64Array(capacity);
    this.price = new Int32Array(capacity);
    this.lots = new Int32Array(capacity);
    this.isBuy = new Uint8Array(capacity);
    this.order = new Uint32Array(capacity);
    this.tid = new Float64Array(capacity);
    this.taker = new Int32Array(capacity);
    this.maker = new Int32Array(capacity);
    this.isLiquidation = new Uint8Array(capacity);
  }
}
