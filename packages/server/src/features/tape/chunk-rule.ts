import { HOUR_MS } from '@crosstape/core';

/** A chunk seals here, or at the full hour. */
const CHUNK_TRADES = 8_192;

/** Whether a chunk of this many trades, the last at `lastTs`, ends before one at `ts`. A millisecond is never split. */
export function isChunkFull(trades: number, lastTs: number | undefined, ts: number): boolean {
  if (lastTs === undefined || ts === lastTs) return false;
  return trades >= CHUNK_TRADES || Math.floor(ts / HOUR_MS) !== Math.floor(lastTs / HOUR_MS);
}
