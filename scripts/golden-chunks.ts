/**
 * Writes the golden files of the chunk format: trades as lines of JSON, and the two gzip members that hold them. They
 * are kept forever, so a file that exists is never written again: a new version of the format gets new files.
 *
 *     npx tsx --conditions=crosstape-source scripts/golden-chunks.ts
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, gzipSync } from 'node:zlib';
import {
  CHUNK_VERSION,
  chunkDeflate,
  createIdColumns,
  createTickColumns,
  encodeIds,
  encodeTicks,
} from '@crosstape/core';
import { createMarket, TradeColumns } from '@crosstape/simulator';

type Row = readonly [
  ts: number,
  price: number,
  size: number,
  isBuy: number,
  sameOrder: number,
  tid: number,
  lateMs: number,
];

interface Golden {
  readonly name: string;
  readonly priceDecimals: number;
  readonly sizeDecimals: number;
  readonly rows: readonly Row[];
}

const folder = fileURLToPath(new URL('../packages/core/src/ticks/golden', import.meta.url));
const MAX = Number.MAX_SAFE_INTEGER;

const goldens: readonly Golden[] = [
  { name: 'empty', priceDecimals: 2, sizeDecimals: 3, rows: [] },
  {
    name: 'example',
    priceDecimals: 1,
    sizeDecimals: 5,
    rows: [
      [1_760_000_000_000, 965_000, 5_000, 1, 0, 411_208_873_016_551, 0],
      [1_760_000_000_000, 965_000, 1_876, 1, 1, 902_117_340_771_208, 0],
      [1_760_000_000_000, 965_010, 1_876, 1, 1, 130_551_209_964_377, 0],
      [1_760_000_000_085, 964_990, 42, 0, 0, 775_630_118_402_913, 0],
      [1_760_000_000_085, 965_010, 31_000, 1, 0, 226_904_481_556_030, 12],
      [1_760_000_009_000, 964_700, 250_000, 0, 0, 588_212_077_319_846, 0],
    ],
  },
  {
    name: 'extremes',
    priceDecimals: 15,
    sizeDecimals: 0,
    rows: [
      [0, MAX, MAX, 0, 1, MAX, MAX],
      [1, 0, 0, 1, 0, 0, 0],
      [64, 1, 63, 1, 0, 1, 0],
      [64, 25, 64, 1, 1, 2, 1],
      [64, 50, 25_663, 0, 0, 3, 0],
      [25_727, 26, 25_664, 0, 0, 4, 0],
      [51_391, 1, 1_074_239, 1, 0, 5, 0],
      [1_125_631, 90_000, 1_074_240, 1, 0, 6, 0],
      [2_200_000, 89_999, 135_291_967, 0, 0, 7, 0],
      [137_500_000, 89_999, 135_291_968, 0, 0, 8, 0],
      [9_000_000_000, 9, 8_725_226_559, 0, 0, 9, 0],
      [18_000_000_000, 8, 8_725_226_560, 1, 0, 10, 0],
      [18_000_000_000, 8, 900_000_000, 1, 0, 11, 0],
      [18_000_000_000, 8, 9_000_000_000, 1, 0, 12, 0],
      [18_000_000_100, 8, 9_000_000_000, 1, 0, 13, 0],
      [18_000_000_200, 8, 9_000_000_000, 1, 0, 14, 0],
      [MAX, 8, 100, 1, 0, MAX, 0],
    ],
  },
  // Trades that a venue dates into the future.
  {
    name: 'ahead',
    priceDecimals: 1,
    sizeDecimals: 5,
    rows: [
      [1_760_000_000_000, 965_000, 5_000, 1, 0, 411_208_873_016_551, -6_000],
      [1_760_000_000_000, 965_000, 1_876, 1, 1, 902_117_340_771_208, -6_000],
      [1_760_000_000_085, 964_990, 42, 0, 0, 130_551_209_964_377, 12],
      [1_760_000_009_000, 964_700, 250_000, 0, 0, 775_630_118_402_913, 0],
    ],
  },
  { name: 'ahead-counted', priceDecimals: 1, sizeDecimals: 5, rows: countedRows(-1) },
  { name: 'counted', priceDecimals: 1, sizeDecimals: 5, rows: countedRows(0) },
  { name: 'market', priceDecimals: 1, sizeDecimals: 5, rows: marketRows(500) },
];

/** Trades whose ids grow by little, so that each is encoded as a difference. */
function countedRows(leastLateMs: number): Row[] {
  return Array.from({ length: 300 }, (_, i): Row => {
    const [ts, tid] = [1_760_000_000_000 + i * 40, 7_000_000_000 + i * 3];
    return [ts, 965_000 + (i % 7), 100 + i, i % 2, 0, tid, (i % 3) + leastLateMs];
  });
}

/** The first trades of a simulated hour of BTC. */
function marketRows(count: number): Row[] {
  const from = Date.UTC(2026, 0, 5, 14);
  const columns = new TradeColumns(1 << 16);
  createMarket({ seed: 2026 }).fill('BTC', from, from + 3_600_000, columns);
  return Array.from({ length: count }, (_, i): Row => {
    const cell = (column: Record<number, number>, at = i): number => column[at] ?? Number.NaN;
    const isSameOrder = i > 0 && cell(columns.order) === cell(columns.order, i - 1);
    return [
      cell(columns.ts),
      cell(columns.price),
      cell(columns.lots),
      cell(columns.isBuy),
      isSameOrder ? 1 : 0,
      cell(columns.tid),
      0,
    ];
  });
}

function write(golden: Golden): void {
  const { name, priceDecimals, sizeDecimals, rows } = golden;
  const ticks = { ...createTickColumns(rows.length), length: rows.length, priceDecimals, sizeDecimals };
  const ids = { ...createIdColumns(rows.length), length: rows.length };
  for (const [i, row] of rows.entries()) {
    [
      ticks.ts[i],
      ticks.price[i],
      ticks.size[i],
      ticks.isBuy[i],
      ticks.sameOrder[i],
      ids.tid[i],
      ids.lateMs[i],
    ] = row;
  }
  const deflate = {
    level: chunkDeflate.level,
    memLevel: chunkDeflate.memLevel,
    strategy: constants.Z_HUFFMAN_ONLY,
  };
  const lines = [{ priceDecimals, sizeDecimals }, ...rows].map((line) => `${JSON.stringify(line)}\n`);
  const path = join(folder, `v${CHUNK_VERSION}-${name}`);
  keep(`${path}.jsonl`, lines.join(''));
  keep(`${path}.ticks.gz`, gzipSync(encodeTicks(ticks), deflate));
  keep(`${path}.ids.gz`, gzipSync(encodeIds(ids), deflate));
}

function keep(path: string, content: string | Uint8Array): void {
  if (existsSync(path)) return console.log(`kept     ${path}`);
  writeFileSync(path, content);
  console.log(`written  ${path}`);
}

mkdirSync(folder, { recursive: true });
for (const golden of goldens) write(golden);
