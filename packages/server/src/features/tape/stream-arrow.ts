import { Readable } from 'node:stream';
import { unitsOf } from '@crosstape/core';
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
  let heldBytes = 0;
  const onHeld = (bytes: number): void => {
    heldBytes = bytes;
  };
  return new Streamed({
    status: 200,
    headers: ['Content-Type', ARROW_TYPE, 'Cache-Control', 'no-store', ...corsHeaders],
    open: () => Readable.from(bytesOf(context, chosen, order, onHeld), { objectMode: false }),
    heldBytes: () => heldBytes,
  });
}

async function* bytesOf(
  context: Context,
  { coin, tape, secondary }: ChosenTape,
  { columns, market, fromTs, toTs, rowsMax, metadata }: ArrowOrder,
  onHeld: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  yield arrowStart(arrowTradeFields(columns, market), metadata);
  const { arrowBatches } = context.resources;
  const [withIds, withReceipts] = [columns !== 'flow', columns === 'received'];
  const unit = secondary && unitsOf(secondary.market);
  const source = [columns, secondary?.market.id ?? coin, unit?.contractSize, unit?.scale].join();
  const keyOf = ({ startTs, endTs, trades }: ChunkName): string => [source, startTs, endTs, trades].join();
  const made = async (start: number, chunksMax: number, rowsBefore: number) => {
    const page = await tape.page({ coin, fromTs: start, toTs, chunksMax, withIds, withReceipts });
    const { chunks, nextStart } = page;
    if (chunks.length === 0) return { names: [], batches: [], isFull: false, nextStart };
    const order = {
      columns,
      chunks: chunks.map(({ data, ids, receipts }) => ({ data, ids, receipts })),
      fromTs: start,
      toTs,
      rowsMax,
      rowsBefore,
      ...(unit && { unit }),
    };
    const names = chunks.map(({ startTs, endTs, trades }): ChunkName => ({ coin, startTs, endTs, trades }));
    return { names, nextStart, ...(await context.work(arrowTradesTask, order)) };
  };
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
    const { names, batches, isFull, nextStart } = await made(start, chunksMax, rows);
    if (names.length === 0) break;
    // Batches that were sent are released: a slow client takes minutes to read a page.
    for (let i = 0, batch = batches.shift(); batch; i += 1, batch = batches.shift()) {
      onHeld(batches.reduce((sum, { bytes }) => sum + bytes.length, batch.bytes.length));
      const name = names[i];
      // A chunk that still grows is not among the sealed ones.
      if (name?.trades === batch.rows && rest.includes(keyOf(name)))
        arrowBatches.set(keyOf(name), batch.bytes);
      yield* partsOf(batch.bytes);
      rows += batch.rows;
    }
    onHeld(0);
    if (isFull) break;
    if (nextStart !== undefined && nextStart <= start) throw new Error('chunks overlap');
    start = nextStart;
  }
  yield arrowEnd;
}
