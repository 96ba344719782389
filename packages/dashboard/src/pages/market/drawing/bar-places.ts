interface Dated {
  readonly openTs: number;
}

interface Prices {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/** The position of a time among bars, in bars: interpolated between two of them, extrapolated beyond the ends. */
export function placeOf(bars: readonly Dated[], ts: number): number {
  if (bars.length === 0) return 0;
  let [low, high] = [0, bars.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bars[middle] as Dated).openTs <= ts) low = middle + 1;
    else high = middle;
  }
  const at = Math.min(Math.max(low - 1, 0), Math.max(0, bars.length - 2));
  const from = (bars[at] as Dated).openTs;
  return at + (ts - from) / spacing(bars, at);
}

/** The time at a place among bars. */
export function timeOf(bars: readonly Dated[], place: number): number {
  if (bars.length === 0) return 0;
  const at = Math.min(Math.max(Math.floor(place), 0), Math.max(0, bars.length - 2));
  return (bars[at] as Dated).openTs + (place - at) * spacing(bars, at);
}

const MINUTE_MS = 60_000;

function spacing(bars: readonly Dated[], at: number): number {
  const [from, to] = [bars[at], bars[at + 1]];
  return from && to && to.openTs > from.openTs ? to.openTs - from.openTs : MINUTE_MS;
}

/** The price of a bar nearest to another, if within `reach`; else the other. */
export function snapPrice(bar: Prices | undefined, price: number, reach: number): number {
  if (!bar) return price;
  const nearest = [bar.open, bar.high, bar.low, bar.close].reduce((a, b) =>
    Math.abs(b - price) < Math.abs(a - price) ? b : a,
  );
  return Math.abs(nearest - price) <= reach ? nearest : price;
}
