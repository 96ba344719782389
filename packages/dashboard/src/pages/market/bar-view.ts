/** From where to where bars are seen, in bars; the middle of a bar is a whole number. */
export interface BarView {
  readonly from: number;
  readonly to: number;
}

interface Dated {
  readonly openTs: number;
}

/** Bars seen at first; columns of point and figure are wider. */
const SHOWN_FIRST = 160;
export const FIGURES_FIRST = 60;
/** Room on the right of the newest. */
const ROOM = 4;
const SHOWN_MIN = 10;

export function firstView(count: number, shown = SHOWN_FIRST): BarView {
  return { from: Math.max(0, count - shown), to: count + ROOM };
}

/** The same bars in a list that begins or ends elsewhere; a view of the newest bars stays on the newest. */
export function keptView(view: BarView, before: readonly Dated[], after: readonly Dated[]): BarView {
  const width = view.to - view.from;
  if (view.to >= before.length - 1) {
    const to = after.length + view.to - before.length;
    return { from: to - width, to };
  }
  const at = Math.min(before.length - 1, Math.max(0, Math.round(view.from)));
  const ts = before[at]?.openTs ?? 0;
  const found = after.findIndex(({ openTs }) => openTs >= ts);
  const from = found < 0 ? view.from : found + view.from - at;
  return { from, to: from + width };
}

/** Zooms by this factor around a bar that stays in place. */
export function zoomedView({ from, to }: BarView, factor: number, around: number, count: number): BarView {
  const width = Math.min(Math.max(count + ROOM, SHOWN_MIN), Math.max(SHOWN_MIN, (to - from) * factor));
  const share = Math.min(1, Math.max(0, (around - from) / (to - from)));
  return { from: around - width * share, to: around + width * (1 - share) };
}

/** As it is where the bar is visible, else moved until it is. */
export function viewOf(index: number, view: BarView): BarView {
  const by = index < view.from + 1 ? index - view.from - 1 : index > view.to - 1 ? index - view.to + 1 : 0;
  return by === 0 ? view : { from: view.from + by, to: view.to + by };
}
