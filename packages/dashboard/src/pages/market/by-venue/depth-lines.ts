import { compact } from '../../../format/numbers.ts';
import { type Indicator, indicator } from '../indicator.ts';

/** Depth within a distance of the mid. */
interface DepthWithin {
  readonly percent: number;
  readonly bidsUsd: number | null;
  readonly asksUsd: number | null;
  readonly imbalance: number | null;
}

export interface DepthPoint {
  readonly ts: number;
  readonly within: readonly DepthWithin[];
}

/** Recorded depth, oldest first, and how long a point is valid. */
export interface KnownDepth {
  readonly points: readonly DepthPoint[];
  readonly heldMs: number;
}

/** Points, and those of a newer answer. */
export function withNewer(
  points: readonly DepthPoint[],
  newer: readonly DepthPoint[],
): readonly DepthPoint[] {
  const fromTs = newer[0]?.ts ?? Infinity;
  return [...points.filter(({ ts }) => ts < fromTs), ...newer];
}

interface DepthLook {
  /** In the address: with its settings. */
  readonly name: string;
  readonly title: string;
  readonly percent: number;
  readonly known: () => KnownDepth;
}

/** Bids and asks within a distance of the mid, in dollars. */
export function depthLines(look: DepthLook): Indicator {
  return ofPoints(
    look,
    {
      label: 'Depth',
      lines: [
        { name: 'Bids', color: '--up' },
        { name: 'Asks', color: '--down' },
      ],
      text: (value) => `$${compact(value, 1)}`,
    },
    (within) => [within?.bidsUsd ?? undefined, within?.asksUsd ?? undefined],
  );
}

/** Bids less asks, in percent of their sum. */
export function imbalanceLine(look: DepthLook): Indicator {
  return ofPoints(
    look,
    {
      lines: [{ name: 'Imbalance', color: '--series-5' }],
      marks: [0],
      text: (value) => `${value.toFixed(1)}%`,
    },
    (within) => [typeof within?.imbalance === 'number' ? within.imbalance * 100 : undefined],
  );
}

/** The newest point of each bar; a bar without one shows the previous point for as long as that is valid. */
function ofPoints(
  { name, title, percent, known }: DepthLook,
  look: Pick<Indicator, 'lines' | 'text' | 'marks' | 'label'>,
  valuesOf: (within: DepthWithin | undefined) => readonly (number | undefined)[],
): Indicator {
  return indicator<number>({
    ...look,
    name,
    title,
    isOverlay: false,
    isSampled: true,
    start: -1,
    step(place, { openTs, closeTs }) {
      const { points, heldMs } = known();
      let at = place;
      while ((points[at + 1]?.ts ?? Infinity) <= closeTs) at += 1;
      const point = points[at];
      const isValid = point !== undefined && openTs - point.ts <= heldMs;
      return [at, valuesOf(isValid ? point.within.find((one) => one.percent === percent) : undefined)];
    },
  });
}
