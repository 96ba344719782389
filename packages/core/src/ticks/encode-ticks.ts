import { AGAIN, NUMBER_BASE, NUMBER_EXTRA_BYTES, numberCode } from './number-codes.ts';
import { BODY_BYTES_MAX, CHUNK_TRADES_MAX, framePayload, TICKS_KIND } from './payload.ts';
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
  const gaps = gapSection(columns, from, to);
  const farSteps = farStepSection(columns, from, to, tick);
  const sizes = sizeSection(columns, from, to);
  const tokens = tokenSection(columns, from, to, tick);
  const header: TickHeader = {
    trades,
    gaps: gaps.length,
    farSteps: farSteps.length,
    priceDecimals: columns.priceDecimals,
    sizeDecimals: columns.sizeDecimals,
    firstTs: trades > 0 ? columns.ts[from]! : 0,
    firstPrice: trades > 0 ? columns.price[from]! : 0,
    firstIsBuy: trades > 0 ? columns.isBuy[from]! : 0,
    tick,
  };
  const sections = [tokens, gaps, farSteps, sizes, extra.subarray(0, extraLength)];
  const sectionBytes = sections.reduce((sum, section) => sum + section.length, 0);
  const body = new Uint8Array(tickHeaderBytes(header) + sectionBytes);
  let at = writeTickHeader(body, header);
  for (const section of sections) {
    body.set(section, at);
    at += section.length;
  }
  return framePayload(TICKS_KIND, body);
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
  }
  return tick === 0 ? 1 : tick;
}

function gapSection({ ts }: TickColumns, from: number, to: number): Uint8Array {
  const codes = new Uint8Array(to - from);
  let count = 0;
  let before = 0;
  for (let i = from + 1; i < to; i += 1) {
    const gap = ts[i]! - ts[i - 1]!;
    if (gap === 0) continue;
    codes[count] = writeNumber(gap, before);
    before = gap;
    count += 1;
  }
  return codes.subarray(0, count);
}

function farStepSection({ price }: TickColumns, from: number, to: number, tick: number): Uint8Array {
  const codes = new Uint8Array(to - from);
  let count = 0;
  let before = 0;
  for (let i = from + 1; i < to; i += 1) {
    const ticks = Math.abs(price[i]! - price[i - 1]!) / tick;
    if (ticks <= NEAR_TICKS) continue;
    codes[count] = writeNumber(ticks, before);
    before = ticks;
    count += 1;
  }
  return codes.subarray(0, count);
}

function sizeSection({ size }: TickColumns, from: number, to: number): Uint8Array {
  const codes = new Uint8Array(to - from);
  for (let i = from; i < to; i += 1) {
    codes[i - from] = writeNumber(size[i]!, i === from ? 0 : size[i - 1]!);
  }
  return codes;
}

function tokenSection(columns: TickColumns, from: number, to: number, tick: number): Uint8Array {
  const { ts, price, isBuy, sameOrder } = columns;
  const tokens = new Uint8Array(to - from);
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
  return tokens;
}

/** By flags. */
const kindOf = new Uint8Array(8);
for (const [kind, flags] of TOKEN_KINDS.entries()) kindOf[flags] = kind;

/** Extra bytes are collected here, then copied. Encoding is synchronous, so the buffer is never shared. */
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
