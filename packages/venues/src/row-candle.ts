import type { VenueCandle } from '@crosstape/core';
import { readExact } from './reading.ts';

/** Prices of a row that is a list, as most venues order them: open, high, low, close. */
export function rowPrices(
  [open, high, low, close]: readonly unknown[],
  what: string,
): Pick<VenueCandle, 'open' | 'high' | 'low' | 'close'> {
  return {
    open: readExact(open, `${what} open`),
    high: readExact(high, `${what} high`),
    low: readExact(low, `${what} low`),
    close: readExact(close, `${what} close`),
  };
}
