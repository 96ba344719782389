import type { Clock, Trade } from '@crosstape/core';
import { readTapeTail, type TailChunk, type TapeSources, type TapeTail, ticksOf } from './tape-tail.ts';
import type { Since } from '../../gateway/client-frames.ts';

/** How far back a subscription may begin. */
export const PAST_MS_MAX = 3_600_000;

/**
 * The tape position of a subscriber that joins now: call it in the same turn of the event loop. `undefined` while the
 * tape cannot be read.
 */
export async function tapeCursor(
  sources: TapeSources & { readonly clock: Clock },
  coin: string,
): Promise<() => Since | undefined> {
  const { clock } = sources;
  if (loggedCursor(sources, coin)) return () => loggedCursor(sources, coin);
  const tail = await readTapeTail(sources, coin, clock.now() - PAST_MS_MAX).catch(() => undefined);
  // Without a trade for an hour any time within it will do, and one that is not the newest can be used for longer.
  return () => tail && (newestCursor(sources, coin, tail) ?? { ts: clock.now() - PAST_MS_MAX / 2, count: 0 });
}

/** By the bus alone, where it surely has the whole last millisecond. */
function loggedCursor({ bus, tape }: TapeSources, coin: string): Since | undefined {
  const log = bus.log(tape.topicOf(coin));
  const ts = log.at(log.end - 1)?.ts;
  if (ts === undefined) return undefined;
  let count = 1;
  while (log.at(log.end - 1 - count)?.ts === ts) count += 1;
  return log.at(log.end - 1 - count) && { ts, count };
}

/** Trades released after a tail was read. */
export function releasedSince(
  { bus, tape }: TapeSources,
  coin: string,
  { position }: TapeTail,
): readonly Trade[] {
  const log = bus.log(tape.topicOf(coin));
  return log.read(position, log.end - position);
}

/** The cursor of a reader that has a whole tail, and everything released after it. */
export function newestCursor(sources: TapeSources, coin: string, tail: TapeTail): Since | undefined {
  const released = releasedSince(sources, coin, tail);
  const ts = released.at(-1)?.ts ?? tail.chunks.at(-1)?.chunk.endTs;
  return ts === undefined ? undefined : { ts, count: countAt(tail.chunks, released, ts) };
}

/** Number of trades of a millisecond, which chunks never split. */
export function countAt(chunks: readonly TailChunk[], released: readonly Trade[], ts: number): number {
  let count = released.filter((trade) => trade.ts === ts).length;
  for (const { chunk } of chunks) {
    if (chunk.startTs > ts || chunk.endTs < ts) continue;
    const { columns } = ticksOf(chunk);
    count += columns.ts.subarray(0, columns.length).filter((one) => one === ts).length;
  }
  return count;
}
