import {
  chunkDeflate,
  CHUNK_TRADES_MAX,
  createTickColumns,
  encodeIds,
  encodeTicks,
  type TickColumns,
} from '@crosstape/core';
import { createMarket, TradeColumns } from '@crosstape/simulator';
import { constants, gzipSync } from 'node:zlib';

const SEED = 7;
const HOUR_MS = 3_600_000;
const SEAL_TRADES = 8192;
const START_MS = Date.UTC(2026, 0, 5);

export interface Chunk {
  readonly coin: string;
  readonly trades: number;
  readonly payload: Uint8Array;
  readonly member: Uint8Array;
  readonly idsBytes: number;
}

export function gzipChunk(payload: Uint8Array): Uint8Array {
  const { level, memLevel } = chunkDeflate;
  return gzipSync(payload, { level, memLevel, strategy: constants.Z_HUFFMAN_ONLY });
}

/**
 * The simulator's market at default settings, recorded: every coin, over as many hours as it takes, in chunks that end
 * as the tape's do (at 8,192 trades, not within a millisecond, or at the full hour). `see` gets each chunk's trades.
 */
export function recordChunks(trades: number, see: (coin: string, columns: TickColumns) => void): Chunk[] {
  const market = createMarket({ seed: SEED });
  const coins = market.coins.filter((coin) => !coin.isDelisted && coin.dex === '');
  const tradesPerWeek = coins.reduce((sum, coin) => sum + coin.tradesPerWeek, 0);
  const hours = Math.max(1, Math.ceil((trades / tradesPerWeek) * 7 * 24));
  const source = new TradeColumns(1 << 17);
  const columns = createTickColumns(CHUNK_TRADES_MAX);
  const ids = {
    length: 0,
    tid: new Float64Array(CHUNK_TRADES_MAX),
    lateMs: new Float64Array(CHUNK_TRADES_MAX),
  };
  const chunks: Chunk[] = [];

  const seal = (coin: string): void => {
    if (columns.length === 0) return;
    see(coin, columns);
    const payload = encodeTicks(columns);
    ids.length = columns.length;
    const idsBytes = gzipChunk(encodeIds(ids)).length;
    chunks.push({ coin, trades: columns.length, payload, member: gzipChunk(payload), idsBytes });
    columns.length = 0;
  };

  for (const coin of coins) {
    columns.priceDecimals = 6 - coin.sizeDecimals;
    columns.sizeDecimals = coin.sizeDecimals;
    for (let hour = 0; hour < hours; hour += 1) {
      const end = START_MS + (hour + 1) * HOUR_MS;
      for (let at = end - HOUR_MS; at < end; ) {
        at = market.fill(coin.name, at, end, source);
        for (let i = 0; i < source.length; i += 1) {
          const ts = source.ts[i] ?? 0;
          if (columns.length >= SEAL_TRADES && ts !== columns.ts[columns.length - 1]) seal(coin.name);
          const to = columns.length;
          columns.ts[to] = ts;
          columns.price[to] = source.price[i] ?? 0;
          columns.size[to] = source.lots[i] ?? 0;
          columns.isBuy[to] = source.isBuy[i] ?? 0;
          columns.sameOrder[to] = to > 0 && i > 0 && source.order[i] === source.order[i - 1] ? 1 : 0;
          ids.tid[to] = source.tid[i] ?? 0;
          columns.length = to + 1;
        }
      }
      seal(coin.name);
    }
  }
  return chunks;
}
