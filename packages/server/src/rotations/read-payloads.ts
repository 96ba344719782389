import { gunzipChunks } from '../store/chunk-gzip.ts';
import type { TickShelf } from '../store/tick-shelf.ts';

/** Chunks read at a time. */
const BATCH_CHUNKS = 16;

export interface PayloadRange {
  readonly coin: string;
  /** `fromTs <= ts < toTs`. */
  readonly fromTs: number;
  readonly toTs: number;
}

/** The payloads of a few chunks, one behind the other, on their way. */
interface Batch {
  readonly unpacked: Promise<Uint8Array>;
  /** Where the next one begins; `undefined` for the last. */
  readonly nextTs: number | undefined;
}

/**
 * The payloads of all chunks that meet a range, a few chunks at a time. While the caller works on some, the next ones
 * are unpacked on another thread.
 */
export async function* readPayloads(
  shelf: TickShelf,
  { coin, fromTs, toTs }: PayloadRange,
): AsyncGenerator<Uint8Array, void, undefined> {
  const read = async (batchTs: number): Promise<Batch> => {
    const chunks = await shelf.chunks(coin, batchTs, toTs, BATCH_CHUNKS);
    const unpacked = gunzipChunks(chunks.map(({ data }) => data));
    // Whoever takes it is told; who has given up before does not care.
    unpacked.catch(() => undefined);
    const last = chunks.length === BATCH_CHUNKS ? chunks.at(-1) : undefined;
    return { unpacked, nextTs: last && last.endTs + 1 };
  };
  for (let batch: Batch | undefined = await read(fromTs); batch; ) {
    const next: Batch | undefined = batch.nextTs === undefined ? undefined : await read(batch.nextTs);
    yield await batch.unpacked;
    batch = next;
  }
}
