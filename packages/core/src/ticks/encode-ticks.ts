import { AGAIN, NUMBER_BASE, NUMBER_EXTRA_BYTES, numberCode } from './number-codes.ts';
import { BODY_BYTES_MAX, CHUNK_TRADES_MAX, emptyPayload, TICKS_KIND } from './payload.ts';
import type { TickColumns } from './tick-columns.ts';
import { DECIMALS_MAX, type TickHeader, tickHeaderBytes, writeTickHeader } from './tick-header.ts';
import { LATER, MOVES, NEAR_TICKS, OTHER_SIDE, SAME_ORDER, TOKEN_KINDS } from './tick-tokens.ts';

/**
 * The payload of the trades `from <= i < to`, ready for gzip (see `chunkDeflate`). Trades that violate the constraints
 * of `TickColumns` throw a RangeError: nothing is rounded or left out.
 */
export function encodeTicks(columns: TickColumns, from = 0, to = columns.length): Uint8Array {
  checkRange(columns, from, to);
  checkTrades(columns, from, to);
  const trades = to - from;
  const tick = tickOf(columns.price, from, to);
  extraLength = 0;
  const gaps = writeGaps(columns, from, to);
  const farSteps = writeFarSteps(columns, from, to, tick);
  writeSizes(columns, from, to);
  writeTokens(columns, from, to, tick);
  const header: TickHeader = {
    trades,
    gaps,
    farSteps,
    priceDecimals: columns.priceDecimals,
    sizeDecimals: columns.sizeDecimals,
    firstTs: trades > 0 ? columns.ts[from]! : 0,
    firstPrice: trades > 0 ? columns.price[from]! : 0,
    firstIsBuy: trades > 0 ? columns.isBuy[from]! : 0,
    tick,
  };
  const bodyBytes = tickHeaderBytes(header) + 2 * trades + gaps + farSteps + extraLength;
  const payload = emptyPayload(TICKS_KIND, bodyBytes);
  let at = writeTickHeader(payload, payload.length - bodyBytes, header);
  at = copy(tokens, trades, payload, at);
  at = copy(gapCodes, gaps, payload, at);
  at = copy(farStepCodes, farSteps, payload, at);
  at = copy(sizeCodes, trades, payload, at);
  copy(extra, extraLength, payload, at);
  return payload;
}

/** A section this short is copied byte by byte: most batches of trades are small, and a view of a section takes longer. */
const SHORT_SECTION = 64;

/** Copies the first bytes of a section; returns where the next one goes. */
function copy(section: Uint8Array, length: number, into: Uint8Array, at: number): number {
  if (length > SHORT_SECTION) into.set(section.subarray(0, length), at);
  else for (let i = 0; i < length; i += 1) into[at + i] = section[i]!;
  return at + length;
}

function checkRange(columns: TickColumns, from: number, to: number): void {
  if (!(Number.isInteger(from) && Number.isInteger(to) && from >= 0 && from <= to && to <= columns.length)) {
    throw new RangeError(`no trades ${from} to ${to} in columns of ${columns.length}`);
  }
  if (to - from > CHUNK_TRADES_MAX) throw new RangeError(`a chunk holds at most ${CHUNK_TRADES_MAX} trades`);
  for (const decimals of [columns.priceDecimals, columns.sizeDecimals]) {
    if (!(Number.isInteger(decimals) && decimals >= 0 && decimals <= DECIMALS_MAX)) {
      throw new RangeError(`decimals are 0 to ${DECIMALS_MAX}, not ${decimals}`);
    }
  }
}

function checkTrades({ ts, price, size, isBuy, sameOrder }: TickColumns, from: number, to: number): void {
  for (let i = from; i < to; i += 1) {
    const isWhole = isMagnitude(ts[i]!) && isMagnitude(price[i]!) && isMagnitude(size[i]!);
    if (!isWhole) throw new RangeError(`trade ${i}: time, price, size are whole numbers from 0 below 2^53`);
    if (isBuy[i]! > 1 || sameOrder[i]! > 1) {
      throw new RangeError(`trade ${i}: isBuy and sameOrder are 0 or 1`);
    }
    if (i === from) continue;
    if (ts[i]! < ts[i - 1]!) throw new RangeError(`trade ${i} is older than the previous one`);
    if (sameOrder[i] === 1 && (ts[i] !== ts[i - 1] || isBuy[i] !== isBuy[i - 1])) {
      throw new RangeError(`trade ${i} cannot be of the same order at another time or on the other side`);
    }
  }
}

function isMagnitude(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** The largest number such that every price differs from the first by a multiple of it. */
function tickOf(price: Float64Array, from: number, to: number): number {
  let tick = 0;
  for (let i = from + 1; i < to; i += 1) {
    let step = Math.abs(price[i]! - price[i - 1]!);
    while (step !== 0) {
      const rest = tick % step;
      tick = step;
      step = rest;
    }
    if (tick === 1) return 1;
  }
  return tick === 0 ? 1 : tick;
}

/** Returns how many codes there are. */
function writeGaps({ ts }: TickColumns, from: number, to: number): number {
  let count = 0;
  let before = 0;
  for (let i = from + 1; i < to; i += 1) {
    const gap = ts[i]! - ts[i - 1]!;
    if (gap === 0) continue;
    gapCodes[count] = writeNumber(gap, before);
    before = gap;
    count += 1;
  }
  return count;
}

/** Returns how many codes there are. */
function writeFarSteps({ price }: TickColumns, from: number, to: number, tick: number): number {
  let count = 0;
  let before = 0;
  for (let i = from + 1; i < to; i += 1) {
    const ticks = Math.abs(price[i]! - price[i - 1]!) / tick;
    if (ticks <= NEAR_TICKS) continue;
    farStepCodes[count] = writeNumber(ticks, before);
    before = ticks;
    count += 1;
  }
  return count;
}

function writeSizes({ size }: TickColumns, from: number, to: number): void {
  for (let i = from; i < to; i += 1) {
    sizeCodes[i - from] = writeNumber(size[i]!, i === from ? 0 : size[i - 1]!);
  }
}

function writeTokens(columns: TickColumns, from: number, to: number, tick: number): void {
  const { ts, price, isBuy, sameOrder } = columns;
  for (let i = from; i < to; i += 1) {
    const before = i === from ? i : i - 1;
    const later = ts[i] === ts[before] ? 0 : LATER;
    const otherSide = isBuy[i] === isBuy[before] ? 0 : OTHER_SIDE;
    const kind = kindOf[sameOrder[i] === 1 ? SAME_ORDER : later | otherSide]!;
    const ticks = (price[i]! - price[before]!) / tick;
    const isWithTaker = ticks > 0 === (isBuy[i] === 1);
    const length = Math.min(Math.abs(ticks), NEAR_TICKS + 1);
    tokens[i - from] = MOVES * kind + (length === 0 ? 0 : 2 * length - (isWithTaker ? 1 : 0));
  }
}

/** By flags. */
const kindOf = new Uint8Array(8);
for (const [kind, flags] of TOKEN_KINDS.entries()) kindOf[flags] = kind;

/** Sections are collected here, then copied. Encoding is synchronous, so they are never shared. */
const tokens = new Uint8Array(CHUNK_TRADES_MAX);
const gapCodes = new Uint8Array(CHUNK_TRADES_MAX);
const farStepCodes = new Uint8Array(CHUNK_TRADES_MAX);
const sizeCodes = new Uint8Array(CHUNK_TRADES_MAX);
const extra = new Uint8Array(BODY_BYTES_MAX);
let extraLength = 0;

/** Returns the code of the number, and keeps its extra bytes. */
function writeNumber(value: number, before: number): number {
  if (value === before) return AGAIN;
  const code = numberCode(value);
  let rest = value - NUMBER_BASE[code]!;
  for (let left = NUMBER_EXTRA_BYTES[code]!; left > 0; left -= 1) {
    extra[extraLength] = rest % 256;
    rest = Math.floor(rest / 256);
    extraLength += 1;
  }
  return code;
}
