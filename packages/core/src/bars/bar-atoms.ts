import { type ExactSums, readSums, writeSums } from './exact-sums.ts';
import { createOpenBar, type OpenBar } from './open-bar.ts';
import { powerOfTen } from './exact-decimal.ts';
import { DECIMALS_MAX, NOTIONAL_DECIMALS_MAX, type Scale } from './scale.ts';

/**
 * The open bar independent of scale: prices and sizes as integers of 10^-8, price × size of 10^-16. The same trades
 * give the same atoms, whatever their number of decimals.
 */
export interface BarAtoms extends Readonly<ExactSums> {
  readonly trades: number;
  readonly openTs: number;
  readonly closeTs: number;
  readonly open: bigint;
  readonly high: bigint;
  readonly low: bigint;
  readonly close: bigint;
}

export function toAtoms(bar: OpenBar, { priceDecimals, sizeDecimals }: Scale): BarAtoms {
  const perPrice = powerOfTen(DECIMALS_MAX - priceDecimals);
  const perSize = powerOfTen(DECIMALS_MAX - sizeDecimals);
  const sums = readSums(bar);
  return {
    trades: bar.trades,
    openTs: bar.openTs,
    closeTs: bar.closeTs,
    open: BigInt(bar.open) * perPrice,
    high: BigInt(bar.high) * perPrice,
    low: BigInt(bar.low) * perPrice,
    close: BigInt(bar.close) * perPrice,
    volume: sums.volume * perSize,
    delta: sums.delta * perSize,
    minDelta: sums.minDelta * perSize,
    maxDelta: sums.maxDelta * perSize,
    notional: sums.notional * perPrice * perSize,
    buyNotional: sums.buyNotional * perPrice * perSize,
  };
}

/** The bar at a scale that `scaleFor` gave. */
export function fromAtoms(atoms: BarAtoms, { priceDecimals, sizeDecimals }: Scale): OpenBar {
  const perPrice = powerOfTen(DECIMALS_MAX - priceDecimals);
  const perSize = powerOfTen(DECIMALS_MAX - sizeDecimals);
  const price = (value: bigint): number => {
    const scaled = value / perPrice;
    if (scaled <= Number.MAX_SAFE_INTEGER) return Number(scaled);
    throw new RangeError(`a price is too large to be exact with ${priceDecimals} decimals`);
  };
  const bar = createOpenBar();
  bar.trades = atoms.trades;
  bar.openTs = atoms.openTs;
  bar.closeTs = atoms.closeTs;
  bar.open = price(atoms.open);
  bar.high = price(atoms.high);
  bar.low = price(atoms.low);
  bar.close = price(atoms.close);
  writeSums(bar, {
    volume: atoms.volume / perSize,
    delta: atoms.delta / perSize,
    minDelta: atoms.minDelta / perSize,
    maxDelta: atoms.maxDelta / perSize,
    notional: atoms.notional / (perPrice * perSize),
    buyNotional: atoms.buyNotional / (perPrice * perSize),
  });
  return bar;
}

/** The coarsest scale, not coarser than the given one, at which every number of the bar is an integer. */
export function scaleFor(atoms: BarAtoms, coarsest: Scale): Scale {
  const { open, high, low, close, volume, delta, minDelta, maxDelta, notional, buyNotional } = atoms;
  let priceDecimals = wholeAt([open, high, low, close], coarsest.priceDecimals, DECIMALS_MAX);
  let sizeDecimals = wholeAt([volume, delta, minDelta, maxDelta], coarsest.sizeDecimals, DECIMALS_MAX);
  // Prices other than the extremes, first and last leave their decimals only in the products.
  const products = wholeAt([notional, buyNotional], priceDecimals + sizeDecimals, NOTIONAL_DECIMALS_MAX);
  sizeDecimals = Math.min(DECIMALS_MAX, products - priceDecimals);
  priceDecimals = products - sizeDecimals;
  return { priceDecimals, sizeDecimals };
}

/** The least number of decimals, `from` or more, at which all values are integers; at `max` decimals they are. */
function wholeAt(values: readonly bigint[], from: number, max: number): number {
  let decimals = from;
  while (values.some((value) => value % powerOfTen(max - decimals) !== 0n)) decimals += 1;
  return decimals;
}
