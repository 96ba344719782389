import { DAY_MS } from '@crosstape/core';
import type { TapeDeal } from '../../market/tape.ts';
import { ExactSum } from '../exact-sum.ts';
import { newestOf } from '../kline-window.ts';
import { intervalMsOf, openOf, readKlines } from '../klines.ts';
import { plainDecimal } from '../plain-decimal.ts';
import { Reply, type WireRoute } from '../wire.ts';
import { badTicker, marketsOf, printPrice, printSize } from './markets.ts';
import { tradeMarket } from './trades.ts';

const RESOLUTIONS: Readonly<Record<string, string>> = {
  '1MIN': '1m',
  '5MINS': '5m',
  '15MINS': '15m',
  '30MINS': '30m',
  '1HOUR': '1h',
  '4HOURS': '4h',
  '1DAY': '1d',
};
const LIMIT_MAX = 1000;
const LIMIT_DEFAULT = 100;

/**
 * {"candles":[{"startedAt":"2025-12-08T16:00:00.000Z","ticker":"BTC-USD","resolution":"1MIN","low":"89942","high":"89993",
 *  "open":"89950","close":"89990","baseTokenVolume":"0.5","usdVolume":"44990","trades":12,…}]}: newest first, without
 * intervals without a trade. https://docs.dydx.xyz/indexer-client/http#get-candles [D]
 */
export const candles: WireRoute = {
  path: '/v4/candles/perpetualMarkets/:market',
  async answer(question) {
    const { market, params, query, nowMs } = question;
    const ticker = params.market ?? '';
    const one = marketsOf(market).find((candidate) => candidate.ticker === ticker);
    if (!one) return badTicker(ticker, { param: 'ticker', location: 'params' });
    const resolution = query.get('resolution') ?? '';
    const intervalMs = intervalMsOf(RESOLUTIONS[resolution] ?? '');
    const [from, to] = [query.get('fromISO'), query.get('toISO')];
    const range =
      intervalMs === undefined
        ? undefined
        : newestOf({
            intervalMs,
            nowMs,
            startMs: from === null ? undefined : Date.parse(from),
            endMs: to === null ? undefined : Date.parse(to) - 1,
            count: Math.min(LIMIT_MAX, Number(query.get('limit') ?? LIMIT_DEFAULT)),
            hasEmpty: false,
          });
    if (!range) return new Reply({ errors: [{ msg: 'resolution must be a valid Candle Resolution' }] }, 400);
    if (one.status !== 'ACTIVE') return new Reply({ candles: [] });
    const source = {
      market: tradeMarket(market, one),
      read: ({ price, size }: TapeDeal) => ({
        price: Number(printPrice(one, price)),
        size: Number(printSize(one, size)),
      }),
    };
    const read = await readKlines(question, source, range);
    // For a candle that is not made of trades, that of its day.
    const openInterestAt = remembering((atMs) => market.openInterest(one.coin.name, atMs));
    const rows = read
      .toReversed()
      .map(({ openMs, open, high, low, close, size, notional, trades, first }) => ({
        startedAt: new Date(openMs).toISOString(),
        ticker,
        resolution,
        low: plainDecimal(ExactSum.of(low), 12),
        high: plainDecimal(ExactSum.of(high), 12),
        open: plainDecimal(ExactSum.of(open), 12),
        close: plainDecimal(ExactSum.of(close), 12),
        baseTokenVolume: plainDecimal(size, 8),
        usdVolume: plainDecimal(notional, 8),
        trades,
        startingOpenInterest: printSize(
          one,
          openInterestAt(first === undefined ? openMs : openOf(openMs, DAY_MS)),
        ),
      }));
    return new Reply({ candles: rows });
  },
};

/** Computes each value once. */
function remembering(valueAt: (atMs: number) => number): (atMs: number) => number {
  const known = new Map<number, number>();
  return (atMs) => {
    const value = known.get(atMs) ?? valueAt(atMs);
    known.set(atMs, value);
    return value;
  };
}
