import type { TapeDeal } from '../../market/tape.ts';
import { newestOf } from '../kline-window.ts';
import { intervalMsOf, readKlines } from '../klines.ts';
import { Reply, type WireRoute } from '../wire.ts';
import { findListing, priceOf } from './listing.ts';
import { sizeIn, tradeMarket } from './trades.ts';

const RESOLUTIONS = ['1m', '5m', '15m', '30m', '1h', '4h', '12h', '1d', '1w'];
const CANDLES_MAX = 2000;

/**
 * {"candles":[{"time":1680624000000,"open":"28050.0","high":"28150","low":"28020","close":"28100","volume":"12.3"}],
 *  "more_candles":false}: oldest first; `from` and `to` in seconds.
 * https://docs.kraken.com/api/docs/futures-api/charts/candles [D]
 */
export const candles: WireRoute = {
  path: '/api/charts/v1/trade/:symbol/:resolution',
  async answer(question) {
    const { market, params, query, nowMs } = question;
    const listing = findListing(market, params['symbol'] ?? '');
    const resolution = params['resolution'] ?? '';
    const intervalMs = RESOLUTIONS.includes(resolution) ? intervalMsOf(resolution) : undefined;
    if (!listing || intervalMs === undefined) return new Reply({ error: 'not found' }, 404);
    const [from, to] = [query.get('from'), query.get('to')];
    const range = newestOf({
      intervalMs,
      nowMs,
      startMs: from === null ? undefined : Number(from) * 1000,
      endMs: to === null ? undefined : Number(to) * 1000,
      count: CANDLES_MAX,
      hasEmpty: false,
    });
    if (!range) return new Reply({ error: 'invalid from or to' }, 400);
    const source = {
      market: tradeMarket(market, listing),
      read: (deal: TapeDeal) => ({ price: priceOf(deal.price, listing), size: sizeIn(listing, deal) }),
    };
    const read = await readKlines(question, source, range);
    const rows = read.map(({ openMs, open, high, low, close, size }) => ({
      time: openMs,
      open: String(open),
      high: String(high),
      low: String(low),
      close: String(close),
      volume: String(Number(size.toFixed(listing.sizeDecimals))),
    }));
    return new Reply({ candles: rows, more_candles: false });
  },
};
