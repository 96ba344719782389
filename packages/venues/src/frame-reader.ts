import type { VenueLiquidation } from '@crosstape/core';
import { readRows } from './reading.ts';
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

/** The liquidations among the rows of a frame. A row that makes no sense is left out and told; of most rows, it is the frame's. */
export function readLiquidations<Row>(
  rows: readonly Row[],
  readRow: (row: Row) => VenueLiquidation | undefined,
  isBackfill = false,
): Extract<Frame, { readonly kind: 'liquidations' }> {
  const { rows: liquidations, refused } = readRows(rows.length, (i) => readRow(rows[i] as Row));
  return { kind: 'liquidations', liquidations, isBackfill, ...(refused.length > 0 && { refused }) };
}
