import type {
  CustomData,
  CustomSeriesOptions,
  CustomSeriesPricePlotValues,
  ICustomSeriesPaneRenderer,
  ICustomSeriesPaneView,
  PaneRendererCustomData,
  PriceToCoordinateConverter,
  Time,
  WhitespaceData,
} from 'lightweight-charts';
import { customSeriesDefaultOptions } from 'lightweight-charts';

/** A column of a point-and-figure chart. */
export interface FigureData extends CustomData<Time> {
  /** Price of its first and its last box. */
  readonly open: number;
  readonly close: number;
  /** Height of a box. */
  readonly box: number;
  readonly isRising: boolean;
  readonly color: string;
}

type Target = Parameters<ICustomSeriesPaneRenderer['draw']>[0];

/** Smaller signs cannot be distinguished: a column is then drawn as a bar. */
const SIGN_MIN_PX = 3;
/** Share of a box that a sign takes. */
const SIGN_SHARE = 0.85;

/** Draws point and figure as columns of X, rising, and O, falling. */
export class FigureSeries implements ICustomSeriesPaneView<Time, FigureData> {
  #data: PaneRendererCustomData<Time, FigureData> | undefined;

  renderer(): ICustomSeriesPaneRenderer {
    return { draw: (target, toY) => this.#draw(target, toY) };
  }

  update(data: PaneRendererCustomData<Time, FigureData>): void {
    this.#data = data;
  }

  priceValueBuilder({ open, close, box }: FigureData): CustomSeriesPricePlotValues {
    return [Math.max(open, close) + box / 2, Math.min(open, close) - box / 2, close];
  }

  isWhitespace(data: FigureData | WhitespaceData<Time>): data is WhitespaceData<Time> {
    return !('close' in data);
  }

  defaultOptions(): CustomSeriesOptions {
    return customSeriesDefaultOptions;
  }

  #draw(target: Target, toY: PriceToCoordinateConverter): void {
    const { bars, visibleRange, barSpacing } = this.#data ?? {};
    if (!bars || !visibleRange || barSpacing === undefined) return;
    target.useMediaCoordinateSpace(({ context }) => {
      for (let i = Math.floor(visibleRange.from); i < visibleRange.to; i += 1) {
        const bar = bars[i];
        if (!bar) continue;
        context.strokeStyle = context.fillStyle = bar.barColor;
        drawColumn(context, bar.x, barSpacing, bar.originalData, toY);
      }
    });
  }
}

function drawColumn(
  context: CanvasRenderingContext2D,
  x: number,
  spacing: number,
  { open, close, box, isRising }: FigureData,
  toY: PriceToCoordinateConverter,
): void {
  const low = Math.min(open, close);
  const [bottom, next] = [toY(low), toY(low + box)];
  if (bottom === null || next === null) return;
  const boxPx = bottom - next;
  const boxes = Math.round(Math.abs(close - open) / box) + 1;
  const half = (Math.min(boxPx, spacing) * SIGN_SHARE) / 2;
  if (half * 2 < SIGN_MIN_PX) {
    const width = Math.max(1, spacing * SIGN_SHARE);
    context.fillRect(x - width / 2, bottom - boxPx * (boxes - 0.5), width, Math.max(1, boxPx * boxes));
    return;
  }
  context.lineWidth = half > 5 ? 1.6 : 1.2;
  context.beginPath();
  for (let i = 0; i < boxes; i += 1) {
    const y = bottom - i * boxPx;
    if (isRising) {
      context.moveTo(x - half, y - half);
      context.lineTo(x + half, y + half);
      context.moveTo(x - half, y + half);
      context.lineTo(x + half, y - half);
    } else {
      context.moveTo(x + half, y);
      context.ellipse(x, y, half, half, 0, 0, 2 * Math.PI);
    }
  }
  context.stroke();
}
