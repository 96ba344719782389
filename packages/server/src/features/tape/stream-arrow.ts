import { Readable } from 'node:stream';
import { corsHeaders } from '../../http/answer.ts';
import { Streamed } from '../../http/streamed.ts';
import { ARROW_TYPE, arrowEnd, arrowStart } from '../../platform/arrow/arrow-stream.ts';
import { streamBytes } from '../../platform/stream-bytes.ts';
import type { Context } from '../context.ts';
import type { ChosenTape } from '../market-tape/chosen-tape.ts';
import { type ArrowTradeColumns, arrowTradeFields, arrowTradesTask } from './arrow-trades.ts';

/** Chunks that become batches at a time: what is in memory for one client, but for what waits in its socket. */
const PAGE_CHUNKS = 8;

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
  const [withIds, withReceipts] = [columns !== 'flow', columns === 'received'];
  const unit = secondary?.market;
  let rows = 0;
  for (let start: number | undefined = fromTs; start !== undefined && rows < rowsMax; ) {
    const query = { coin, fromTs: start, toTs, chunksMax: PAGE_CHUNKS, withIds, withReceipts };
    const page = await tape.page(query);
    const made = await context.work(arrowTradesTask, {
      columns,
      chunks: page.chunks.map(({ data, ids, receipts }) => ({ data, ids, receipts })),
      fromTs: start,
      toTs,
      rowsMax: rowsMax - rows,
      ...(unit && { unit: { contractSize: unit.contractSize, scale: unit.scale } }),
    });
    for (const batch of made.batches) yield* streamBytes(batch);
    rows += made.rows;
    if (made.isFull) break;
    start = page.nextStart;
  }
  yield arrowEnd;
}
