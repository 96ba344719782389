import type { Side, VenueLiquidation, VenueTrade } from '@crosstape/core';
import { readArray, readInteger, readObject, MOST, readRows, readText, readTraded } from '../reading.ts';
import { Malformed } from '../venue.ts';

const PERPETUAL = /^[a-z0-9]{1,32}$/i;

/** Whether fills are of a perpetual of the venue itself: spot pairs are `@107` or `PURR/USDC`, those of other dexes `xyz:TSLA`. */
export function isPerpetualFill(coin: string): boolean {
  return PERPETUAL.test(coin);
}

/** The perpetual fills of one block of the chain, as a node writes them. */
export interface FillBlock {
  /** Each trade once, as its taker's side. */
  readonly trades: readonly VenueTrade[];
  /** One for each order that is marked as a liquidation. */
  readonly liquidations: readonly VenueLiquidation[];
  /** Why fills were left out, one sentence each. */
  readonly refused: readonly string[];
}

interface Fill {
  readonly user: string;
  readonly isTaker: boolean;
  readonly oid: unknown;
  readonly isLiquidated: boolean;
  readonly trade: VenueTrade;
}

/**
 * One line of `node_fills_by_block/hourly/{YYYYMMDD}/{H}`. Both sides of a trade are there with the same `tid`; the one
 * that crossed is the taker's. Both sides carry the mark of a liquidation, which names the account:
 * ```json
 * {"local_time":"2026-11-15T01:00:00.071000000","block_time":"…","block_number":812345,"events":[["0xuser…",{"coin":"BTC",
 *   "px":"66653.0","sz":"0.001","side":"A","time":1781528065899,"crossed":true,"oid":55030848197,"tid":745210434703679,
 *   "liquidation":{"liquidatedUser":"0xuser…","markPx":"66607.0","method":"market"},…}],…]}
 * ```
 * Throws `Malformed` when the line is no block.
 */
export function parseFillBlock(text: string): FillBlock {
  const events = readArray(readObject(readJson(text), 'block').events, 'block.events');
  const { rows: fills, refused } = readRows(events.length, (i) => parseFill(events[i]), MOST);
  return {
    trades: fills.filter(({ isTaker }) => isTaker).map(({ user, trade }) => ({ ...trade, taker: user })),
    liquidations: liquidationsOf(fills.filter(({ isLiquidated }) => isLiquidated)),
    refused,
  };
}

const BLOCK_TIME = /"block_time":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?)/;

/** When a block was made, in ms, read without parsing the line; `undefined` when the line does not say. */
export function fillBlockMs(text: string): number | undefined {
  const time = BLOCK_TIME.exec(text)?.[1];
  return time === undefined ? undefined : Date.parse(`${time}Z`);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Malformed(`a block of fills is not JSON: ${(error as Error).message}`);
  }
}

/** `undefined` for the maker's side, and for what is not a perpetual of the venue. */
function parseFill(event: unknown): Fill | undefined {
  const [user, fields] = readArray(event, 'event');
  const fill = readObject(fields, 'fill');
  const coin = readText(fill.coin, 'fill.coin');
  if (!isPerpetualFill(coin)) return undefined;
  const isTaker = fill.crossed === true;
  const account = readText(user, `${coin} account`).toLowerCase();
  const isLiquidated = liquidatedUser(fill.liquidation) === account;
  if (!isTaker && !isLiquidated) return undefined;
  if (fill.side !== 'B' && fill.side !== 'A') throw new Malformed(`${coin} fill.side is neither B nor A`);
  const side: Side = fill.side === 'B' ? 'buy' : 'sell';
  const trade = {
    coin,
    side,
    price: readTraded(fill.px, `${coin} fill.px`),
    size: readTraded(fill.sz, `${coin} fill.sz`),
    venueTs: readInteger(fill.time, `${coin} fill.time`),
    tid: readInteger(fill.tid, `${coin} fill.tid`),
  };
  return { user: account, isTaker, isLiquidated, oid: fill.oid ?? fill.tid, trade };
}

function liquidatedUser(mark: unknown): string | undefined {
  if (typeof mark !== 'object' || mark === null) return undefined;
  const { liquidatedUser: user } = mark as { readonly liquidatedUser?: unknown };
  return typeof user === 'string' ? user.toLowerCase() : undefined;
}

/** The fills of an order are one liquidation at their mean price. */
function liquidationsOf(fills: readonly Fill[]): readonly VenueLiquidation[] {
  const orders = new Map<string, VenueLiquidation>();
  for (const { oid, trade } of fills) {
    const { coin, side, venueTs } = trade;
    const id = String(oid);
    const before = orders.get(`${coin} ${id}`);
    const size = trade.size + (before?.size ?? 0);
    const price = before ? (trade.size * trade.price + before.size * before.price) / size : trade.price;
    orders.set(`${coin} ${id}`, { coin, symbol: coin, side, price, size, venueTs, id });
  }
  return [...orders.values()];
}
