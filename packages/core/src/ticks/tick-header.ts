import { BadChunk } from './bad-chunk.ts';
import { CHUNK_TRADES_MAX, payloadBody, TICKS_KIND } from './payload.ts';
import { readVarint, varintBytes, writeVarint } from './varint.ts';

/** The numbers before the sections, in order, including time, price and side of the first trade. */
const FIELDS = [
  'trades',
  'gaps',
  'farSteps',
  'priceDecimals',
  'sizeDecimals',
  'firstTs',
  'firstPrice',
  'firstIsBuy',
  'tick',
] as const;

export type TickHeader = Record<(typeof FIELDS)[number], number>;

export const DECIMALS_MAX = 15;

export function tickHeaderBytes(header: TickHeader): number {
  return FIELDS.reduce((sum, field) => sum + varintBytes(header[field]), 0);
}

/** Returns where the sections begin. */
export function writeTickHeader(bytes: Uint8Array, from: number, header: TickHeader): number {
  return FIELDS.reduce((at, field) => writeVarint(bytes, at, header[field]), from);
}

/** A parsed payload of trades. */
export interface TickSections {
  readonly header: TickHeader;
  /**
   * Concatenated: a token for each trade, gaps between times, steps too long for a token, a size for each trade, and
   * the extra bytes of all gaps, then all far steps, then all sizes.
   */
  readonly sections: Uint8Array;
}

/** Finds the sections of a payload, without copying or reading them. */
export function tickSections(payload: Uint8Array): TickSections {
  const body = payloadBody(payload, TICKS_KIND);
  const header: TickHeader = {
    trades: 0,
    gaps: 0,
    farSteps: 0,
    priceDecimals: 0,
    sizeDecimals: 0,
    firstTs: 0,
    firstPrice: 0,
    firstIsBuy: 0,
    tick: 0,
  };
  let at = 0;
  for (const field of FIELDS) {
    const { value, next } = readVarint(body, at);
    header[field] = value;
    at = next;
  }
  const { trades, gaps, farSteps, priceDecimals, sizeDecimals, firstIsBuy, tick } = header;
  if (trades > CHUNK_TRADES_MAX)
    throw new BadChunk(`${trades} trades; at most ${CHUNK_TRADES_MAX} are allowed`);
  if (gaps > trades || farSteps > trades) throw new BadChunk('more gaps or steps than trades');
  if (priceDecimals > DECIMALS_MAX || sizeDecimals > DECIMALS_MAX) {
    throw new BadChunk(`more than ${DECIMALS_MAX} decimals`);
  }
  if (firstIsBuy > 1) throw new BadChunk(`the first side is ${firstIsBuy}, neither 0 nor 1`);
  if (tick < 1) throw new BadChunk('a tick of 0');
  const missing = at + trades + gaps + farSteps + trades - body.length;
  if (missing > 0) throw new BadChunk(`the sections are ${missing} bytes longer than the body`);
  return { header, sections: body.subarray(at) };
}
