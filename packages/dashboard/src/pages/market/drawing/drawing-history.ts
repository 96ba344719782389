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

/**
 * The same history over what another tab has stored: a later undo reverts the steps of this tab, and leaves the other's
 * drawings.
 */
export function rebased(history: DrawingHistory, kept: readonly Drawing[]): DrawingHistory {
  const onto = (list: readonly Drawing[]): readonly Drawing[] => mergedDrawings(history.drawings, list, kept);
  return { drawings: kept, past: history.past.map(onto), future: history.future.map(onto) };
}

/** Merges two versions of a common list: the changes of both, mine where they conflict. */
function mergedDrawings(
  base: readonly Drawing[],
  mine: readonly Drawing[],
  theirs: readonly Drawing[],
): readonly Drawing[] {
  const [before, own] = [byId(base), byId(mine)];
  const kept = theirs.flatMap((drawing) => {
    const ours = own.get(drawing.id);
    const known = before.get(drawing.id);
    if (!known) return [ours ?? drawing];
    if (!ours) return [];
    return [isSame(ours, known) ? drawing : ours];
  });
  const added = mine.filter(({ id }) => !before.has(id) && !kept.some((one) => one.id === id));
  return [...kept, ...added];
}

function byId(drawings: readonly Drawing[]): ReadonlyMap<string, Drawing> {
  return new Map(drawings.map((drawing) => [drawing.id, drawing]));
}

function isSame(a: Drawing, b: Drawing): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
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
