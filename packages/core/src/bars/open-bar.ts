import { signedBytes, scratchColumns } from '../ticks/scratch-columns.ts';
import { LIMB, readSums, writeSums } from './exact-sums.ts';

/**
 * The bar in progress, in whole numbers at the builder's scale. Each sum has a `carry`, which counts 2^53s and is 0
 * in all but extreme cases (see exact-sums.ts).
 */
export interface OpenBar {
  /** Set by a rule when the bar ends with the trades it returned. */
  isClosed: boolean;
  trades: number;
  openTs: number;
  closeTs: number;
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
  volumeCarry: number;
  /** Bought minus sold volume, and its running extremes with the 0 before the first trade. */
  delta: number;
  deltaCarry: number;
  minDelta: number;
  minDeltaCarry: number;
  maxDelta: number;
  maxDeltaCarry: number;
  /** Sum of price × size; of the taker's buys only in `buyNotional`. */
  notional: number;
  notionalCarry: number;
  buyNotional: number;
  buyNotionalCarry: number;
}

export function createOpenBar(): OpenBar {
  return {
    isClosed: false,
    trades: 0,
    openTs: 0,
    closeTs: 0,
    open: 0,
    high: -Infinity,
    low: Infinity,
    close: 0,
    volume: 0,
    volumeCarry: 0,
    delta: 0,
    deltaCarry: 0,
    minDelta: 0,
    minDeltaCarry: 0,
    maxDelta: 0,
    maxDeltaCarry: 0,
    notional: 0,
    notionalCarry: 0,
    buyNotional: 0,
    buyNotionalCarry: 0,
  };
}

/** Resets the bar. Field by field: this happens once per bar, and copying by names is slow. */
export function clearOpenBar(bar: OpenBar): void {
  bar.isClosed = false;
  bar.trades = 0;
  bar.openTs = 0;
  bar.closeTs = 0;
  bar.open = 0;
  bar.high = -Infinity;
  bar.low = Infinity;
  bar.close = 0;
  bar.volume = 0;
  bar.volumeCarry = 0;
  bar.delta = 0;
  bar.deltaCarry = 0;
  bar.minDelta = 0;
  bar.minDeltaCarry = 0;
  bar.maxDelta = 0;
  bar.maxDeltaCarry = 0;
  bar.notional = 0;
  bar.notionalCarry = 0;
  bar.buyNotional = 0;
  bar.buyNotionalCarry = 0;
}

const { ts, price, size, isBuy } = scratchColumns();
const isBuySigned = signedBytes(isBuy);

/** Adds the trades [from, to) of the scratch columns, at least one, to the bar. */
export function absorb(bar: OpenBar, from: number, to: number): void {
  if (bar.trades === 0) {
    bar.openTs = ts[from]!;
    bar.open = price[from]!;
  }
  bar.trades += to - from;
  bar.closeTs = ts[to - 1]!;
  bar.close = price[to - 1]!;

  let { high, low, delta, minDelta, maxDelta } = bar;
  let volume = 0;
  let notional = 0;
  let signedNotional = 0;
  for (let i = from; i < to; i += 1) {
    const p = price[i]!;
    const s = size[i]!;
    const signed = s * (2 * isBuySigned[i]! - 1);
    volume += s;
    notional += p * s;
    signedNotional += p * signed;
    delta += signed;
    // Unlike comparisons these have no branches to mispredict.
    high = Math.max(high, p);
    low = Math.min(low, p);
    minDelta = Math.min(minDelta, delta);
    maxDelta = Math.max(maxDelta, delta);
  }
  bar.high = high;
  bar.low = low;
  // Nothing is negative: a sum that ends below 2^53 was below it throughout, so no step was rounded.
  if (bar.volumeCarry > 0 || bar.volume + volume >= LIMB || notional >= LIMB) {
    absorbExtreme(bar, from, to);
    return;
  }
  // Twice what was bought, as a whole number below 2^54.
  const buyNotional = (notional + signedNotional) / 2;
  bar.volume += volume;
  bar.delta = delta;
  bar.minDelta = minDelta;
  bar.maxDelta = maxDelta;
  if (bar.notional + notional < LIMB) {
    bar.notional += notional;
  } else {
    bar.notional -= LIMB - notional;
    bar.notionalCarry += 1;
  }
  if (bar.buyNotional + buyNotional < LIMB) {
    bar.buyNotional += buyNotional;
  } else {
    bar.buyNotional -= LIMB - buyNotional;
    bar.buyNotionalCarry += 1;
  }
}

/** The same sums where a product or the bar's volume exceeds 2^53: slower, and exact as well. */
function absorbExtreme(bar: OpenBar, from: number, to: number): void {
  const sums = readSums(bar);
  for (let i = from; i < to; i += 1) {
    const s = BigInt(size[i]!);
    const usd = BigInt(price[i]!) * s;
    const isBought = isBuy[i] === 1;
    sums.volume += s;
    sums.notional += usd;
    if (isBought) sums.buyNotional += usd;
    sums.delta += isBought ? s : -s;
    if (sums.delta < sums.minDelta) sums.minDelta = sums.delta;
    if (sums.delta > sums.maxDelta) sums.maxDelta = sums.delta;
  }
  writeSums(bar, sums);
}
