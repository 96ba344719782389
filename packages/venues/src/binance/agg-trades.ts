import type { MarketTrade } from '@crosstape/core';
import { pastTrades } from '../past-trades.ts';
import { type Fields, readArray, readExact, readInteger, readObject } from '../reading.ts';
import { Malformed, type TradeRefill, type VenueRequest } from '../venue.ts';
import { readAnswer } from './answer.ts';

const ROWS_MAX = 1000;

/** `m`: the buyer was the maker, so the taker sold [D]. `q` includes fills against retail orders, `nq` does not [D]. */
export function parseAggTrade({ a, p, q, T, m }: Fields, symbol: string): MarketTrade {
  if (typeof m !== 'boolean') throw new Malformed(`${symbol} m is neither true nor false`);
  return {
    symbol,
    side: m ? 'sell' : 'buy',
    price: readExact(p, 'p', symbol),
    size: readExact(q, 'q', symbol),
    venueTs: readInteger(T, 'T', symbol),
    tid: readInteger(a, 'a', symbol),
  };
}

/**
 * Aggregate trades from an id or a time on, oldest first [D]:
 * ```json
 * [{"a":26129,"p":"0.01633102","q":"4.70443515","f":27781,"l":27781,"T":1498793709153,"m":true}]
 * ```
 */
export function pastAggTrades(
  path: string,
  { weight, reachMs }: Pick<TradeRefill, 'weight' | 'reachMs'>,
): TradeRefill {
  const page = (symbol: string, from: string): VenueRequest => ({
    method: 'GET',
    path: `${path}?symbol=${symbol}&${from}&limit=${ROWS_MAX}`,
  });
  return pastTrades({
    weight,
    reachMs,
    rowsMax: ROWS_MAX,
    order: 'oldestFirst',
    request: ({ market: { symbol }, afterTid, afterMs }) =>
      page(symbol, afterTid === undefined ? `startTime=${afterMs}` : `fromId=${afterTid}`),
    rows: (body) => readArray(readAnswer(body), 'answer'),
    trade: (row, symbol) => parseAggTrade(readObject(row, 'trade'), symbol),
    next: ({ trade }, { market: { symbol } }) => page(symbol, `fromId=${trade.tid + 1}`),
  });
}
