import { BLOCK_MS } from './blocks.ts';
import type { Cascade } from './cascades.ts';
import type { Coin } from './coins.ts';
import type { Market } from './market.ts';
import { TradeRows } from './trade-rows.ts';

/** An order by which a position was closed, with all its fills; they share a block, and so their time. */
export interface ForcedOrder {
  readonly order: number;
  readonly ts: number;
  readonly isBuy: boolean;
  /** In coins and in dollars. */
  readonly size: number;
  readonly notional: number;
}

/** Cascades that are remembered: a day of all coins has a few hundred. */
const CASCADES_MAX = 2_000;

const known = new WeakMap<Market, ForcedOrders>();

/** Shared by all venues of a market: each cascade is read once, because reading trades is expensive. */
export function forcedOrdersOf(market: Market): ForcedOrders {
  const orders = known.get(market) ?? new ForcedOrders(market);
  known.set(market, orders);
  return orders;
}

/** The forced orders of cascades: nothing is forced outside one. */
class ForcedOrders {
  readonly #rows: TradeRows;
  readonly #read = new Map<string, readonly ForcedOrder[]>();

  constructor(market: Market) {
    this.#rows = new TradeRows(market);
  }

  of(coin: Coin, { startBlock, endBlock }: Cascade): readonly ForcedOrder[] {
    const key = `${coin.name} ${startBlock}`;
    const remembered = this.#read.get(key);
    if (remembered) return remembered;
    const orders = new Map<number, ForcedOrder>();
    for (const row of this.#rows.read(coin, startBlock * BLOCK_MS, (endBlock + 1) * BLOCK_MS)) {
      if (!row.isLiquidation) continue;
      const { order, ts, isBuy } = row;
      const { size, notional } = orders.get(order) ?? { size: 0, notional: 0 };
      orders.set(order, {
        order,
        ts,
        isBuy,
        size: size + row.size,
        notional: notional + row.size * row.price,
      });
    }
    const found = [...orders.values()];
    this.#read.set(key, found);
    const [oldest] = this.#read.keys();
    if (this.#read.size > CASCADES_MAX && oldest !== undefined) this.#read.delete(oldest);
    return found;
  }
}
