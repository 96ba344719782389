import { ByteReader } from '../bars/byte-reader.ts';
import { ByteWriter } from '../bars/byte-writer.ts';
import type { Candle } from './candle.ts';
import { withCommonDecimals } from './candle-fold.ts';
import { type Whole, wholeOf } from './whole.ts';

/** Bytes that are not a block of candles. */
export class BadBlock extends Error {}

/** Candles of one market and interval within a fixed span, which begins at `startTs`. */
export interface CandleBlock {
  /** Time up to which the candles include every recorded trade of the span. */
  readonly toTs: number;
  readonly candles: readonly Candle[];
}

const VERSION = 1;
/** Most candles of a block. */
const CANDLES_MAX = 10_000;

/** Flags of a block: sums are written as whole numbers of any size. */
const LARGE = 1;

/** Flags of a candle. The first: intervals without a candle precede it. */
const SKIPS = 1;
const LIQUIDATED = 2;
const VENUE = 4;
const NO_SIDES = 8;
const NO_NOTIONAL = 16;
const NO_TRADES = 32;
const NO_BUY_TRADES = 64;

/**
 * Prices as steps from the previous close, volumes and counts as they are, the notional as its distance from
 * volume × close. About 22 bytes for a busy minute.
 */
export function encodeBlock(startTs: number, intervalMs: number, { toTs, candles }: CandleBlock): Uint8Array {
  const rows = withCommonDecimals(candles);
  const isLarge = rows.some(
    ({ volume, notional = 0, close }) =>
      typeof volume !== 'number' ||
      typeof notional !== 'number' ||
      volume * close > Number.MAX_SAFE_INTEGER / 2 ||
      notional > Number.MAX_SAFE_INTEGER / 2,
  );
  const writer = new ByteWriter(32 + 24 * rows.length);
  writer.byte(VERSION);
  writer.byte(isLarge ? LARGE : 0);
  writer.byte(rows[0]?.priceDecimals ?? 0);
  writer.byte(rows[0]?.sizeDecimals ?? 0);
  writer.varint((toTs - startTs) / intervalMs);
  writer.varint(rows.length);
  const whole = isLarge
    ? (value: Whole) => writer.signedBig(BigInt(value))
    : (value: Whole) => writer.varint(Number(value));
  let next = startTs;
  let before = 0;
  for (const row of rows) {
    const { open, high, low, close, volume, buyVolume, notional, trades, buyTrades } = row;
    const skipped = (row.ts - next) / intervalMs;
    next = row.ts + intervalMs;
    const isLiquidated = row.liqLong + row.liqShort > 0;
    writer.byte(
      (skipped > 0 ? SKIPS : 0) |
        (isLiquidated ? LIQUIDATED : 0) |
        (row.origin === 'venue' ? VENUE : 0) |
        (buyVolume === undefined ? NO_SIDES : 0) |
        (notional === undefined ? NO_NOTIONAL : 0) |
        (trades === undefined ? NO_TRADES : 0) |
        (buyTrades === undefined ? NO_BUY_TRADES : 0),
    );
    if (skipped > 0) writer.varint(skipped);
    writer.varint(zigzag(open - before));
    writer.varint(zigzag(close - open));
    writer.varint(high - Math.max(open, close));
    writer.varint(Math.min(open, close) - low);
    before = close;
    whole(volume);
    if (buyVolume !== undefined) whole(buyVolume);
    if (notional !== undefined) {
      if (isLarge) writer.signedBig(BigInt(notional) - BigInt(volume) * BigInt(close));
      else writer.varint(zigzag(Number(notional) - Number(volume) * close));
    }
    if (trades !== undefined) writer.varint(trades);
    if (buyTrades !== undefined) writer.varint(buyTrades);
    if (isLiquidated) {
      writer.varint(row.liqLong);
      writer.varint(row.liqShort);
    }
  }
  return writer.finish();
}

/** The header of a block. */
export interface BlockHeader extends Pick<CandleBlock, 'toTs'> {
  /** How many candles it has. */
  readonly length: number;
  /** Start of the first; `undefined` without one. */
  readonly firstTs: number | undefined;
}

interface OpenBlock extends Omit<BlockHeader, 'firstTs'> {
  readonly reader: ByteReader;
  readonly isLarge: boolean;
  readonly priceDecimals: number;
  readonly sizeDecimals: number;
}

function openBlock(startTs: number, intervalMs: number, bytes: Uint8Array): OpenBlock {
  const reader = new ByteReader(bytes, (reason) => new BadBlock(`not a block of candles: ${reason}`));
  const version = reader.byte();
  if (version !== VERSION) throw new BadBlock(`a block of candles of version ${version} is not known`);
  const isLarge = (reader.byte() & LARGE) !== 0;
  const priceDecimals = reader.byte();
  const sizeDecimals = reader.byte();
  const toTs = startTs + reader.varint() * intervalMs;
  const length = reader.varint();
  if (length > CANDLES_MAX) throw new BadBlock(`a block of ${length} candles is too long`);
  return { reader, isLarge, priceDecimals, sizeDecimals, toTs, length };
}

/** Reads the start of a block, and none of its candles. Throws `BadBlock` for anything else. */
export function readBlockHeader(startTs: number, intervalMs: number, bytes: Uint8Array): BlockHeader {
  const { reader, toTs, length } = openBlock(startTs, intervalMs, bytes);
  if (length === 0) return { toTs, length, firstTs: undefined };
  const skipped = (reader.byte() & SKIPS) === 0 ? 0 : reader.varint();
  return { toTs, length, firstTs: startTs + skipped * intervalMs };
}

/** Reads a block. Throws `BadBlock` for anything else. */
export function decodeBlock(startTs: number, intervalMs: number, bytes: Uint8Array): CandleBlock {
  const open = openBlock(startTs, intervalMs, bytes);
  const candles: Candle[] = [];
  readCandlesOf(
    open,
    startTs,
    intervalMs,
    () => emptyCandle(open),
    (candle) => candles.push(candle),
  );
  return { toTs: open.toTs, candles };
}

/**
 * Reads the candles of a block one after the other, oldest first, without an object for each: the argument is valid
 * only during the call. Throws `BadBlock` for anything else.
 */
export function eachCandle(
  startTs: number,
  intervalMs: number,
  bytes: Uint8Array,
  use: (candle: Candle, i: number) => void,
): void {
  const open = openBlock(startTs, intervalMs, bytes);
  const candle = emptyCandle(open);
  readCandlesOf(open, startTs, intervalMs, () => candle, use);
}

/** To be filled with the figures of a candle. */
export function emptyCandle({
  priceDecimals,
  sizeDecimals,
}: Pick<Candle, 'priceDecimals' | 'sizeDecimals'>): Candle {
  return {
    ts: 0,
    priceDecimals,
    sizeDecimals,
    open: 0,
    high: 0,
    low: 0,
    close: 0,
    volume: 0,
    buyVolume: undefined,
    notional: undefined,
    trades: undefined,
    buyTrades: undefined,
    liqLong: 0,
    liqShort: 0,
    origin: 'tape',
  };
}

function readCandlesOf(
  { reader, isLarge, length }: OpenBlock,
  startTs: number,
  intervalMs: number,
  next: () => Candle,
  use: (candle: Candle, i: number) => void,
): void {
  const whole = isLarge ? () => wholeOf(reader.signedBig()) : () => reader.varint();
  const notionalOf = isLarge
    ? (volume: Whole, close: number) => wholeOf(reader.signedBig() + BigInt(volume) * BigInt(close))
    : (volume: Whole, close: number) => unzigzag(reader.varint()) + Number(volume) * close;
  let ts = startTs;
  let before = 0;
  for (let i = 0; i < length; i += 1) {
    const flags = reader.byte();
    if ((flags & SKIPS) !== 0) ts += reader.varint() * intervalMs;
    const open = before + unzigzag(reader.varint());
    const close = open + unzigzag(reader.varint());
    before = close;
    const candle = next();
    candle.ts = ts;
    candle.open = open;
    candle.close = close;
    candle.high = Math.max(open, close) + reader.varint();
    candle.low = Math.min(open, close) - reader.varint();
    const volume = whole();
    candle.volume = volume;
    candle.buyVolume = (flags & NO_SIDES) === 0 ? whole() : undefined;
    candle.notional = (flags & NO_NOTIONAL) === 0 ? notionalOf(volume, close) : undefined;
    candle.trades = (flags & NO_TRADES) === 0 ? reader.varint() : undefined;
    candle.buyTrades = (flags & NO_BUY_TRADES) === 0 ? reader.varint() : undefined;
    const isLiquidated = (flags & LIQUIDATED) !== 0;
    candle.liqLong = isLiquidated ? reader.varint() : 0;
    candle.liqShort = isLiquidated ? reader.varint() : 0;
    candle.origin = (flags & VENUE) === 0 ? 'tape' : 'venue';
    use(candle, i);
    ts += intervalMs;
  }
  reader.end();
}

function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
