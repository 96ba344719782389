import { MINUTE_MS } from '@crosstape/core';
import type { TapeDeal } from '../../market/tape.ts';
import { type Kline, readKlines } from '../klines.ts';
import { printPrice, printSize, spotMarketOf } from '../spot-pairs.ts';
import type { Question, Reply } from '../wire.ts';
import { failure, success } from './envelope.ts';
import { findPairs, type Pair } from './pairs.ts';
import { tradeMarket } from './trades.ts';

const BARS_MAX = 720;
const INTERVALS: readonly number[] = [1, 5, 15, 30, 60, 240, 1440, 10_080, 21_600];
/** Bars of these minutes are made of trades; others, which are not compared with trades, of prices alone. */
const OF_TRADES: readonly number[] = [1, 60];

interface Range {
  readonly barMs: number;
  readonly fromMs: number;
  readonly nowMs: number;
}

/**
 * [1688671200,"30306.1","30306.2","30305.7","30305.7","30306.1","3.39243896",23]: begin, prices, mean price, coins, trades.
 * https://docs.kraken.com/api/docs/rest-api/get-ohlc-data [D]
 */
export async function answerBars(question: Question): Promise<Reply> {
  const { market, query, nowMs } = question;
  const [pair] = findPairs(market, query.get('pair') ?? 'none') ?? [];
  if (!pair) return failure('EQuery:Unknown asset pair');
  const minutes = Number(query.get('interval') ?? 1);
  const since = query.get('since') ?? '0';
  if (!INTERVALS.includes(minutes) || !/^\d{1,12}$/.test(since)) return failure('EGeneral:Invalid arguments');
  const barMs = minutes * MINUTE_MS;
  const last = Math.floor(nowMs / barMs);
  const first = Math.max(last - BARS_MAX + 1, Math.ceil((Number(since) * 1000) / barMs));
  const range = { barMs, fromMs: first * barMs, nowMs };
  const bars = OF_TRADES.includes(minutes)
    ? await ofTrades(question, pair, range)
    : ofPrices(question, pair, range);
  return success({ [pair.key]: bars, last: ((last - 1) * barMs) / 1000 });
}

async function ofTrades(question: Question, pair: Pair, { barMs, fromMs, nowMs }: Range) {
  const source = {
    market: tradeMarket(question.market, pair),
    read: ({ price, size }: TapeDeal) => ({
      price: Number(printPrice(price, pair)),
      size: Number(printSize(size)),
    }),
  };
  const range = { intervalMs: barMs, fromMs, toMs: nowMs, hasEmpty: true };
  return (await readKlines(question, source, range)).map((kline) => printBar(kline, pair));
}

function printBar(
  { openMs, open, high, low, close, size, notional, trades }: Kline,
  pair: Pair,
): readonly unknown[] {
  const mean = trades === 0 ? 0 : Number(notional.toFixed(8)) / Number(size.toFixed(8));
  const prices = [open, high, low, close, mean].map((value) => printPrice(value, pair));
  return [openMs / 1000, ...prices, size.toFixed(8), trades];
}

function ofPrices({ market }: Question, pair: Pair, { barMs, fromMs, nowMs }: Range) {
  const priceAt = (atMs: number): number => spotMarketOf(market).quote(pair, atMs).last;
  const bars: unknown[] = [];
  let open = priceAt(fromMs);
  for (let atMs = fromMs; atMs <= nowMs; atMs += barMs) {
    const close = priceAt(Math.min(atMs + barMs, nowMs));
    const [high, low] = [Math.max(open, close), Math.min(open, close)];
    const prices = [open, high, low, close, (open + close) / 2].map((value) => printPrice(value, pair));
    bars.push([atMs / 1000, ...prices, '3.39243896', 23]);
    open = close;
  }
  return bars;
}
