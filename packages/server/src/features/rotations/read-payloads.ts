import { gunzipChunks } from '../tape/chunk-gzip.ts';
import type { TickTable } from '../tape/tick-table.ts';

/** Chunks read and unpacked at a time. */
const BATCH_CHUNKS = 32;

export interface PayloadRange {
  readonly coin: string;
  /** `fromTs <= ts < toTs`. */
  readonly fromTs: number;
  readonly toTs: number;
}

/** The payloads of all chunks that meet a range, those of a few chunks at a time, one behind the other. */
export async function* readPayloads(
  table: TickTable,
  { coin, fromTs, toTs }: PayloadRange,
  batchChunks = BATCH_CHUNKS,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let nextTs: number | undefined = fromTs; nextTs !== undefined; ) {
    const chunks = await table.chunks(coin, nextTs, toTs, batchChunks);
    if (chunks.length > 0) yield gunzipChunks(chunks.map(({ data }) => data));
    const last = chunks[batchChunks - 1];
    nextTs = last && last.endTs + 1;
  }
}
