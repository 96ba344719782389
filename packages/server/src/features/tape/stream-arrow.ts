import { Readable } from 'node:stream';
import { corsHeaders } from '../../http/answer.ts';
import { Streamed } from '../../http/streamed.ts';
import { ARROW_TYPE, arrowEnd, arrowStart } from '../../platform/arrow/arrow-stream.ts';
import { partsOf } from '../../platform/stream-bytes.ts';
import type { Context } from '../context.ts';
import type { ChosenTape } from '../market-tape/chosen-tape.ts';
import { type ArrowTradeColumns, arrowTradeFields, arrowTradesTask } from './arrow-trades.ts';
import type { ChunkName } from './tick-table.ts';

/** Chunks converted at a time: the memory of one client, apart from its socket. */
const PAGE_CHUNKS = 8;
/** Chunks that are looked up at a time among the batches that are kept. */
const NAMES_MAX = 64;

export interface ArrowOrder {
  readonly columns: ArrowTradeColumns;
  readonly market: string;
  readonly fromTs: number;
  readonly toTs: number;
  readonly rowsMax: number;
  /** Key-value metadata of the schema. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** All trades of a range as an Arrow stream, page by page as the client reads. */
export function streamArrow(context: Context, chosen: ChosenTape, order: ArrowOrder): Streamed {
  return new Streamed({
    status: 200,
    headers: ['Content-Type', ARROW_TYPE, 'Cache-Control', 'no-store', ...corsHeaders],
    open: () => Readable.from(bytesOf(context, chosen, order), { objectMode: false }),
  });
}

async function* bytesOf(
  context: Context,
  { coin, tape, secondary }: ChosenTape,
  { columns, market, fromTs, toTs, rowsMax, metadata }: ArrowOrder,
): AsyncGenerator<Uint8Array> {
  yield arrowStart(arrowTradeFields(columns, market), metadata);
  const { arrowBatches } = context.resources;
  const [withIds, withReceipts] = [columns !== 'flow', columns === 'received'];
  const { contractSize, scale } = secondary?.market ?? {};
  const unit = contractSize === undefined || scale === undefined ? undefined : { contractSize, scale };
  const source = [columns, secondary?.market.id ?? coin, contractSize, scale].join();
  const keyOf = ({ startTs, endTs, trades }: ChunkName): string => [source, startTs, endTs, trades].join();
  let rows = 0;
  for (let start: number | undefined = fromTs; start !== undefined && rows < rowsMax; ) {
    const sealed: readonly ChunkName[] = await tape.sealed(coin, start, toTs, NAMES_MAX);
    let sent = 0;
    for (const name of sealed) {
      const isWhole = name.startTs >= start && name.endTs < toTs && rows + name.trades <= rowsMax;
      const batch = isWhole ? arrowBatches.get(keyOf(name)) : undefined;
      if (!batch) break;
      yield* partsOf(batch);
      rows += name.trades;
      start = name.endTs + 1;
      sent += 1;
    }
    if (sent === NAMES_MAX || rows >= rowsMax) continue;
    const rest = sealed.slice(sent).map(keyOf);
    const nextKept = rest.findIndex((key, i) => i > 0 && arrowBatches.has(key));
    const chunksMax = nextKept < 0 ? PAGE_CHUNKS : Math.min(nextKept, PAGE_CHUNKS);
    const page = await tape.page({ coin, fromTs: start, toTs, chunksMax, withIds, withReceipts });
    if (page.chunks.length === 0) break;
    const { batches, isFull } = await context.work(arrowTradesTask, {
      columns,
      chunks: page.chunks.map(({ data, ids, receipts }) => ({ data, ids, receipts })),
      fromTs: start,
      toTs,
      rowsMax,
      rowsBefore: rows,
      ...(unit && { unit }),
    });
    for (const [i, batch] of batches.entries()) {
      const chunk = page.chunks[i];
      // A chunk that still grows is not among the sealed ones.
      if (chunk?.trades === batch.rows && rest.includes(keyOf(chunk)))
        arrowBatches.set(keyOf(chunk), batch.bytes);
      yield* partsOf(batch.bytes);
      rows += batch.rows;
    }
    if (isFull) break;
    if (page.nextStart !== undefined && page.nextStart <= start) throw new Error('chunks overlap');
    start = page.nextStart;
  }
  yield arrowEnd;
}
