import { plain } from '../../format/numbers.ts';
import { type FootprintColumn, type FootprintGrid, short } from './footprint-grid.ts';

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

/** The drawing surface, and what is already on it. */
export interface FootprintPlace {
  readonly context: CanvasRenderingContext2D;
  readonly width: number;
  readonly height: number;
  readonly style: FootprintStyle;
  /** Nothing is, if it is empty. */
  drawn: FootprintGrid;
}

/** Draws sold × bought at each price, bar beside bar, the newest on the right; existing columns are skipped. */
export function drawFootprint(
  grid: FootprintGrid,
  { context, width, height, style, drawn }: FootprintPlace,
): void {
  const { columns, rows, top, step, most } = grid;
  const isSame =
    rows === drawn.rows &&
    top === drawn.top &&
    step === drawn.step &&
    most === drawn.most &&
    columns.length === drawn.columns.length;
  if (!isSame) context.clearRect(0, 0, width, height);
  if (rows === 0) return;
  const rowPx = Math.min(24, (height - HEAD_PX - FOOT_PX) / rows);
  context.textBaseline = 'middle';
  context.font = `11px ${style.font}`;
  const left = width - AXIS_PX - columns.length * COLUMN_PX;
  for (const [i, column] of columns.entries()) {
    if (isSame && drawn.columns[i] === column) continue;
    const x = left + i * COLUMN_PX;
    context.clearRect(x, 0, COLUMN_PX, height);
    drawColumn(column, { context, style, x, rowPx, rows, top, most });
  }
  if (isSame) return;
  context.textAlign = 'right';
  context.fillStyle = style.muted;
  for (let i = 0; i < rows; i += 1) {
    const y = HEAD_PX + i * rowPx + rowPx / 2;
    context.fillText(plain((top - i) * step, style.digits), width - 6, y);
  }
}

interface ColumnPlace
  extends Pick<FootprintPlace, 'context' | 'style'>,
    Pick<FootprintGrid, 'rows' | 'top' | 'most'> {
  readonly x: number;
  readonly rowPx: number;
}

function drawColumn({ bar, cells, poc }: FootprintColumn, place: ColumnPlace): void {
  const { context, style, x, rowPx, rows, top, most } = place;
  const bottom = HEAD_PX + rows * rowPx;
  const middle = x + COLUMN_PX / 2;
  const half = COLUMN_PX / 2 - 3;
  for (const [row, { bought, sold }] of cells) {
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
    if (row === poc) {
      context.strokeStyle = style.accent;
      context.strokeRect(middle - half, y + 0.5, 2 * half, rowPx - 1);
    }
  }
  context.textAlign = 'center';
  context.fillStyle = bar.closed ? style.muted : style.accent;
  context.fillText(style.timeOf(bar.openTs), middle, HEAD_PX / 2);
  context.fillStyle = bar.delta >= 0 ? style.up : style.down;
  context.fillText(`Δ ${bar.delta > 0 ? '+' : ''}${short(bar.delta)}`, middle, bottom + 11);
  context.fillStyle = style.muted;
  context.fillText(short(bar.volume), middle, bottom + 26);
  context.fillStyle = style.line;
  context.fillRect(x, HEAD_PX, 1, bottom - HEAD_PX);
}
