import { isLineColor, type LineColor } from '../line-colors.ts';

/** Drawing tools: title and number of points. */
export const drawingTools = {
  horizontal: { title: 'Horizontal line', points: 1 },
  trend: { title: 'Trend line', points: 2 },
  ray: { title: 'Ray', points: 2 },
  rectangle: { title: 'Rectangle', points: 2 },
  fibonacci: { title: 'Fibonacci levels', points: 2 },
  measure: { title: 'Measure', points: 2 },
  note: { title: 'Note', points: 1 },
} as const;

export type DrawingTool = keyof typeof drawingTools;

/** A point of a drawing: it keeps its time and price, whatever bars are shown. */
export interface Anchor {
  readonly ts: number;
  readonly price: number;
}

/** Line styles: name, and dashes in widths of the line. */
export const lineKinds = {
  solid: { title: 'Solid', dash: [] },
  dashed: { title: 'Dashed', dash: [6, 4] },
  dotted: { title: 'Dotted', dash: [1, 3] },
} as const;

export type LineKind = keyof typeof lineKinds;
export const lineWidths = [1, 2, 3, 4] as const;

/** How a drawing looks; without a colour it has that of the page. */
export interface DrawingStyle {
  readonly color?: LineColor;
  readonly width?: (typeof lineWidths)[number];
  readonly line?: LineKind;
}

export interface Drawing extends DrawingStyle {
  readonly id: string;
  readonly tool: DrawingTool;
  readonly anchors: readonly Anchor[];
  /** Text of a note. */
  readonly text?: string;
  /** Neither moved nor removed. */
  readonly isLocked?: boolean;
}

/** Drawings by the id of their market. */
export type Drawings = Readonly<Record<string, readonly Drawing[]>>;

/** A market keeps its newest drawings, and the browser those of the markets drawn on last. */
export const DRAWINGS_MAX = 100;
const MARKETS_MAX = 60;
export const NOTE_CHARS_MAX = 80;

function isAnchor(value: unknown): value is Anchor {
  if (typeof value !== 'object' || value === null) return false;
  const { ts, price } = value as Record<string, unknown>;
  return Number.isFinite(ts) && Number.isFinite(price);
}

export function isDrawingStyle(value: unknown): value is DrawingStyle {
  if (typeof value !== 'object' || value === null) return false;
  const { color, width, line } = value as Record<string, unknown>;
  return (
    (color === undefined || isLineColor(color)) &&
    (width === undefined || lineWidths.some((one) => one === width)) &&
    (line === undefined || (typeof line === 'string' && line in lineKinds))
  );
}

function isDrawing(value: unknown): value is Drawing {
  if (typeof value !== 'object' || value === null) return false;
  const { id, tool, anchors, text, isLocked } = value as Record<string, unknown>;
  return (
    typeof id === 'string' &&
    typeof tool === 'string' &&
    tool in drawingTools &&
    Array.isArray(anchors) &&
    anchors.length === drawingTools[tool as DrawingTool].points &&
    anchors.every(isAnchor) &&
    (text === undefined || (typeof text === 'string' && text.length <= NOTE_CHARS_MAX)) &&
    (isLocked === undefined || typeof isLocked === 'boolean') &&
    isDrawingStyle(value)
  );
}

export function isDrawings(value: unknown): value is Drawings {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((list) => Array.isArray(list) && list.every(isDrawing))
  );
}

/** All drawings after those of one market have changed; it becomes the last of the markets. */
export function withDrawings(all: Drawings, market: string, drawings: readonly Drawing[]): Drawings {
  const { [market]: _, ...others } = all;
  const kept = Object.entries(others).slice(1 - MARKETS_MAX);
  return Object.fromEntries(
    drawings.length === 0 ? kept : [...kept, [market, drawings.slice(-DRAWINGS_MAX)]],
  );
}
