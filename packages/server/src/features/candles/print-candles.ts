import { type Candle, decimalOf, LIQUIDATED_DECIMALS, type Whole } from '@crosstape/core';
import { AsciiWriter, type Fragment, fragmentOf } from '../../platform/ascii-writer.ts';
import type { CompletenessOf } from './read-candles.ts';

const ROW_BYTES = 280;
const text = {
  ts: fragmentOf('{"ts":'),
  open: fragmentOf(',"open":'),
  high: fragmentOf(',"high":'),
  low: fragmentOf(',"low":'),
  close: fragmentOf(',"close":'),
  volume: fragmentOf(',"volume":'),
  buyVolume: fragmentOf(',"buyVolume":'),
  notionalUsd: fragmentOf(',"notionalUsd":'),
  trades: fragmentOf(',"trades":'),
  buyTrades: fragmentOf(',"buyTrades":'),
  liqLongUsd: fragmentOf(',"liqLongUsd":'),
  liqShortUsd: fragmentOf(',"liqShortUsd":'),
  complete: fragmentOf(',"complete":true'),
  incomplete: fragmentOf(',"complete":false'),
  unknown: fragmentOf(',"complete":null'),
  tape: fragmentOf(',"origin":"tape"}'),
  venue: fragmentOf(',"origin":"venue"}'),
  start: fragmentOf('['),
  next: fragmentOf(','),
  end: fragmentOf(']'),
};

/** The rows of candles as a JSON array, byte for byte what `JSON.stringify` makes of `candleRow`. */
export function printCandles(candles: readonly Candle[], completeness: CompletenessOf): Uint8Array {
  const writer = new AsciiWriter(ROW_BYTES * candles.length);
  writer.fragment(text.start);
  let isFirst = true;
  for (const candle of candles) {
    if (!isFirst) writer.fragment(text.next);
    isFirst = false;
    printCandle(writer, candle, completeness(candle));
  }
  writer.fragment(text.end);
  return writer.finish();
}

function printCandle(writer: AsciiWriter, candle: Candle, complete: boolean | null): void {
  const { priceDecimals, sizeDecimals, buyVolume, notional, trades, buyTrades } = candle;
  print(writer, text.ts, candle.ts, 0);
  print(writer, text.open, candle.open, priceDecimals);
  print(writer, text.high, candle.high, priceDecimals);
  print(writer, text.low, candle.low, priceDecimals);
  print(writer, text.close, candle.close, priceDecimals);
  print(writer, text.volume, candle.volume, sizeDecimals);
  if (buyVolume !== undefined) print(writer, text.buyVolume, buyVolume, sizeDecimals);
  if (notional !== undefined) print(writer, text.notionalUsd, notional, priceDecimals + sizeDecimals);
  if (trades !== undefined) print(writer, text.trades, trades, 0);
  if (buyTrades !== undefined) print(writer, text.buyTrades, buyTrades, 0);
  print(writer, text.liqLongUsd, candle.liqLong, LIQUIDATED_DECIMALS);
  print(writer, text.liqShortUsd, candle.liqShort, LIQUIDATED_DECIMALS);
  if (complete === null) writer.fragment(text.unknown);
  else writer.fragment(complete ? text.complete : text.incomplete);
  writer.fragment(candle.origin === 'tape' ? text.tape : text.venue);
}

function print(writer: AsciiWriter, name: Fragment, value: Whole, decimals: number): void {
  writer.fragment(name);
  if (typeof value === 'number') writer.decimal(value, decimals);
  else writer.number(decimalOf(value, decimals));
}
