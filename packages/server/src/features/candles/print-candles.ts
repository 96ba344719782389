import { createHash, hash as hashOnce } from 'node:crypto';
import { type Candle, type CandleRow, decimalOf, LIQUIDATED_DECIMALS, type Whole } from '@crosstape/core';
import { AsciiWriter, type Fragment, fragmentOf } from '../../platform/ascii-writer.ts';
import type { CandlePage } from './candle-reader.ts';
import type { ReadBlock } from './decoded-blocks.ts';
import type { CompletenessOf } from './read-candles.ts';

type Form = 'json' | 'csv';

export interface PrintedCandles {
  readonly text: Uint8Array;
  /** Identifies the text: blocks that were printed before are not hashed again. */
  readonly digest: Uint8Array;
}

const DIGEST = 'blake2b512';

const ROW_BYTES = 280;
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

/** What is written around the values: before each, and around rows. */
interface Frame {
  readonly before: Readonly<Record<keyof CandleRow, Fragment>>;
  /** Whether a value that is absent leaves out what is before it. */
  readonly skipsAbsent: boolean;
  readonly null: Fragment;
  readonly tape: Fragment;
  readonly venue: Fragment;
  readonly start: Fragment;
  readonly between: Fragment;
  readonly end: Fragment;
}

const frames: Readonly<Record<Form, Frame>> = {
  json: {
    before: beforeEach((name, i) => `${i === 0 ? '{' : ','}"${name}":`),
    skipsAbsent: true,
    null: fragmentOf('null'),
    tape: fragmentOf('"tape"}'),
    venue: fragmentOf('"venue"}'),
    start: fragmentOf('['),
    between: fragmentOf(','),
    end: fragmentOf(']'),
  },
  csv: {
    before: beforeEach((_name, i) => (i === 0 ? '' : ',')),
    skipsAbsent: false,
    null: fragmentOf(''),
    tape: fragmentOf('tape\r\n'),
    venue: fragmentOf('venue\r\n'),
    start: fragmentOf(`${names.join(',')}\r\n`),
    between: fragmentOf(''),
    end: fragmentOf(''),
  },
};
const yes = fragmentOf('true');
const no = fragmentOf('false');

function beforeEach(textOf: (name: string, i: number) => string): Frame['before'] {
  return Object.fromEntries(names.map((name, i) => [name, fragmentOf(textOf(name, i))])) as Frame['before'];
}

/**
 * The rows of candles as a JSON array, byte for byte what `JSON.stringify` makes of `candleRow`, or as CSV with the same
 * numbers.
 */
export function printCandles(
  candles: readonly Candle[],
  completeness: CompletenessOf,
  form: Form,
  stored?: StoredBlocks,
): PrintedCandles {
  const writer = new AsciiWriter(ROW_BYTES * candles.length);
  const frame = frames[form];
  const hash = createHash(DIGEST);
  let hashedTo = 0;
  writer.fragment(frame.start);
  for (let i = 0; i < candles.length; ) {
    const candle = candles[i]!;
    if (i > 0) writer.fragment(frame.between);
    const block = form === 'json' ? stored && wholeBlock(candles, i, stored) : undefined;
    if (block) {
      hash.update(writer.from(hashedTo)).update(printBlock(writer, block));
      hashedTo = writer.length;
      i += block.candles.length;
    } else {
      printCandle(writer, frame, candle, completeness(candle));
      i += 1;
    }
  }
  writer.fragment(frame.end);
  hash.update(writer.from(hashedTo));
  return { text: writer.finish(), digest: hash.digest() };
}

/** What candles were read from: blocks that are shown whole and without a gap are printed once. */
interface StoredBlocks extends Pick<CandlePage, 'blockFrom'> {
  /** For spans that are asked for oldest first. */
  readonly hasNoGap: (from: number, to: number) => boolean;
  readonly intervalMs: number;
}

/** The block whose candles stand at a position, where nothing is missing in any of them. */
function wholeBlock(
  candles: readonly Candle[],
  at: number,
  { blockFrom, hasNoGap, intervalMs }: StoredBlocks,
): ReadBlock | undefined {
  const first = candles[at]!;
  const block = blockFrom(first);
  const last = block?.candles.at(-1);
  if (!block || !last || candles[at + block.candles.length - 1] !== last) return undefined;
  return hasNoGap(first.ts, last.ts + intervalMs) ? block : undefined;
}

/** Writes the candles of a block as JSON, and returns the digest of the text. */
function printBlock(writer: AsciiWriter, block: ReadBlock): Uint8Array {
  if (block.text) {
    writer.bytes(block.text.json);
    return block.text.digest;
  }
  const frame = frames.json;
  const start = writer.length;
  for (const [i, candle] of block.candles.entries()) {
    if (i > 0) writer.fragment(frame.between);
    printCandle(writer, frame, candle, candle.origin === 'venue' ? null : true);
  }
  const json = writer.from(start);
  const digest = hashOnce(DIGEST, json, 'buffer');
  if (block.isKept) block.text = { json: json.slice(), digest };
  return digest;
}

function printCandle(writer: AsciiWriter, frame: Frame, candle: Candle, complete: boolean | null): void {
  const { priceDecimals, sizeDecimals } = candle;
  const { before } = frame;
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
  print(writer, before.liqLongUsd, candle.liqLong, LIQUIDATED_DECIMALS);
  print(writer, before.liqShortUsd, candle.liqShort, LIQUIDATED_DECIMALS);
  writer.fragment(before.complete);
  if (complete === null) writer.fragment(frame.null);
  else writer.fragment(complete ? yes : no);
  writer.fragment(before.origin);
  writer.fragment(candle.origin === 'tape' ? frame.tape : frame.venue);
}

function print(writer: AsciiWriter, before: Fragment, value: Whole, decimals: number): void {
  writer.fragment(before);
  if (typeof value === 'number') writer.decimal(value, decimals);
  else writer.number(decimalOf(value, decimals));
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
