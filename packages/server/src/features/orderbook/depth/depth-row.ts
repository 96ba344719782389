import { ByteReader, ByteWriter } from '@crosstape/core';
import type { DepthLevel, DepthSide, DepthSnapshot } from './recorded-depth.ts';

/** Added to exponents, which are small numbers of either sign. */
const EXPONENT_BIAS = 64;
/** More levels than any joined book has. */
const LEVELS_MAX = 256;
/** Widths are powers of ten, up to this one. */
const WIDTH_BITS = 3;
const WIDTHS = 1 << WIDTH_BITS;

/**
 * A snapshot in about 270 bytes: two exponents, the best bid, and each side with its number of levels. A level takes one
 * or two bytes for its price, in levels of its width after the previous one, and two for its size.
 */
export function encodeDepth({ stepExponent, unitExponent, bids, asks }: DepthSnapshot): Uint8Array {
  const writer = new ByteWriter();
  writer.byte(stepExponent + EXPONENT_BIAS);
  writer.byte(unitExponent + EXPONENT_BIAS);
  const base = bids.levels[0]?.price ?? 0;
  writer.varint(base);
  writeSide(writer, bids, base, -1);
  writeSide(writer, asks, base, 1);
  return writer.finish().slice();
}

export function decodeDepth(t: number, bytes: Uint8Array): DepthSnapshot {
  const reader = new ByteReader(bytes, (reason) => new Error(`a recorded order book: ${reason}`));
  const stepExponent = reader.byte() - EXPONENT_BIAS;
  const unitExponent = reader.byte() - EXPONENT_BIAS;
  const base = reader.varint();
  const bids = readSide(reader, base, -1);
  const asks = readSide(reader, base, 1);
  reader.end();
  return { t, stepExponent, unitExponent, bids, asks };
}

function writeSide(writer: ByteWriter, { levels, isCut }: DepthSide, base: number, sign: 1 | -1): void {
  writer.varint(levels.length * 2 + (isCut ? 1 : 0));
  let previous = base;
  for (const { price, width, size } of levels) {
    const places = Math.abs(price - nearest(previous, width, sign)) / width;
    writer.varint(places * WIDTHS + Math.round(Math.log10(width)));
    writer.varint(size);
    previous = price;
  }
}

function readSide(reader: ByteReader, base: number, sign: 1 | -1): DepthSide {
  const head = reader.varint();
  const count = Math.floor(head / 2);
  if (count > LEVELS_MAX) throw new Error(`a recorded order book has ${count} levels`);
  const levels: DepthLevel[] = [];
  let previous = base;
  for (let i = 0; i < count; i += 1) {
    const code = reader.varint();
    const width = 10 ** (code % WIDTHS);
    const price = nearest(previous, width, sign) + sign * Math.floor(code / WIDTHS) * width;
    levels.push({ price, width, size: reader.varint() });
    previous = price;
  }
  return { levels, isCut: head % 2 === 1 };
}

/** The multiple of a width that is at a price, or closer to the mid. */
function nearest(price: number, width: number, sign: 1 | -1): number {
  return (sign === 1 ? Math.floor(price / width) : Math.ceil(price / width)) * width;
}
