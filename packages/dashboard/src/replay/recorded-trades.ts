import type { Cursor, SocketItem } from '@crosstape/client';
import { tradeAt } from '../live/tick-trades.ts';
import type { RecordedWindow, RecordedWindows, TapeName } from './recorded-windows.ts';
import type { ReplayClock } from './replay-clock.ts';

type TradeItem = SocketItem<'trades'>;
type Gap = RecordedWindow['gaps'][number];

/** The next window is loaded ahead where it has at least this much. */
const AHEAD_MIN_MS = 10_000;

export interface RecordedTradesOptions {
  readonly clock: ReplayClock;
  readonly windows: RecordedWindows;
  readonly name: TapeName;
  readonly since: Cursor;
  readonly signal?: AbortSignal | undefined;
}

/**
 * An endless sequence of a market's trades from a cursor, as the channel sends them live: those before the replay time
 * at once, each later one when the clock reaches it. Gaps of the record come where they begin.
 */
export async function* recordedTrades(
  options: RecordedTradesOptions,
): AsyncGenerator<readonly TradeItem[], void, undefined> {
  const { clock, windows, name, since, signal } = options;
  const reader = clock.join();
  const following = windows.follow(name);
  let [fromMs, repeated] = [since.ts, since.count];
  /** Up to here gaps have been reported. */
  let reportedMs = -Infinity;
  /** Removes the gaps that have begun, as items. */
  const takeGaps = (gaps: Gap[]): TradeItem[] => {
    const later = gaps.findIndex(({ from }) => from > clock.now());
    const begun = gaps.splice(0, later < 0 ? gaps.length : later);
    for (const gap of begun) following.note(gap);
    return begun.map((gap) => ({ ...gap, type: 'gap' }));
  };
  try {
    yield [{ type: 'joined' }];
    for (;;) {
      const window = await windows.load(name, fromMs);
      signal?.throwIfAborted();
      // Failures are reported when the window is needed.
      if (clock.endMs - window.toMs > AHEAD_MIN_MS) windows.load(name, window.toMs).catch(() => {});
      const gaps = window.gaps.filter(({ to }) => to > fromMs && to > reportedMs);
      reportedMs = gaps.at(-1)?.to ?? reportedMs;
      for (const ticks of window.pages) {
        let at = 0;
        while (at < ticks.length && ticks.ts[at]! < fromMs) at += 1;
        while (at < ticks.length) {
          const dueMs = Math.min(ticks.ts[at]!, gaps[0]?.from ?? Infinity);
          await reader.wait(dueMs, 'trade', signal);
          const nowMs = clock.now();
          const items: TradeItem[] = takeGaps(gaps);
          for (; at < ticks.length && ticks.ts[at]! <= nowMs; at += 1) {
            if (repeated > 0 && ticks.ts[at] === since.ts) repeated -= 1;
            else items.push({ type: 'data', ts: ticks.ts[at]!, payload: tradeAt(ticks, at) });
          }
          if (items.length > 0) yield items;
        }
      }
      while (gaps[0]) {
        await reader.wait(gaps[0].from, 'trade', signal);
        yield takeGaps(gaps);
      }
      // At the end of the record, until there is more.
      const nextMs = Math.max(window.toMs, fromMs);
      await reader.wait(nextMs === fromMs ? clock.endMs + 1 : nextMs, 'window', signal);
      fromMs = nextMs;
    }
  } finally {
    reader.leave();
    following.leave();
  }
}
