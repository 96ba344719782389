import type { Anchor, Drawing } from './drawing.ts';

export type Point = readonly [x: number, y: number];

/** The shapes of a drawing on the screen. */
export type Shape =
  | { readonly kind: 'line'; readonly from: Point; readonly to: Point; readonly isFaint?: boolean }
  | { readonly kind: 'box'; readonly from: Point; readonly to: Point }
  | { readonly kind: 'label'; readonly at: Point; readonly text: string };

/** The pane that is drawn on, and how it prints figures. */
export interface Canvas {
  readonly width: number;
  readonly height: number;
  readonly xOf: (ts: number) => number;
  readonly yOf: (price: number) => number;
  readonly price: (value: number) => string;
  /** Label of a measured span: `34 bars, 2h 50m`. */
  readonly span: (from: Anchor, to: Anchor) => string;
}

const FIBONACCI = [0, 0.236, 0.382, 0.5, 0.618, 0.786, 1] as const;
/** Nearer than this a pointer touches a line, in pixels. */
const REACH_PX = 7;
const LABEL_CHAR_PX = 6.5;
const LABEL_PX = 16;
/** Room for the price of a level, at the right end. */
const LEVEL_PX = 64;

export function shapesOf({ tool, anchors, text }: Drawing, canvas: Canvas): readonly Shape[] {
  const [a, b = a] = anchors;
  if (!a || !b) return [];
  const { width, xOf, yOf, price } = canvas;
  const [from, to]: readonly [Point, Point] = [
    [xOf(a.ts), yOf(a.price)],
    [xOf(b.ts), yOf(b.price)],
  ];
  if (tool === 'horizontal')
    return [
      { kind: 'line', from: [0, from[1]], to: [width, from[1]] },
      { kind: 'label', at: [width - LEVEL_PX, from[1] - 4], text: price(a.price) },
    ];
  if (tool === 'note') return [{ kind: 'label', at: from, text: text === '' || !text ? 'Note' : text }];
  if (tool === 'trend') return [{ kind: 'line', from, to }];
  if (tool === 'ray') return [{ kind: 'line', from, to: rayEnd(from, to, canvas) }];
  if (tool === 'rectangle') return [{ kind: 'box', from, to }];
  if (tool === 'measure') {
    const change = ((b.price - a.price) / a.price) * 100;
    const sign = change < 0 ? '−' : '+';
    const words = `${sign}${price(Math.abs(b.price - a.price))} (${sign}${Math.abs(change).toFixed(2)}%) · ${canvas.span(a, b)}`;
    return [
      { kind: 'box', from, to },
      { kind: 'label', at: [Math.min(from[0], to[0]), Math.min(from[1], to[1]) - 4], text: words },
    ];
  }
  const right = Math.max(from[0], to[0]);
  const left = Math.min(from[0], to[0]);
  return [
    { kind: 'line', from, to, isFaint: true },
    ...FIBONACCI.flatMap((share): Shape[] => {
      const value = b.price + (a.price - b.price) * share;
      const y = yOf(value);
      return [
        { kind: 'line', from: [left, y], to: [right, y] },
        { kind: 'label', at: [left, y - 3], text: `${share} · ${price(value)}` },
      ];
    }),
  ];
}

/** Where a ray leaves the pane. */
function rayEnd([x, y]: Point, [throughX, throughY]: Point, { width, height }: Canvas): Point {
  const [dx, dy] = [throughX - x, throughY - y];
  if (dx === 0 && dy === 0) return [x, y];
  const ways = [
    dx > 0 ? (width - x) / dx : dx < 0 ? -x / dx : Infinity,
    dy > 0 ? (height - y) / dy : dy < 0 ? -y / dy : Infinity,
  ];
  const way = Math.max(1, Math.min(...ways));
  return [x + dx * way, y + dy * way];
}

/** Whether a pointer touches any of the shapes. */
export function touches(shapes: readonly Shape[], at: Point): boolean {
  return shapes.some((shape) => {
    if (shape.kind === 'label') {
      const [x, y] = shape.at;
      const width = shape.text.length * LABEL_CHAR_PX;
      return at[0] >= x - 2 && at[0] <= x + width && at[1] <= y + 4 && at[1] >= y - LABEL_PX;
    }
    if (shape.kind === 'line') return distance(at, shape.from, shape.to) <= REACH_PX;
    const [[left, top], [right, bottom]] = [shape.from, shape.to];
    const corners: readonly Point[] = [
      [left, top],
      [right, top],
      [right, bottom],
      [left, bottom],
    ];
    return corners.some((corner, i) => distance(at, corner, corners[(i + 1) % 4] as Point) <= REACH_PX);
  });
}

/** Distance of a point from a line between two others. */
function distance([x, y]: Point, [x1, y1]: Point, [x2, y2]: Point): number {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / length));
  return Math.hypot(x - x1 - share * dx, y - y1 - share * dy);
}
