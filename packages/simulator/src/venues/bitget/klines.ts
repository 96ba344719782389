import { DAY_MS } from '@crosstape/core';
import type { TapeDeal } from '../../market/tape.ts';
import { newestOf } from '../kline-window.ts';
import { intervalMsOf, readKlines } from '../klines.ts';
import type { Question, Reply } from '../wire.ts';
import { failure, success } from './envelope.ts';
import { type Listing, printPrice } from './listing.ts';
import { sizeIn, tradeMarket } from './trades.ts';

const GRANULARITIES = ['1m', '3m', '5m', '15m', '30m', '1H', '4H', '6Hutc', '12Hutc', '1Dutc', '1Wutc'];
/** Days that this call reaches back, if known [C]. */
const KEPT_DAYS: Readonly<Record<string, number>> = { '1m': 30, '1H': 83 };
const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1000;

/** ["1695865615000","26194.5","26194.5","26194.5","26194.5","0.0003","7.85835"]: time, prices, coins, worth; oldest first [C]. */
export async function answerCandles(question: Question, listing: Listing): Promise<Reply> {
  const { query, nowMs, market } = question;
  const name = query.get('granularity') ?? '';
  const intervalMs = GRANULARITIES.includes(name) ? intervalMsOf(name.replace('utc', '')) : undefined;
  if (intervalMs === undefined) return failure(question, '40020', 'Parameter granularity error');
  const [start, end] = [query.get('startTime'), query.get('endTime')];
  const range = newestOf({
    intervalMs,
    nowMs,
    startMs: Math.max(Number(start ?? 0), nowMs - (KEPT_DAYS[name] ?? Infinity) * DAY_MS),
    endMs: end === null ? undefined : Number(end),
    count: Math.min(LIMIT_MAX, Number(query.get('limit') ?? LIMIT_DEFAULT)),
    hasEmpty: true,
  });
  if (!range) return failure(question, '40020', 'Parameter startTime error');
  const source = {
    market: tradeMarket(market, listing),
    read: (deal: TapeDeal) => ({
      price: Number(printPrice(deal.price, listing)),
      size: Number(sizeIn(listing, deal)),
    }),
  };
  const read = await readKlines(question, source, range);
  const rows = read.map(({ openMs, open, high, low, close, size, notional }) => [
    String(openMs),
    ...[open, high, low, close].map((price) => price.toFixed(listing.priceDecimals)),
    size.toFixed(listing.sizeDecimals),
    notional.toFixed(8),
  ]);
  return success(question, rows);
}
