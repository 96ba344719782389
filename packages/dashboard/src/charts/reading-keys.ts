/** Steps of a page. */
const PAGE_STEPS = 20;

/**
 * The position that a key leads to, as on a slider; −1: none. From none it leads to the newest. `undefined`: another
 * key.
 */
export function placeByKey(key: string, index: number, count: number): number | undefined {
  const from = index < 0 ? count - 1 : index;
  const places: Readonly<Record<string, number>> = {
    ArrowLeft: from - 1,
    ArrowRight: from + 1,
    PageDown: from - PAGE_STEPS,
    PageUp: from + PAGE_STEPS,
    Home: 0,
    End: count - 1,
    Escape: -1,
  };
  const to = places[key];
  if (to === undefined || key === 'Escape') return to;
  return Math.max(0, Math.min(count - 1, to));
}

/** Makes an element a slider over this many positions; with −1 it starts at the newest. */
export function sliderOf(count: number, index: number, label: string, spoken: string): object {
  const last = Math.max(0, count - 1);
  return {
    role: 'slider',
    tabindex: 0,
    'aria-label': label,
    'aria-valuemin': 0,
    'aria-valuemax': last,
    'aria-valuenow': index < 0 ? last : index,
    'aria-valuetext': spoken,
  };
}
