import type { ISeriesPrimitive, Logical, SeriesAttachedParameter } from 'lightweight-charts';
import { price, priceDigits } from '../../../format/numbers.ts';
import { age } from '../../../format/times.ts';
import type { ChartSurface } from '../chart-surface.ts';
import { canvasFont } from '../canvas-font.ts';
import { placeOf, timeOf } from './bar-places.ts';
import { colorToken } from '../line-colors.ts';
import { type Anchor, type Drawing, lineKinds } from './drawing.ts';
import { type Canvas, type Point, shapesOf, touches } from './drawing-shapes.ts';
import { nextPrice } from './key-steps.ts';

const HANDLE_PX = 4;
/** A handle is easier to grab than it is large. */
const GRAB_PX = 10;
const TEXT_PX = 11;
const LABEL_PAD_PX = 3;

type Target = Parameters<
  NonNullable<ReturnType<ReturnType<NonNullable<ISeriesPrimitive['paneViews']>>[number]['renderer']>>['draw']
>[0];

/** Draws over the bars of a chart, and finds the drawing at a point. */
export class DrawingLayer implements ISeriesPrimitive {
  readonly #surface: ChartSurface;
  #redraw: (() => void) | undefined;
  #drawings: readonly Drawing[] = [];
  #selected: string | undefined;
  /** Where keys would set the next point. */
  #cursor: Anchor | undefined;
  #size = { width: 0, height: 0 };

  constructor(surface: ChartSurface) {
    this.#surface = surface;
  }

  attached({ requestUpdate }: SeriesAttachedParameter): void {
    this.#redraw = requestUpdate;
  }

  detached(): void {
    this.#redraw = undefined;
  }

  show(drawings: readonly Drawing[], selected: string | undefined, cursor?: Anchor): void {
    this.#drawings = drawings;
    this.#selected = selected;
    this.#cursor = cursor;
    this.#redraw?.();
  }

  /** The time and price at a point of the chart. */
  anchorAt([x, y]: Point): Anchor | undefined {
    const { chart, prices, bars } = this.#surface;
    const first = chart.timeScale().logicalToCoordinate(0 as Logical);
    const value = prices.coordinateToPrice(y);
    if (first === null || value === null) return undefined;
    const place = (x - first) / chart.timeScale().options().barSpacing;
    return { ts: timeOf(bars(), place), price: value };
  }

  /** The newest drawing at a point, and its point there. */
  at(point: Point): { readonly drawing: Drawing; readonly anchor: number | undefined } | undefined {
    const canvas = this.#canvas;
    const selected = this.#drawings.find(({ id }) => id === this.#selected);
    const anchor = selected?.anchors.findIndex(({ ts, price: value }) => {
      const [x, y] = [canvas.xOf(ts), canvas.yOf(value)];
      return Math.hypot(x - point[0], y - point[1]) <= GRAB_PX;
    });
    if (selected && anchor !== undefined && anchor >= 0) return { drawing: selected, anchor };
    const drawing = this.#drawings.findLast((one) => touches(shapesOf(one, canvas), point));
    return drawing && { drawing, anchor: undefined };
  }

  /** Price difference of this many pixels. */
  reachAt(y: number, px: number): number {
    const [a, b] = [y, y + px].map((at) => this.#surface.prices.coordinateToPrice(at));
    return a === null || b === null || a === undefined || b === undefined ? 0 : Math.abs(a - b);
  }

  /** The price this many pixels above another, or the next one where they are the same. */
  priceAbove(value: number, px: number): number {
    const { prices } = this.#surface;
    const y = prices.priceToCoordinate(value);
    const target = y === null ? null : prices.coordinateToPrice(y - px);
    return target === null ? value : nextPrice(value, target, priceDigits(value));
  }

  paneViews() {
    return [
      { zOrder: () => 'top' as const, renderer: () => ({ draw: (target: Target) => this.#draw(target) }) },
    ];
  }

  get #canvas(): Canvas {
    const { chart, prices, bars } = this.#surface;
    const scale = chart.timeScale();
    const known = bars();
    const first = scale.logicalToCoordinate(0 as Logical) ?? 0;
    const { barSpacing } = scale.options();
    const digits = priceDigits(known.at(-1)?.close ?? 1);
    return {
      ...this.#size,
      xOf: (ts) => first + placeOf(known, ts) * barSpacing,
      yOf: (value) => prices.priceToCoordinate(value) ?? 0,
      price: (value) => price(value, digits),
      span: (a, b) => {
        const count = Math.abs(Math.round(placeOf(known, b.ts)) - Math.round(placeOf(known, a.ts)));
        return `${count} bars, ${age(Math.abs(b.ts - a.ts))}`;
      },
    };
  }

  #draw(target: Target): void {
    target.useMediaCoordinateSpace(({ context, mediaSize }) => {
      this.#size = mediaSize;
      const canvas = this.#canvas;
      for (const drawing of this.#drawings) this.#drawOne(context, drawing, canvas);
      if (!this.#cursor) return;
      context.strokeStyle = this.#surface.colourOf()('--accent');
      this.#drawHandle(context, this.#cursor, canvas);
    });
  }

  #drawHandle(context: CanvasRenderingContext2D, { ts, price: value }: Anchor, canvas: Canvas): void {
    context.beginPath();
    context.arc(canvas.xOf(ts), canvas.yOf(value), HANDLE_PX, 0, 2 * Math.PI);
    context.fillStyle = this.#surface.colourOf()('--panel');
    context.fill();
    context.stroke();
  }

  #drawOne(context: CanvasRenderingContext2D, drawing: Drawing, canvas: Canvas): void {
    const colourOf = this.#surface.colourOf();
    const isSelected = drawing.id === this.#selected;
    const color = colourOf(drawing.color === undefined ? '--accent' : colorToken(drawing.color));
    const stroke = drawing.width ?? 1;
    context.strokeStyle = color;
    context.lineWidth = isSelected ? stroke + 0.75 : stroke === 1 ? 1.25 : stroke;
    const dash = lineKinds[drawing.line ?? 'solid'].dash.map((part) => part * stroke);
    context.font = canvasFont(TEXT_PX);
    for (const shape of shapesOf(drawing, canvas)) {
      if (shape.kind === 'label') {
        const [x, y] = shape.at;
        context.fillStyle = colourOf('--raised');
        const { width } = context.measureText(shape.text);
        context.fillRect(x - LABEL_PAD_PX, y - TEXT_PX, width + 2 * LABEL_PAD_PX, TEXT_PX + LABEL_PAD_PX);
        context.fillStyle = colourOf('--text');
        context.fillText(shape.text, x, y);
        continue;
      }
      const [[x1, y1], [x2, y2]] = [shape.from, shape.to];
      if (shape.kind === 'box') {
        context.fillStyle = `${color}22`;
        context.fillRect(x1, y1, x2 - x1, y2 - y1);
        context.setLineDash(dash);
        context.strokeRect(x1, y1, x2 - x1, y2 - y1);
        context.setLineDash([]);
        continue;
      }
      context.globalAlpha = shape.isFaint ? 0.4 : 1;
      context.beginPath();
      context.moveTo(x1, y1);
      context.lineTo(x2, y2);
      context.setLineDash(dash);
      context.stroke();
      context.setLineDash([]);
      context.globalAlpha = 1;
    }
    // A locked one cannot be dragged by its points.
    if (!isSelected || drawing.isLocked) return;
    for (const anchor of drawing.anchors) this.#drawHandle(context, anchor, canvas);
  }
}
