/**
 * The rules of the seven kinds, trade by trade in bigints. Slow and simple on purpose: the fast builder is compared
 * with it and shares no code with it.
 */
import type { Bar } from './bar-columns.ts';
import type { BarSpec } from './bar-kind.ts';

/** Price and size as whole numbers of 10^-8. */
export interface PlainTrade {
  readonly ts: number;
  readonly price: bigint;
  readonly size: bigint;
  readonly isBuy: boolean;
}

interface Draft {
  trades: PlainTrade[];
  /** Point and figure: first and last level of the column, and its direction. */
  first: bigint;
  last: bigint;
  direction: bigint;
}

const ATOM = 100_000_000n;

/** A parameter with at most 8 decimals as a whole number of 10^-8. */
function atoms(value: number): bigint {
  return BigInt(value.toFixed(8).replace('.', ''));
}

/** The number that is nearest to `value` / 10^decimals. */
function decimal(value: bigint, decimals: number): number {
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0');
  const text = `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  return value === 0n ? 0 : Number(value < 0n ? `-${text}` : text);
}

const signed = (trade: PlainTrade): bigint => (trade.isBuy ? trade.size : -trade.size);
const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);
const highest = (values: readonly bigint[]): bigint => values.reduce((a, b) => (b > a ? b : a));
const lowest = (values: readonly bigint[]): bigint => values.reduce((a, b) => (b < a ? b : a));
const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);

export function referenceBars(
  spec: BarSpec,
  trades: readonly PlainTrade[],
): { bars: Bar[]; open: Bar | null } {
  const number = (name: string): number => Number(spec.params[name]);
  const ticks = (name: string): bigint => BigInt(number(name)) * atoms(spec.tick);
  const bars: Bar[] = [];
  let draft: Draft | null = null;
  let d = 0n;

  const toBar = (from: Draft): Bar => {
    const all = from.trades;
    const prices = all.map((trade) => trade.price);
    let delta = 0n;
    const running = all.map((trade) => {
      delta += signed(trade);
      return delta;
    });
    const firstTrade = all.at(0)!;
    const lastTrade = all.at(-1)!;
    const bucket = Math.floor(firstTrade.ts / number('intervalMs')) * number('intervalMs');
    const isColumn = spec.kind === 'pnf';
    const isTime = spec.kind === 'time';
    const sign = lastTrade.price > firstTrade.price ? 1 : lastTrade.price < firstTrade.price ? -1 : 0;
    return {
      index: bars.length,
      openTs: isTime ? bucket : firstTrade.ts,
      closeTs: isTime ? bucket + number('intervalMs') - 1 : lastTrade.ts,
      open: decimal(isColumn ? from.first : firstTrade.price, 8),
      high: decimal(highest(prices), 8),
      low: decimal(lowest(prices), 8),
      close: decimal(isColumn ? from.last : lastTrade.price, 8),
      volume: decimal(sum(all.map((trade) => trade.size)), 8),
      buyVolume: decimal(sum(all.filter((trade) => trade.isBuy).map((trade) => trade.size)), 8),
      notionalUsd: decimal(sum(all.map((trade) => trade.price * trade.size)), 16),
      trades: all.length,
      delta: decimal(delta, 8),
      minDelta: decimal(lowest([0n, ...running]), 8),
      maxDelta: decimal(highest([0n, ...running]), 8),
      direction: spec.kind === 'trend_reversal' ? Number(d) : isColumn ? Number(from.direction) : sign,
      complete: true,
      ...(isColumn ? { boxes: Number(magnitude(from.last - from.first) / ticks('boxTicks')) + 1 } : {}),
    };
  };

  /** Does this trade end the bar without belonging to it? */
  const endsBefore = (trade: PlainTrade, current: Draft): boolean => {
    const first = current.trades.at(0)!;
    if (spec.kind === 'time') {
      return Math.floor(trade.ts / number('intervalMs')) > Math.floor(first.ts / number('intervalMs'));
    }
    if (spec.kind === 'range') {
      const prices = [...current.trades, trade].map((one) => one.price);
      return highest(prices) - lowest(prices) > ticks('rangeTicks');
    }
    if (spec.kind === 'pnf') {
      const turn = BigInt(number('reversal')) * ticks('boxTicks');
      if (current.direction === 1n) return trade.price <= current.last - turn;
      if (current.direction === -1n) return trade.price >= current.last + turn;
    }
    return false;
  };

  /** Does the bar end with the trade that was just added? */
  const endsAfter = (current: Draft): boolean => {
    const all = current.trades;
    const isUsd = spec.params['unit'] === 'usd';
    const amount = (trade: PlainTrade): bigint => (isUsd ? trade.price * trade.size : trade.size * ATOM);
    if (spec.kind === 'tick') return all.length === number('trades');
    if (spec.kind === 'volume') return sum(all.map(amount)) >= atoms(number('volume')) * ATOM;
    if (spec.kind === 'delta') {
      const delta = sum(all.map((trade) => (trade.isBuy ? amount(trade) : -amount(trade))));
      return magnitude(delta) >= atoms(number('delta')) * ATOM;
    }
    if (spec.kind !== 'trend_reversal') return false;
    const prices = all.map((trade) => trade.price);
    const open = prices.at(0)!;
    const close = prices.at(-1)!;
    if (d >= 0n && close - open >= ticks('trendTicks')) d = 1n;
    else if (d <= 0n && open - close >= ticks('trendTicks')) d = -1n;
    else if (d === 1n && highest(prices) - close >= ticks('revTicks')) d = -1n;
    else if (d === -1n && close - lowest(prices) >= ticks('revTicks')) d = 1n;
    else return false;
    return true;
  };

  const openColumn = (trade: PlainTrade, before: Draft | null): Draft => {
    const fresh: Draft = { trades: [], first: 0n, last: 0n, direction: 0n };
    if (spec.kind !== 'pnf') return fresh;
    const box = ticks('boxTicks');
    if (!before) {
      fresh.first = (trade.price / box) * box;
    } else {
      fresh.direction = -before.direction;
      fresh.first = before.last + fresh.direction * box;
    }
    fresh.last = fresh.first;
    return fresh;
  };

  const growColumn = (column: Draft, trade: PlainTrade): void => {
    const box = ticks('boxTicks');
    while (column.direction >= 0n && trade.price >= column.last + box) {
      column.last += box;
      column.direction = 1n;
    }
    while (column.direction <= 0n && trade.price <= column.last - box) {
      column.last -= box;
      column.direction = -1n;
    }
  };

  let closed: Draft | null = null;
  for (const trade of trades) {
    if (draft && endsBefore(trade, draft)) {
      bars.push(toBar(draft));
      closed = draft;
      draft = null;
    }
    draft ??= openColumn(trade, closed);
    if (spec.kind === 'pnf') growColumn(draft, trade);
    draft.trades.push(trade);
    if (endsAfter(draft)) {
      bars.push(toBar(draft));
      draft = null;
    }
  }
  return { bars, open: draft ? toBar(draft) : null };
}
