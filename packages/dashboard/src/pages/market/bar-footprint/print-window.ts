import type { Bar } from '../../../live/topic.ts';
import type { BarView } from '../bar-view.ts';

type CountedBar = Pick<Bar, 'openTs' | 'closeTs' | 'trades'> & { readonly fromVenue?: unknown };

/** From when to when trades are needed; without an end, new ones are followed. */
export interface PrintWindow {
  readonly start: number;
  readonly end?: number;
}

/** Approximate maximum of trades per page. */
export const PRINTS_MAX = 400_000;

/**
 * The trades that the visible bars need, and as many bars on either side, so that moving a little needs no others.
 * What is known stays where it is enough. `undefined`: the newest visible bar alone has too many, or none is recorded.
 */
export function windowOf(
  bars: readonly CountedBar[],
  { from, to }: BarView,
  known: PrintWindow | undefined,
): PrintWindow | undefined {
  const last = Math.min(bars.length - 1, Math.ceil(to));
  const first = Math.min(last, Math.max(0, Math.floor(from)));
  const [firstBar, lastBar] = [bars[first], bars[last]];
  if (!firstBar || !lastBar) return undefined;
  const count = last - first + 1;
  const isLive = last >= bars.length - 2;
  const least = Math.max(0, first - count);
  let trades = 0;
  let at = last + 1;
  while (at > least) {
    const bar = bars[at - 1] as CountedBar;
    trades += bar.trades;
    if (bar.fromVenue || !(trades <= PRINTS_MAX)) break;
    at -= 1;
  }
  if (at > last) return undefined;
  const start = (bars[Math.min(at, last)] as CountedBar).openTs;
  const needed = Math.max(start, firstBar.openTs);
  // Another market or length may have left one that reaches much further back.
  const oldest = bars[Math.max(0, first - 4 * count)]?.openTs ?? start;
  const { start: knownStart = Infinity, end: knownEnd = Infinity } = known ?? {};
  const isEnough = knownStart <= needed && knownStart >= Math.min(oldest, start);
  if (
    known &&
    isEnough &&
    (isLive ? known.end === undefined : knownEnd > lastBar.closeTs && known.end !== undefined)
  )
    return known;
  if (isLive) return { start };
  return { start, end: (bars[Math.min(bars.length - 1, last + count)] as CountedBar).closeTs + 1 };
}
