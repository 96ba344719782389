export { BadChunk } from './bad-chunk.ts';
export { chunkDeflate } from './chunk-deflate.ts';
export { decodeTicks, type LentTicks, lendTicks } from './decode-ticks.ts';
export { encodeTicks } from './encode-ticks.ts';
export { CHUNK_TRADES_MAX, CHUNK_VERSION, splitPayloads } from './payload.ts';
export { signedBytes } from './scratch-columns.ts';
export { createTickColumns, firstTickAt, type TickColumns } from './tick-columns.ts';
export { createIdColumns, decodeIds, encodeIds, type IdColumns } from './tick-ids.ts';
export {
  createReceiptColumns,
  decodeReceipts,
  encodeReceipts,
  type ReceiptColumns,
} from './tick-receipts.ts';
