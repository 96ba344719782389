import { ByteReader } from '../bars/byte-reader.ts';
import { ByteWriter } from '../bars/byte-writer.ts';
import { BadBlock } from './candle-block.ts';

/** Consecutive encoded blocks of one market, by start. */
export type JoinedBlocks = ReadonlyMap<number, Uint8Array>;

const VERSION = 1;
/** Maximum number of joined blocks. */
const BLOCKS_MAX = 1_000;

/**
 * Joins the blocks of a span, which begins at `startTs`, into one value: a table of positions and lengths, then their
 * bytes.
 */
export function joinBlocks(startTs: number, blockMs: number, blocks: JoinedBlocks): Uint8Array {
  const sorted = [...blocks].toSorted(([a], [b]) => a - b);
  const writer = new ByteWriter(sorted.reduce((sum, [, { length }]) => sum + length, 8 + 4 * sorted.length));
  writer.byte(VERSION);
  writer.varint(sorted.length);
  let next = startTs;
  for (const [blockTs, { length }] of sorted) {
    writer.varint((blockTs - next) / blockMs);
    writer.varint(length);
    next = blockTs + blockMs;
  }
  for (const [, bytes] of sorted) writer.bytes(bytes);
  return writer.finish();
}

/** Joined blocks one by one, oldest first; their bytes are not copied. Throws `BadBlock` for anything else. */
export function splitBlocks(startTs: number, blockMs: number, bytes: Uint8Array): JoinedBlocks {
  const reader = new ByteReader(bytes, (reason) => new BadBlock(`not joined blocks of candles: ${reason}`));
  const version = reader.byte();
  if (version !== VERSION) throw new BadBlock(`joined blocks of candles of version ${version} are not known`);
  const count = reader.varint();
  if (count > BLOCKS_MAX) throw new BadBlock(`${count} joined blocks are too many`);
  let next = startTs;
  const places = Array.from({ length: count }, () => {
    const blockTs = next + reader.varint() * blockMs;
    next = blockTs + blockMs;
    return { blockTs, length: reader.varint() };
  });
  const blocks = new Map(places.map(({ blockTs, length }) => [blockTs, reader.bytes(length)]));
  reader.end();
  return blocks;
}
