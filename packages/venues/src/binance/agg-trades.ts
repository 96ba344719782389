import type { MarketTrade } from '@crosstape/core';
import { type Fields, readArray, readExact, readInteger, readObject, readRows } from '../reading.ts';
import { Malformed, type TradeGap, type TradePage, type TradeRefill, type VenueRequest } from '../venue.ts';
import { readAnswer } from './answer.ts';

const ROWS_MAX = 1000;
const HOUR_MS = 3_600_000;

/** `m`: the buyer was the maker, so the taker sold [D]. `q` includes fills against retail orders, `nq` does not [D]. */
export function parseAggTrade({ a, p, q, T, m }: Fields, symbol: string): MarketTrade {
  if (typeof m !== 'boolean') throw new Malformed(`${symbol} m is neither true nor false`);
  return {
    symbol,
    side: m ? 'sell' : 'buy',
    price: readExact(p, `${symbol} p`),
    size: readExact(q, `${symbol} q`),
    venueTs: readInteger(T, `${symbol} T`),
    tid: readInteger(a, `${symbol} a`),
  };
}

export interface AggTradesOptions {
  readonly path: string;
  readonly weight: number;
  readonly reachMs: number;
}

/**
 * Aggregate trades from an id on, oldest first [D]:
 * ```json
 * [{"a":26129,"p":"0.01633102","q":"4.70443515","f":27781,"l":27781,"T":1498793709153,"m":true}]
 * ```
 * By time, a window may be at most an hour long [D].
 */
export function pastAggTrades({ path, weight, reachMs }: AggTradesOptions): TradeRefill {
  const page = (symbol: string, from: string): VenueRequest => ({
    method: 'GET',
    path: `${path}?symbol=${symbol}&${from}&limit=${ROWS_MAX}`,
  });
  const first = ({ market: { symbol }, afterTid, afterMs, beforeMs }: TradeGap): VenueRequest =>
    afterTid === undefined
      ? page(symbol, `startTime=${afterMs}&endTime=${Math.min(beforeMs, afterMs + HOUR_MS - 1)}`)
      : page(symbol, `fromId=${afterTid + 1}`);
  return {
    name: 'past-trades',
    weight,
    reachMs,
    rowsMax: ROWS_MAX,
    request: first,
    parse(body, gap, asked): TradePage {
      const { symbol } = gap.market;
      const list = readArray(readAnswer(body), 'answer');
      const { rows, refused } = readRows(list.length, (i) =>
        parseAggTrade(readObject(list[i], 'trade'), symbol),
      );
      const newest = rows.at(-1);
      const more = nextPage(gap, { asked, count: list.length, newest }, (from) => page(symbol, from));
      return {
        trades: rows.filter((trade) => isWithin(trade, gap)),
        ...(refused.length > 0 && { refused }),
        ...(more && { more }),
        ...(newest && refused.length === 0 && { covers: { fromMs: rows[0]!.venueTs, toMs: newest.venueTs } }),
      };
    },
  };
}

function isWithin(
  { tid, venueTs }: MarketTrade,
  { afterTid, beforeTid, afterMs, beforeMs }: TradeGap,
): boolean {
  return (
    (afterTid === undefined ? venueTs >= afterMs : tid > afterTid) &&
    (beforeTid === undefined ? venueTs <= beforeMs : tid < beforeTid)
  );
}

/** A full page goes on after its last trade; a window of an hour without more trades, with the next hour. */
function nextPage(
  { beforeTid, beforeMs }: TradeGap,
  {
    asked,
    count,
    newest,
  }: { readonly asked: string; readonly count: number; readonly newest: MarketTrade | undefined },
  page: (from: string) => VenueRequest,
): VenueRequest | undefined {
  const isAnswered =
    newest !== undefined &&
    (beforeTid === undefined ? newest.venueTs >= beforeMs : newest.tid >= beforeTid - 1);
  if (isAnswered) return undefined;
  if (count >= ROWS_MAX && newest) return page(`fromId=${newest.tid + 1}`);
  const endMs = Number(/[?&]endTime=(\d+)/.exec(asked)?.[1] ?? beforeMs);
  return endMs < beforeMs
    ? page(`startTime=${endMs + 1}&endTime=${Math.min(beforeMs, endMs + HOUR_MS)}`)
    : undefined;
}
