import { createHash } from 'node:crypto';
import { type Candle, type CandleRow, decimalOf, LIQUIDATED_DECIMALS, type Whole } from '@crosstape/core';
import { ROOM_BEFORE } from '../../http/endpoint.ts';
import { AsciiWriter, type Fragment, fragmentOf } from '../../platform/ascii-writer.ts';
import type { CandlePart } from './candle-parts.ts';
import { ReadBlock } from './read-blocks.ts';
import type { CompletenessOf } from './read-candles.ts';

type Form = 'json' | 'csv';

export interface PrintedCandles {
  readonly text: Uint8Array;
  /** Identifies the text. Blocks are hashed as stored, which is a tenth of their text. */
  readonly digest: Uint8Array;
}

export const DIGEST = 'blake2b512';

export const ROW_BYTES = 280;
/** More than any row with its separators. */
export const ROW_BYTES_MAX = 1_024;
const names = [
  'ts',
  'open',
  'high',
  'low',
  'close',
  'volume',
  'buyVolume',
  'notionalUsd',
  'trades',
  'buyTrades',
  'liqLongUsd',
  'liqShortUsd',
  'complete',
  'origin',
] as const satisfies (keyof CandleRow)[];

/** The end of a row, from `complete` on, by the completeness of its candle. */
type RowEnds = Readonly<Record<'complete' | 'incomplete' | 'unknown', Fragment>>;

/** Text around the values: before each, and around rows. */
interface Frame {
  readonly before: Readonly<Record<keyof CandleRow, Fragment>>;
  /** Whether an absent value omits the text before it. */
  readonly skipsAbsent: boolean;
  /** Both fields of liquidations if there were none. */
  readonly noLiquidations: Fragment;
  readonly ends: Readonly<Record<Candle['origin'], RowEnds>>;
  readonly start: Fragment;
  readonly between: Fragment;
  readonly end: Fragment;
}

export const frames: Readonly<Record<Form, Frame>> = {
  json: {
    before: beforeEach((name, i) => `${i === 0 ? '{' : ','}"${name}":`),
    skipsAbsent: true,
    noLiquidations: fragmentOf(',"liqLongUsd":0,"liqShortUsd":0'),
    ends: endsOf((complete, origin) => `,"complete":${complete},"origin":"${origin}"}`),
    start: fragmentOf('['),
    between: fragmentOf(','),
    end: fragmentOf(']'),
  },
  csv: {
    before: beforeEach((_name, i) => (i === 0 ? '' : ',')),
    skipsAbsent: false,
    noLiquidations: fragmentOf(',0,0'),
    ends: endsOf((complete, origin) => `,${complete ?? ''},${origin}\r\n`),
    start: fragmentOf(`${names.join(',')}\r\n`),
    between: fragmentOf(''),
    end: fragmentOf(''),
  },
};

function beforeEach(textOf: (name: string, i: number) => string): Frame['before'] {
  return Object.fromEntries(names.map((name, i) => [name, fragmentOf(textOf(name, i))])) as Frame['before'];
}

/** The ends of rows, by a text for each. */
export function endsOf(
  textOf: (complete: boolean | null, origin: Candle['origin']) => string,
): Frame['ends'] {
  const of = (origin: Candle['origin']): RowEnds => ({
    complete: fragmentOf(textOf(true, origin)),
    incomplete: fragmentOf(textOf(false, origin)),
    unknown: fragmentOf(textOf(null, origin)),
  });
  return { tape: of('tape'), venue: of('venue') };
}

/**
 * The rows of candles as a JSON array, identical to `JSON.stringify` of `candleRow`, or as CSV with the same numbers.
 */
export function printCandles(
  parts: readonly CandlePart[],
  completeness: CompletenessOf,
  form: Form,
  /** Whether no gap meets a span; spans must be passed oldest first. */
  hasNoGap: (from: number, to: number) => boolean = () => false,
): PrintedCandles {
  const rows = parts.reduce((sum, { length }) => sum + length, 0);
  const writer = new AsciiWriter(ROW_BYTES * rows + ROW_BYTES_MAX, ROOM_BEFORE);
  const frame = frames[form];
  // Joined before they are hashed: a call for each would take as long as the hash itself.
  const hashed: Uint8Array[] = [Buffer.from(names.join())];
  let hashedTo = writer.position;
  let printed = 0;
  const printOne = (candle: Candle): void => {
    if (printed > 0) writer.fragment(frame.between);
    printCandle(writer, frame, candle, completeness(candle));
    printed += 1;
  };
  writer.fragment(frame.start);
  for (const part of parts) {
    if (!(part instanceof ReadBlock)) {
      for (const candle of part) printOne(candle);
    } else if (form === 'json' && hasNoGap(part.startTs, part.startTs + part.level.blockMs)) {
      if (printed > 0) writer.fragment(frame.between);
      hashed.push(writer.from(hashedTo), Buffer.from(`${part.startTs} `), part.bytes);
      printBlock(writer, part);
      hashedTo = writer.position;
      printed += part.length;
    } else part.each(printOne);
  }
  writer.reserve(ROW_BYTES_MAX);
  writer.fragment(frame.end);
  hashed.push(writer.from(hashedTo));
  return { text: writer.finish(), digest: createHash(DIGEST).update(Buffer.concat(hashed)).digest() };
}

/** Writes the candles of a block that no gap meets as JSON. */
function printBlock(writer: AsciiWriter, block: ReadBlock): void {
  if (block.text) {
    writer.bytes(block.text);
    return;
  }
  const frame = frames.json;
  const start = writer.position;
  block.each((candle, i) => {
    if (i > 0) writer.fragment(frame.between);
    printCandle(writer, frame, candle, candle.origin === 'venue' ? null : true);
  });
  if (block.isKept) block.text = writer.from(start).slice();
}

export function printCandle(
  writer: AsciiWriter,
  frame: Frame,
  candle: Candle,
  complete: boolean | null,
): void {
  const { priceDecimals, sizeDecimals } = candle;
  const { before } = frame;
  writer.reserve(ROW_BYTES_MAX);
  print(writer, before.ts, candle.ts, 0);
  print(writer, before.open, candle.open, priceDecimals);
  print(writer, before.high, candle.high, priceDecimals);
  print(writer, before.low, candle.low, priceDecimals);
  print(writer, before.close, candle.close, priceDecimals);
  print(writer, before.volume, candle.volume, sizeDecimals);
  printKnown(writer, frame, before.buyVolume, candle.buyVolume, sizeDecimals);
  printKnown(writer, frame, before.notionalUsd, candle.notional, priceDecimals + sizeDecimals);
  printKnown(writer, frame, before.trades, candle.trades, 0);
  printKnown(writer, frame, before.buyTrades, candle.buyTrades, 0);
  const { liqLong, liqShort, origin } = candle;
  if (liqLong + liqShort === 0) writer.fragment(frame.noLiquidations);
  else {
    writer.field(before.liqLongUsd, liqLong, LIQUIDATED_DECIMALS);
    writer.field(before.liqShortUsd, liqShort, LIQUIDATED_DECIMALS);
  }
  if (complete === null) writer.fragment(frame.ends[origin].unknown);
  else writer.fragment(complete ? frame.ends[origin].complete : frame.ends[origin].incomplete);
}

export function print(writer: AsciiWriter, before: Fragment, value: Whole, decimals: number): void {
  if (typeof value === 'number') writer.field(before, value, decimals);
  else {
    writer.fragment(before);
    writer.number(decimalOf(value, decimals));
  }
}

function printKnown(
  writer: AsciiWriter,
  { skipsAbsent }: Frame,
  before: Fragment,
  value: Whole | undefined,
  decimals: number,
): void {
  if (value !== undefined) print(writer, before, value, decimals);
  else if (!skipsAbsent) writer.fragment(before);
}
