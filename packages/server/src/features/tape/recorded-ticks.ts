import { createIdColumns, createTickColumns, decodeIds, decodeTicks } from '@crosstape/core';
import { gunzipChunk } from './chunk-gzip.ts';
import type { PageChunk, TapeReader } from './tape-reader.ts';
import type { Ticks } from './tick-table.ts';

const PAGE_CHUNKS = 20;

/** The recorded trades of a range chunk by chunk, with those beside it in the same chunks; each is overwritten by the next. */
export async function* recordedTicks(
  tape: TapeReader,
  coin: string,
  fromTs: number,
  toTs: number,
): AsyncGenerator<Ticks> {
  let columns = createTickColumns(0);
  let ids = createIdColumns(0);
  for (let start: number | undefined = fromTs; start !== undefined; ) {
    const page = await tape.page({ coin, fromTs: start, toTs, chunksMax: PAGE_CHUNKS, withIds: true });
    for (const chunk of page.chunks) {
      columns = decodeTicks(gunzipChunk(chunk.data), columns);
      ids = decodeIds(gunzipChunk(idsOf(chunk)), ids);
      yield { columns, ids };
    }
    start = page.nextStart;
  }
}

function idsOf({ coin, startTs, ids }: PageChunk): Uint8Array {
  if (ids) return ids;
  throw new Error(`the ids of ${coin} at ${startTs} are missing; run crosstape ticks verify`);
}
