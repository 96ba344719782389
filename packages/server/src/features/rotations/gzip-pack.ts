import { constants, crc32, deflateRawSync } from 'node:zlib';

/** The size of one stored deflate block, and the unit of the entropy check. */
const BLOCK_BYTES = 65_535;
/** Bytes with more entropy than this share are stored uncompressed. */
const DENSE_BITS = 0.75 * 8;
/** One in this many bytes is sampled: a prime, so that numbers of any width are met at all their bytes. */
const LOOK_STEP = 11;

const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);
const LAST_BLOCK = Uint8Array.of(1, 0, 0, 0xff, 0xff);

/**
 * One gzip member of a result pack. Volumes and notionals hardly shrink, and to code them takes half of the time it
 * takes to pack a build: such stretches become stored blocks, which every reader of gzip knows.
 */
export function gzipPack(pack: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [HEADER];
  let sparseFrom = 0;
  for (let from = 0; from < pack.length; from += BLOCK_BYTES) {
    const block = pack.subarray(from, from + BLOCK_BYTES);
    if (!isDense(block)) continue;
    if (from > sparseFrom) parts.push(deflate(pack.subarray(sparseFrom, from)));
    parts.push(storedHead(block.length), block);
    sparseFrom = from + block.length;
  }
  if (sparseFrom < pack.length) parts.push(deflate(pack.subarray(sparseFrom)));
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(pack), 0);
  trailer.writeUInt32LE(pack.length, 4);
  return Buffer.concat([...parts, LAST_BLOCK, trailer]);
}

/** Blocks that end on a whole byte, so that others can follow. */
function deflate(bytes: Uint8Array): Uint8Array {
  return deflateRawSync(bytes, {
    // There are no repeats worth a search, only runs, and long blocks save time on codes.
    strategy: constants.Z_RLE,
    memLevel: 9,
    finishFlush: constants.Z_SYNC_FLUSH,
    chunkSize: BLOCK_BYTES,
  });
}

function storedHead(length: number): Uint8Array {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(length, 1);
  head.writeUInt16LE(~length & 0xffff, 3);
  return head;
}

const counts = new Float64Array(256);

/** By the entropy of single bytes, which bounds a Huffman code. */
function isDense(block: Uint8Array): boolean {
  counts.fill(0);
  for (let i = 0; i < block.length; i += LOOK_STEP) counts[block[i]!]! += 1;
  const looks = Math.ceil(block.length / LOOK_STEP);
  let bits = 0;
  for (const count of counts) if (count > 0) bits += (count / looks) * Math.log2(looks / count);
  return bits > DENSE_BITS;
}
