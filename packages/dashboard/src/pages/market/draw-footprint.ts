import { compact, plain } from '../../format/numbers.ts';
import type { FootprintGrid } from './footprint-grid.ts';

export interface FootprintStyle {
  readonly font: string;
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly accent: string;
  readonly up: string;
  readonly down: string;
  /** `r g b` of the cells' colours. */
  readonly upHeat: string;
  readonly downHeat: string;
  readonly digits: number;
  readonly timeOf: (ts: number) => string;
}

const COLUMN_PX = 92;
const AXIS_PX = 64;
const HEAD_PX = 20;
const FOOT_PX = 36;
/** Full strength leaves the text readable. */
const STRENGTH_MAX = 0.55;

/** Rows that fit a height. */
export function rowsIn(heightPx: number): number {
  return Math.max(4, Math.floor((heightPx - HEAD_PX - FOOT_PX) / 15));
}

/** Bars that fit a width; at least one. */
export function columnsIn(widthPx: number): number {
  return Math.max(1, Math.floor((widthPx - AXIS_PX) / COLUMN_PX));
}

/** Draws sold × bought at each price, bar beside bar, the newest on the right. */
export function drawFootprint(
  context: CanvasRenderingContext2D,
  grid: FootprintGrid,
  { width, height }: { readonly width: number; readonly height: number },
  style: FootprintStyle,
): void {
  context.clearRect(0, 0, width, height);
  const { columns, rows, top, step, most } = grid;
  if (rows === 0) return;
  const rowPx = Math.min(24, (height - HEAD_PX - FOOT_PX) / rows);
  const bottom = HEAD_PX + rows * rowPx;
  context.textBaseline = 'middle';
  context.font = `10.5px ${style.font}`;

  context.textAlign = 'right';
  context.fillStyle = style.muted;
  for (let i = 0; i < rows; i += 1) {
    const y = HEAD_PX + i * rowPx + rowPx / 2;
    context.fillText(plain((top - i) * step, style.digits), width - 6, y);
  }

  const left = width - AXIS_PX - columns.length * COLUMN_PX;
  for (const [i, column] of columns.entries()) {
    const x = left + i * COLUMN_PX;
    const middle = x + COLUMN_PX / 2;
    const half = COLUMN_PX / 2 - 3;
    for (const [row, { bought, sold }] of column.cells) {
      const y = HEAD_PX + (top - row) * rowPx;
      context.fillStyle = `rgb(${style.downHeat} / ${((sold / most) * STRENGTH_MAX).toFixed(3)})`;
      context.fillRect(middle - half, y + 0.5, half - 0.5, rowPx - 1);
      context.fillStyle = `rgb(${style.upHeat} / ${((bought / most) * STRENGTH_MAX).toFixed(3)})`;
      context.fillRect(middle + 0.5, y + 0.5, half - 0.5, rowPx - 1);
      context.fillStyle = style.text;
      context.textAlign = 'right';
      context.fillText(sold === 0 ? '0' : short(sold), middle - 5, y + rowPx / 2);
      context.textAlign = 'left';
      context.fillText(bought === 0 ? '0' : short(bought), middle + 5, y + rowPx / 2);
      if (row === column.poc) {
        context.strokeStyle = style.accent;
        context.strokeRect(middle - half, y + 0.5, 2 * half, rowPx - 1);
      }
    }
    context.textAlign = 'center';
    context.fillStyle = column.closed ? style.muted : style.accent;
    context.fillText(style.timeOf(column.openTs), middle, HEAD_PX / 2);
    context.fillStyle = column.delta >= 0 ? style.up : style.down;
    context.fillText(`Δ ${column.delta > 0 ? '+' : ''}${short(column.delta)}`, middle, bottom + 11);
    context.fillStyle = style.muted;
    context.fillText(short(column.volume), middle, bottom + 26);
    context.fillStyle = style.line;
    context.fillRect(x, HEAD_PX, 1, bottom - HEAD_PX);
  }
}

function short(value: number): string {
  if (Math.abs(value) >= 1_000) return compact(value, 1);
  return Math.abs(value) >= 10 ? plain(value, 1) : plain(value, 2);
}
