import type { Bar } from '../../../live/topic.ts';
import { short } from '../footprint-grid.ts';
import type { OverlayPane } from '../overlays/pane-overlay.ts';
import { type BarCell, type BarCells, cellsOf, stepAbove } from './bar-cells.ts';
import type { PrintStore } from './print-store.ts';

/** Narrower bars have no room for cells. */
export const CELLS_MIN_PX = 34;
/** Bars of this width have room for figures, as a rule. */
export const FIGURES_PX = 96;
const FIGURES_MIN_PX = 70;
const ROW_MIN_PX = 13;
const CANDLE_PX = 5;
const GAP_PX = 2;
/** Full strength leaves the text readable. */
const STRENGTH_MAX = 0.55;
const DELTA_PX = 13;
interface Known {
  readonly step: number;
  readonly from: number;
  readonly to: number;
  readonly cells: BarCells | undefined;
}

/** Paints the volume sold and bought at each price inside the bars, with a narrow candle beside. */
export function footprintPainter(store: PrintStore): (pane: OverlayPane) => void {
  let known = new WeakMap<Bar, Known>();
  let shownOf = store.startMs;
  return (pane) => {
    const { visible, bars, firstVisible, spacing } = pane;
    if (spacing < CELLS_MIN_PX) return;
    if (shownOf !== store.startMs) [known, shownOf] = [new WeakMap(), store.startMs];
    const step = stepOf(pane);
    if (step === undefined) return;
    // With the previous one, which may share a millisecond.
    const before = bars.slice(Math.max(0, firstVisible - 1), firstVisible);
    const ranges = store.rangesOf([...before, ...visible]).slice(before.length);
    const painted = visible.flatMap((bar, i) => {
      const range = ranges[i];
      if (!range) return [];
      let found = known.get(bar);
      if (found?.step !== step || found.from !== range.from || found.to !== range.to)
        known.set(bar, (found = { step, ...range, cells: cellsOf(store, range, step) }));
      return found.cells ? [{ bar, cells: found.cells, x: pane.xOf(firstVisible + i) }] : [];
    });
    for (const { bar, cells, x } of painted) paintBar(pane, bar, cells, x, step);
  };
}

/** Height of a row: readable on the screen. */
function stepOf({ yOf, visible }: OverlayPane): number | undefined {
  const price = visible.at(-1)?.close;
  if (price === undefined || price <= 0) return undefined;
  const [a, b] = [yOf(price), yOf(price * 1.01)];
  if (a === null || b === null || a === b) return undefined;
  return stepAbove(((price * 0.01) / Math.abs(a - b)) * ROW_MIN_PX);
}

function paintBar(pane: OverlayPane, bar: Bar, cells: BarCells, x: number, step: number): void {
  const { context, colourOf, yOf, spacing } = pane;
  const [high, low] = [yOf(bar.high), yOf(bar.low)];
  if (high === null || low === null) return;
  const width = spacing - 2 * GAP_PX;
  const left = x - width / 2;
  const rows = [...cells.rows.keys()];
  const top = yOf((Math.max(...rows) + 1) * step) ?? high;
  const bottom = yOf(Math.min(...rows) * step) ?? low;
  context.fillStyle = colourOf('--panel');
  context.fillRect(
    left - 1,
    Math.min(top, high) - 1,
    width + 2,
    Math.max(bottom, low) - Math.min(top, high) + 2,
  );
  paintCandle(pane, bar, left);
  const cellsLeft = left + CANDLE_PX + GAP_PX;
  const half = (left + width - cellsLeft) / 2;
  const hasFigures = spacing >= FIGURES_MIN_PX;
  context.textBaseline = 'middle';
  for (const [row, cell] of cells.rows) {
    const [from, to] = [yOf((row + 1) * step), yOf(row * step)];
    if (from === null || to === null) continue;
    const place = { left: cellsLeft, top: from, height: to - from, half };
    paintCell(pane, cell, place, cells.most, hasFigures && to - from >= ROW_MIN_PX - 2);
    if (row !== cells.poc) continue;
    context.strokeStyle = colourOf('--accent');
    context.strokeRect(cellsLeft + 0.5, from + 0.5, 2 * half - 1, to - from - 1);
  }
  const [valueTop, valueBottom] = [yOf((cells.valueTo + 1) * step), yOf(cells.valueFrom * step)];
  if (valueTop !== null && valueBottom !== null) {
    context.fillStyle = colourOf('--accent');
    context.fillRect(left + width, valueTop, 1, valueBottom - valueTop);
  }
  if (spacing < CELLS_MIN_PX + GAP_PX * 2) return;
  context.textAlign = 'center';
  context.fillStyle = colourOf(cells.delta < 0 ? '--down' : '--up');
  const sign = cells.delta > 0 ? '+' : cells.delta < 0 ? '−' : '';
  context.fillText(
    `${hasFigures ? 'Δ ' : ''}${sign}${short(Math.abs(cells.delta))}`,
    x,
    Math.max(bottom, low) + DELTA_PX,
  );
}

function paintCandle({ context, colourOf, yOf }: OverlayPane, bar: Bar, left: number): void {
  const [high, low, open, close] = [yOf(bar.high), yOf(bar.low), yOf(bar.open), yOf(bar.close)];
  if (high === null || low === null || open === null || close === null) return;
  context.fillStyle = colourOf(bar.complete ? (bar.close >= bar.open ? '--up' : '--down') : '--warn');
  context.fillRect(left + Math.floor(CANDLE_PX / 2), high, 1, low - high);
  context.fillRect(left, Math.min(open, close), CANDLE_PX, Math.max(1, Math.abs(open - close)));
}

interface CellPlace {
  readonly left: number;
  readonly top: number;
  readonly height: number;
  readonly half: number;
}

function paintCell(
  { context, colourOf }: OverlayPane,
  { bought, sold, imbalance, isStacked }: BarCell,
  { left, top, height, half }: CellPlace,
  most: number,
  hasFigures: boolean,
): void {
  const strength = (size: number): string => ((size / most) * STRENGTH_MAX).toFixed(3);
  context.fillStyle = `rgb(${colourOf('--down-heat')} / ${strength(sold)})`;
  context.fillRect(left, top + 0.5, half - 0.5, height - 1);
  context.fillStyle = `rgb(${colourOf('--up-heat')} / ${strength(bought)})`;
  context.fillRect(left + half + 0.5, top + 0.5, half - 0.5, height - 1);
  if (imbalance) {
    const isBought = imbalance === 'bought';
    context.fillStyle = colourOf(isBought ? '--up' : '--down');
    const wide = isStacked ? 3 : 1.5;
    context.fillRect(isBought ? left + 2 * half - wide : left, top + 0.5, wide, height - 1);
  }
  if (!hasFigures) return;
  const y = top + height / 2;
  context.textAlign = 'right';
  context.fillStyle = colourOf(imbalance === 'sold' ? '--down' : '--text');
  context.fillText(sold === 0 ? '0' : short(sold), left + half - 4, y);
  context.textAlign = 'left';
  context.fillStyle = colourOf(imbalance === 'bought' ? '--up' : '--text');
  context.fillText(bought === 0 ? '0' : short(bought), left + half + 4, y);
}
