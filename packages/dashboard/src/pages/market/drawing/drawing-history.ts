import type { Anchor, Drawing } from './drawing.ts';

const STEPS_MAX = 50;

/** The drawings of a market, with the steps that led there. */
export interface DrawingHistory {
  readonly drawings: readonly Drawing[];
  readonly past: readonly (readonly Drawing[])[];
  readonly future: readonly (readonly Drawing[])[];
}

export function startHistory(drawings: readonly Drawing[]): DrawingHistory {
  return { drawings, past: [], future: [] };
}

export function change({ drawings, past }: DrawingHistory, next: readonly Drawing[]): DrawingHistory {
  return { drawings: next, past: [...past.slice(1 - STEPS_MAX), drawings], future: [] };
}

export function undo(history: DrawingHistory): DrawingHistory {
  const { drawings, past, future } = history;
  const before = past.at(-1);
  return before
    ? { drawings: before, past: past.slice(0, -1), future: [drawings, ...future].slice(0, STEPS_MAX) }
    : history;
}

export function redo(history: DrawingHistory): DrawingHistory {
  const { drawings, past, future } = history;
  const [after, ...others] = future;
  return after ? { drawings: after, past: [...past, drawings], future: others } : history;
}

/** A drawing moved as a whole, or by one of its points. */
export function moved(drawing: Drawing, from: Anchor, to: Anchor, point?: number): Drawing {
  const anchors = drawing.anchors.map((anchor, i) => {
    if (point === i) return to;
    if (point !== undefined) return anchor;
    return { ts: anchor.ts + to.ts - from.ts, price: anchor.price + to.price - from.price };
  });
  return { ...drawing, anchors };
}
