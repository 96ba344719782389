import type { MarketTrade, VenueLiquidation } from '@crosstape/core';
import { type Fields, MOST, readObject, readRows } from './reading.ts';
import { type Frame, Malformed } from './venue.ts';

/** A feed's parser that never throws: what it does not understand, it refuses. */
export function frameReader(read: (text: string) => Frame): (text: string) => Frame {
  return (text) => {
    try {
      return read(text);
    } catch (error) {
      if (error instanceof Malformed || error instanceof SyntaxError)
        return { kind: 'refused', why: error.message };
      throw error;
    }
  };
}

/**
 * The same for a feed whose frames are JSON objects, apart from one text. The last frame is kept: when V8 compacts the heap
 * it drops the shapes that no object has any longer, and with them the optimised code of everything that reads such
 * frames (docs/memory.md).
 */
export function jsonReader(
  read: (frame: Fields) => Frame,
  plain?: { readonly text: string; readonly frame: Frame },
): (text: string) => Frame {
  const kept: { frame?: Fields } = {};
  return frameReader((text) => {
    if (text === plain?.text) return plain.frame;
    const frame = readObject(JSON.parse(text), 'frame');
    kept.frame = frame;
    return read(frame);
  });
}

/**
 * The liquidations among the rows of a frame. A malformed row is left out and reported; if most are malformed, the
 * frame is.
 */
export function readLiquidations<Row>(
  rows: readonly Row[],
  readRow: (row: Row) => VenueLiquidation | undefined,
  isBackfill = false,
): Extract<Frame, { readonly kind: 'liquidations' }> {
  const { rows: liquidations, refused } = readRows(rows.length, (i) => readRow(rows[i] as Row), MOST);
  return { kind: 'liquidations', liquidations, isBackfill, ...(refused.length > 0 && { refused }) };
}

/**
 * The trades of a frame, in the order of its rows. Only the malformed row is dropped, or the frame when most rows are
 * malformed; a frame without any trade is malformed. Every trade of every venue passes here: the usual case does nothing
 * else.
 */
export function readMarketTrades<Row>(
  rows: readonly Row[],
  readRow: (row: Row) => MarketTrade,
  isBackfill = false,
): Extract<Frame, { readonly kind: 'marketTrades' }> {
  if (rows.length === 0) throw new Malformed('an empty list of trades');
  try {
    return { kind: 'marketTrades', trades: rows.map(readRow), isBackfill };
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
  }
  const { rows: trades, refused } = readRows(rows.length, (i) => readRow(rows[i] as Row), MOST);
  return { kind: 'marketTrades', trades, isBackfill, refused };
}
