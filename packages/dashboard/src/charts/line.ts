/** A line of a chart. */
export interface Line {
  readonly name: string;
  /** Name of a token of `design/tokens.css`. */
  readonly color: string;
  /** By `x`, ascending. */
  readonly points: readonly { readonly x: number; readonly y: number }[];
  readonly isDashed?: boolean;
  /** Its points are marked. */
  readonly isDotted?: boolean;
  /** It stays as it is until the next point. */
  readonly isStepped?: boolean;
  /** Its points that are further apart are not joined; default: as on the other lines. */
  readonly gapFrom?: number;
}

/** A place that is named on a chart: a price, a zero. */
export interface Mark {
  readonly name: string;
  readonly at: number;
  readonly color: string;
}

type Cell = number | null | undefined;

/**
 * Lines on one axis, as uPlot takes them: `undefined` where a line has no point and is drawn through, `null` where it
 * is broken. Points further apart than `usualGap` are not joined.
 */
export function alignLines(lines: readonly Line[], usualGap = Infinity): [number[], ...Cell[][]] {
  const places = new Set<number>();
  const breaks = lines.map(({ points, gapFrom = usualGap }) => {
    const found = new Set<number>();
    for (const [i, { x }] of points.entries()) {
      places.add(x);
      const next = points[i + 1];
      if (next && next.x - x > gapFrom) found.add((x + next.x) / 2);
    }
    for (const x of found) places.add(x);
    return found;
  });
  const xs = [...places].toSorted((a, b) => a - b);
  const columns = lines.map(({ points }, i) => {
    const values = new Map(points.map(({ x, y }) => [x, y]));
    return xs.map((x) => (breaks[i]?.has(x) ? null : values.get(x)));
  });
  return [xs, ...columns];
}

/** The value of a line at a position: its nearest point, if close enough. */
export function nearestOf({ points }: Line, x: number, reach: number): number | undefined {
  let low = 0;
  let high = points.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.x ?? 0) < x) low = middle + 1;
    else high = middle;
  }
  const found = [points[low - 1], points[low]]
    .filter((point) => point !== undefined)
    .toSorted((a, b) => Math.abs(a.x - x) - Math.abs(b.x - x))[0];
  return found && Math.abs(found.x - x) <= reach ? found.y : undefined;
}

/** The whole axis if all points are visible, else the zoomed range. */
export function wholeRange(
  xs: ArrayLike<number>,
  seen: readonly [low: number, high: number],
  whole: readonly [low: number, high: number],
): [low: number, high: number] {
  const isAll = seen[0] <= (xs[0] ?? seen[0]) && seen[1] >= (xs[xs.length - 1] ?? seen[1]);
  return isAll ? [...whole] : [...seen];
}

/** Maximum share of points cut at either end of the axis. */
const RARE_SHARE = 0.02;
/** An axis is cut only where it would otherwise be this many times as long. */
const STRETCH_MIN = 2;

/**
 * An axis range that rare spikes do not stretch: `undefined` if nothing has to be cut. Points beyond it are marked at
 * the edge.
 */
export function usualRange(lines: readonly Line[]): readonly [low: number, high: number] | undefined {
  const values = lines.flatMap(({ points }) => points.map(({ y }) => y)).toSorted((a, b) => a - b);
  const rare = Math.floor(values.length * RARE_SHARE);
  const [least, most] = [values[0], values.at(-1)];
  const [low, high] = [values[rare], values.at(-1 - rare)];
  if (least === undefined || most === undefined || low === undefined || high === undefined) return undefined;
  const span = high - low;
  if (span <= 0 || most - least < span * STRETCH_MIN) return undefined;
  // Round ends: the axis does not move with every new point.
  const step = 10 ** Math.floor(Math.log10(span)) / 2;
  return [Math.floor((low - span / 4) / step) * step, Math.ceil((high + span / 4) / step) * step];
}
