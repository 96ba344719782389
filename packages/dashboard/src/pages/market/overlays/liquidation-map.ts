import type { Schemas } from '@crosstape/client';
import { usd } from '../../../format/numbers.ts';
import { placeOf } from '../drawing/bar-places.ts';
import type { OverlayPane } from './pane-overlay.ts';

export type LiquidationEvent = Pick<
  Schemas['LiquidationEvent'],
  'ts' | 'price' | 'position' | 'notionalUsd' | 'inferred'
>;

export interface LiquidationTotals {
  readonly longUsd: number;
  readonly shortUsd: number;
  /** Parts of these that were inferred from the tape. */
  readonly inferredUsd: number;
}

const ROWS = 40;
const RADIUS_MIN_PX = 2;
const RADIUS_MAX_PX = 16;
/** Longest bar of the totals by price. */
const TOTAL_PX = 90;
/** The largest totals have labels, which need this height. */
const LABELS_MAX = 5;
const LABEL_PX = 12;

export function totalsOf(events: readonly LiquidationEvent[]): LiquidationTotals {
  let [longUsd, shortUsd, inferredUsd] = [0, 0, 0];
  for (const { position, notionalUsd, inferred } of events) {
    if (position === 'long') longUsd += notionalUsd;
    else shortUsd += notionalUsd;
    if (inferred) inferredUsd += notionalUsd;
  }
  return { longUsd, shortUsd, inferredUsd };
}

/** Sums by height of a pane: rows from its top, each with the longs and shorts that were liquidated there. */
export function totalsByRow(
  events: readonly LiquidationEvent[],
  rowOf: (price: number) => number,
): ReadonlyMap<number, LiquidationTotals> {
  const byRow = new Map<number, LiquidationEvent[]>();
  for (const event of events) {
    const row = rowOf(event.price);
    const others = byRow.get(row);
    if (others) others.push(event);
    else byRow.set(row, [event]);
  }
  return new Map([...byRow].map(([row, list]) => [row, totalsOf(list)]));
}

function sumOf({ longUsd, shortUsd }: LiquidationTotals): number {
  return longUsd + shortUsd;
}

/** The rows of a pane with the largest totals, none so near to a larger one that their labels would overlap. */
export function labelledRows(
  rows: ReadonlyMap<number, LiquidationTotals>,
  rowPx: number,
): readonly (readonly [row: number, usd: number])[] {
  const labelled: (readonly [row: number, usd: number])[] = [];
  const sums = [...rows].map(([row, totals]) => [row, sumOf(totals)] as const);
  for (const [row, sum] of sums.toSorted(([, a], [, b]) => b - a)) {
    if (labelled.length === LABELS_MAX) break;
    if (labelled.every(([other]) => Math.abs(row - other) * rowPx >= LABEL_PX)) labelled.push([row, sum]);
  }
  return labelled;
}

/** Paints single liquidations at their time and price, and their sums by price at the left edge. */
export function paintLiquidations(
  pane: OverlayPane,
  events: readonly LiquidationEvent[],
  /** Accuracy of inferred ones, if known. */
  score?: string,
): void {
  const { context, height, width, colourOf, bars, visible, xOf, yOf } = pane;
  const [first, last] = [visible[0], visible.at(-1)];
  if (!first || !last) return;
  const isNewest = last.openTs >= (bars.at(-1)?.openTs ?? 0);
  const seen = events.filter(({ ts }) => ts >= first.openTs && (isNewest || ts <= last.closeTs));
  const colours = { long: colourOf('--down'), short: colourOf('--up') };
  const most = seen.reduce((max, { notionalUsd }) => Math.max(max, notionalUsd), 0);
  for (const { ts, price, position, notionalUsd, inferred } of seen) {
    const y = yOf(price);
    if (y === null) continue;
    const radius = RADIUS_MIN_PX + (RADIUS_MAX_PX - RADIUS_MIN_PX) * Math.sqrt(notionalUsd / most);
    context.beginPath();
    context.arc(Math.min(width, xOf(placeOf(bars, ts))), y, radius, 0, 2 * Math.PI);
    context.strokeStyle = context.fillStyle = colours[position];
    context.globalAlpha = 0.35;
    // Inferred ones are hollow.
    if (!inferred) context.fill();
    context.globalAlpha = 0.9;
    context.stroke();
  }
  const rowPx = height / ROWS;
  const all = totalsByRow(seen, (price) => Math.floor((yOf(price) ?? -rowPx) / rowPx));
  const rows = new Map([...all].filter(([row]) => row >= 0 && row < ROWS));
  const longest = [...rows.values()].reduce((max, totals) => Math.max(max, sumOf(totals)), 0);
  context.globalAlpha = 0.6;
  for (const [row, { longUsd, shortUsd }] of rows) {
    const long = (longUsd / longest) * TOTAL_PX;
    context.fillStyle = colours.long;
    context.fillRect(0, row * rowPx, long, rowPx - 1);
    context.fillStyle = colours.short;
    context.fillRect(long, row * rowPx, (shortUsd / longest) * TOTAL_PX, rowPx - 1);
  }
  context.globalAlpha = 1;
  context.fillStyle = colourOf('--text');
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  for (const [row, sum] of labelledRows(rows, rowPx))
    context.fillText(usd(sum, { digits: 1 }), (sum / longest) * TOTAL_PX + 4, (row + 0.5) * rowPx);
  context.textBaseline = 'alphabetic';
  const { longUsd, shortUsd, inferredUsd } = totalsOf(seen);
  context.fillStyle = colourOf('--text-2');
  const known = score === undefined ? '' : ` (${score})`;
  const inferred = inferredUsd > 0 ? `, ${usd(inferredUsd)} of it inferred${known}` : '';
  context.fillText(`Liquidated in view: longs ${usd(longUsd)}, shorts ${usd(shortUsd)}${inferred}`, 10, 60);
}
