import { compact } from '../../../format/numbers.ts';
import { placeOf } from '../drawing/bar-places.ts';
import type { HeatColumn } from './book-heat.ts';
import type { OverlayPane } from './pane-overlay.ts';

/** Size of a cell, in pixels. */
const CELL_PX = 3;
/** The strongest colour is that of this share of all cells: a single order does not make the others pale. */
const FULL_SHARE = 0.98;
/** Cells that are sorted to find it. */
const SAMPLED_MAX = 4_000;
const ALPHA_MIN = 0.06;
const ALPHA_MAX = 0.8;
/** Distance of its caption from the right. */
const TEXT_PX = 10;
/** Its height, and the margin of its ground: on the map itself it could not be read. */
const LINE_PX = 16;
const GROUND_PX = 4;

interface Grid {
  readonly columns: number;
  readonly rows: number;
  /** Worth of each cell, row by row in each column. */
  readonly worths: Float64Array;
}

/**
 * Resting orders at each height and time: the sum of the prices of a cell, and the maximum of its times. A level with a
 * width is spread evenly over the cells that it covers.
 */
export function gridOf(
  columns: readonly HeatColumn[],
  size: { readonly width: number; readonly height: number },
  xOf: (ts: number) => number,
  yOf: (price: number) => number,
): Grid {
  const across = Math.ceil(size.width / CELL_PX);
  const rows = Math.ceil(size.height / CELL_PX);
  const worths = new Float64Array(across * rows);
  const sums = new Float64Array(rows);
  const touched: number[] = [];
  for (const { fromMs, toMs, levels, widths } of columns) {
    const first = Math.max(0, Math.floor(xOf(fromMs) / CELL_PX));
    const last = Math.min(across - 1, Math.floor(xOf(toMs) / CELL_PX));
    if (last < first) continue;
    for (let i = 0; i < levels.length; i += 2) {
      const [price, worth, width] = [levels[i]!, levels[i + 1]!, widths?.[i / 2] ?? 0];
      const start = yOf(price) / CELL_PX;
      const end = width === 0 ? start : yOf(price + width) / CELL_PX;
      const [top, bottom] = start < end ? [start, end] : [end, start];
      const lastRow = Math.min(rows - 1, Math.floor(bottom));
      for (let row = Math.max(0, Math.floor(top)); row <= lastRow; row += 1) {
        const share = bottom > top ? (Math.min(bottom, row + 1) - Math.max(top, row)) / (bottom - top) : 1;
        if (share <= 0) continue;
        if (sums[row] === 0) touched.push(row);
        sums[row]! += worth * share;
      }
    }
    for (const row of touched) {
      for (let at = first; at <= last; at += 1) {
        const cell = at * rows + row;
        if (sums[row]! > worths[cell]!) worths[cell] = sums[row]!;
      }
      sums[row] = 0;
    }
    touched.length = 0;
  }
  return { columns: across, rows, worths };
}

/** Value of the strongest colour; 0 if nothing is visible. Estimated from a sample of many cells. */
export function fullWorth(worths: Float64Array): number {
  const seen = worths.filter((worth) => worth > 0);
  const every = Math.ceil(seen.length / SAMPLED_MAX);
  const some = (every > 1 ? seen.filter((_, i) => i % every === 0) : seen).toSorted();
  return some[Math.min(some.length - 1, Math.floor(some.length * FULL_SHARE))] ?? 0;
}

interface Heights {
  /** Height of the price zero, and of each unit, near a price. */
  readonly zeroY: number;
  readonly perPrice: number;
  readonly heightOf: (price: number) => number;
}

/** Heights of prices: on a linear axis computed from two of them, because asking the chart takes ten times as long. */
export function heightsOf(near: number, yOf: (price: number) => number | null): Heights | undefined {
  const [at, next, double] = [yOf(near), yOf(near * 1.01), yOf(near * 2)];
  if (at === null || next === null || double === null) return undefined;
  const perPrice = (next - at) / (near * 0.01);
  const zeroY = at - near * perPrice;
  const linear = (price: number): number => zeroY + perPrice * price;
  // On a logarithmic one, twice the price is only 70 times as far as 1% more.
  const isLinear = Math.abs(double - linear(near * 2)) < Math.abs(next - at);
  return { zeroY, perPrice, heightOf: isLinear ? linear : (price) => yOf(price) ?? -1 };
}

interface HeatLook {
  /** With the worth of the strongest colour. */
  readonly caption: (full: string) => string;
  /** Name of a token. */
  readonly color: string;
  /** Distance of the caption from the bottom. */
  readonly bottomPx: number;
}

/** Paints what is at each price over time. Redrawn when the view, the colours or the columns change. */
export function heatPainter(
  columnsNow: () => readonly HeatColumn[],
  { caption, color, bottomPx }: HeatLook,
): (pane: OverlayPane) => void {
  const canvas = document.createElement('canvas');
  let drawn = '';
  let drawnOf: readonly HeatColumn[] = [];
  let full = 0;
  return (pane) => {
    const { context, width, height, bars, xOf, yOf, colourOf } = pane;
    const columns = columnsNow();
    const last = columns.at(-1);
    const [close] = bars.slice(-1).map((bar) => bar.close);
    const heights = close === undefined ? undefined : heightsOf(close, yOf);
    if (!last || !heights) return;
    const { zeroY, perPrice, heightOf } = heights;
    const colour = colourOf(color);
    const view = [width, height, xOf(0), xOf(1), bars.length, bars[0]?.openTs, zeroY, perPrice, colour];
    // The age of a column in progress counts in seconds.
    const now = [columns.length, last.fromMs, Math.floor(last.toMs / 1_000)];
    const key = [...view, ...now].join();
    if (key !== drawn || columns !== drawnOf) {
      drawn = key;
      drawnOf = columns;
      // A bar reaches half of its width to either side.
      const timeX = (ts: number): number => xOf(placeOf(bars, ts) - 0.5);
      const grid = gridOf(columns, { width, height }, timeX, heightOf);
      full = fullWorth(grid.worths);
      paint(canvas, grid, full, colour);
    }
    context.imageSmoothingEnabled = false;
    context.drawImage(canvas, 0, 0, canvas.width * CELL_PX, canvas.height * CELL_PX);
    if (full === 0) return;
    const text = caption(compact(full));
    const long = context.measureText(text).width + 2 * GROUND_PX;
    context.fillStyle = colourOf('--panel');
    context.fillRect(width - TEXT_PX - long, height - bottomPx - LINE_PX, long, LINE_PX);
    context.fillStyle = colourOf('--text-2');
    context.textAlign = 'right';
    context.fillText(text, width - TEXT_PX - GROUND_PX, height - bottomPx - GROUND_PX);
  };
}

/** One pixel for each cell. */
function paint(
  canvas: HTMLCanvasElement,
  { columns, rows, worths }: Grid,
  full: number,
  colour: string,
): void {
  canvas.width = columns;
  canvas.height = rows;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context || full === 0) return;
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  const image = context.createImageData(columns, rows);
  fillPixels(image.data, { columns, rows, worths }, full, [red, green, blue]);
  context.putImageData(image, 0, 0);
}

/** Sets the pixels of all cells at once: a rectangle for each would take ten times as long. */
export function fillPixels(
  pixels: Uint8ClampedArray,
  { columns, rows, worths }: Grid,
  full: number,
  [red, green, blue]: readonly [number, number, number],
): void {
  for (let at = 0; at < columns; at += 1)
    for (let row = 0; row < rows; row += 1) {
      const worth = worths[at * rows + row]!;
      if (worth === 0) continue;
      const first = (row * columns + at) * 4;
      pixels[first] = red;
      pixels[first + 1] = green;
      pixels[first + 2] = blue;
      pixels[first + 3] = (ALPHA_MIN + (ALPHA_MAX - ALPHA_MIN) * Math.min(1, worth / full)) * 255;
    }
}
