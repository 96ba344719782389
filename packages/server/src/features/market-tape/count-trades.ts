import { decodeTicks } from '@crosstape/core';
import { nextTurn } from '../../platform/next-turn.ts';
import { gunzipChunk } from '../tape/chunk-gzip.ts';
import { firstAfter } from '../tape/coverage.ts';
import type { Span } from '../tape/gap-ledger.ts';
import type { RecordedTape } from './market-reader.ts';

/** Chunks read at most: more than a market fills in a retention of months. */
const CHUNKS_MAX = 100_000;

/** Number of recorded trades in each of several ordered spans. Chunks at their edges are decoded. */
export async function countTrades(
  { ticks, tape }: Pick<RecordedTape, 'ticks' | 'tape'>,
  symbol: string,
  spans: readonly Span[],
): Promise<readonly number[]> {
  const counts = spans.map(() => 0);
  const [first, last] = [spans[0], spans.at(-1)];
  if (!first || !last) return counts;
  const add = (ts: number, trades: number): void => {
    const at = firstAfter(spans, ts);
    if ((spans[at]?.from ?? Infinity) <= ts) counts[at] = (counts[at] ?? 0) + trades;
  };
  let sealedTs = -1;
  for (const { startTs, endTs, trades } of await ticks.names(symbol, first.from, last.to, CHUNKS_MAX)) {
    sealedTs = endTs;
    const span = spans[firstAfter(spans, startTs)];
    if (span && span.from <= startTs && endTs < span.to) {
      add(startTs, trades);
      continue;
    }
    // Opening one takes about a millisecond, and a range with many gaps opens hundreds.
    await nextTurn();
    const [chunk] = await ticks.chunks(symbol, startTs, startTs + 1, 1);
    if (!chunk) continue;
    const { ts, length } = decodeTicks(gunzipChunk(chunk.data));
    for (let i = 0; i < length; i += 1) add(ts[i] as number, 1);
  }
  const { columns } = await tape.unsealed(symbol);
  for (let i = 0; i < columns.length; i += 1) {
    const ts = columns.ts[i] as number;
    if (ts > sealedTs) add(ts, 1);
  }
  return counts;
}
