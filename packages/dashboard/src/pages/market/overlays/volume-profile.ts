import type { Bar } from '../../../live/topic.ts';

type ProfileBar = Pick<Bar, 'openTs' | 'high' | 'low' | 'volume' | 'buyVolume'>;

export interface ProfileRow {
  /** Lower end; the row is `step` high. */
  readonly low: number;
  readonly volume: number;
  /** NaN where a bar does not report it. */
  readonly bought: number;
}

export interface VolumeProfile {
  readonly rows: readonly ProfileRow[];
  readonly step: number;
  /** Index of the row with the most volume: the point of control. */
  readonly poc: number;
  /** First and last row of the value area. */
  readonly valueFrom: number;
  readonly valueTo: number;
}

const DAY_MS = 86_400_000;
/** Share of the volume in the value area. */
const VALUE_SHARE = 0.7;

/** Volume at each price: the volume of a bar is spread evenly over its range. */
export function profileOf(bars: readonly ProfileBar[], rowsMax: number): VolumeProfile | undefined {
  let [low, high] = [Infinity, -Infinity];
  for (const bar of bars) {
    low = Math.min(low, bar.low);
    high = Math.max(high, bar.high);
  }
  if (!(high >= low)) return undefined;
  const step = high === low ? Math.max(high * 1e-6, 1e-9) : (high - low) / rowsMax;
  const count = high === low ? 1 : rowsMax;
  const volumes = new Float64Array(count);
  const bought = new Float64Array(count);
  const rowOf = (price: number): number => Math.min(count - 1, Math.floor((price - low) / step));
  for (const bar of bars) {
    const [from, to] = [rowOf(bar.low), rowOf(bar.high)];
    const range = bar.high - bar.low;
    for (let row = from; row <= to; row += 1) {
      const inRow = Math.min(bar.high, low + (row + 1) * step) - Math.max(bar.low, low + row * step);
      const share = range > 0 ? Math.max(0, inRow) / range : 1;
      volumes[row] = (volumes[row] as number) + bar.volume * share;
      bought[row] = (bought[row] as number) + bar.buyVolume * share;
    }
  }
  const poc = volumes.indexOf(volumes.reduce((a, b) => Math.max(a, b), 0));
  const rows = Array.from(volumes, (volume, i) => ({
    low: low + i * step,
    volume,
    bought: bought[i] as number,
  }));
  return { rows, step, poc, ...valueArea(volumes, poc) };
}

/** From the point of control outwards, by the larger neighbour, until it has its share. */
export function valueArea(volumes: Float64Array, poc: number): { valueFrom: number; valueTo: number } {
  const wanted = volumes.reduce((sum, volume) => sum + volume, 0) * VALUE_SHARE;
  let [valueFrom, valueTo] = [poc, poc];
  let held = volumes[poc] ?? 0;
  while (held < wanted && (valueFrom > 0 || valueTo < volumes.length - 1)) {
    const [below, above] = [volumes[valueFrom - 1] ?? -1, volumes[valueTo + 1] ?? -1];
    if (above >= below) valueTo += 1;
    else valueFrom -= 1;
    held += Math.max(above, below);
  }
  return { valueFrom, valueTo };
}

/** All bars of the UTC day of the last visible one, which may be in progress. */
export function sessionOf<Dated extends { readonly openTs: number }>(
  closed: readonly Dated[],
  visible: readonly Dated[],
): readonly Dated[] {
  const last = visible.at(-1);
  if (!last) return [];
  const day = Math.floor(last.openTs / DAY_MS) * DAY_MS;
  const from = closed.findLastIndex(({ openTs }) => openTs < day) + 1;
  const end = closed.findLastIndex(({ openTs }) => openTs < day + DAY_MS) + 1;
  const own = closed.slice(from, end);
  return last.openTs > (closed.at(-1)?.openTs ?? -Infinity) ? [...own, last] : own;
}
