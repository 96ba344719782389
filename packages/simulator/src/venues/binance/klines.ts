import { fillsOf } from '../aggregate.ts';
import type { ExactSum } from '../exact-sum.ts';
import { intervalMsOf, type Kline, type KlineSource, openOf, readKlines } from '../klines.ts';
import type { VenueMarket } from '../../market/venue-market.ts';
import { type Question, Reply, type WireRoute } from '../wire.ts';
import { INVALID_SYMBOL, missing, wrong } from './errors.ts';
import { type BinanceTrades, contractTrades } from './trades.ts';

const INTERVALS = ['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '6h', '8h', '12h', '1d', '1w'];
const LIMIT_DEFAULT = 500;
const LIMIT_MAX = 1500;

/** https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Kline-Candlestick-Data [D] */
export const klines = klinesRoute({
  path: '/fapi/v1/klines',
  weightOf,
  limitMax: LIMIT_MAX,
  find: contractTrades,
});

export function klinesRoute(route: {
  readonly path: string;
  readonly weightOf: (limit: number) => number;
  readonly limitMax: number;
  find(market: VenueMarket, symbol: string): BinanceTrades | undefined;
}): WireRoute {
  const { path, limitMax } = route;
  return {
    path,
    costs: ({ query }) => ({ weight: route.weightOf(Number(query.get('limit') ?? LIMIT_DEFAULT)) }),
    async answer(question) {
      const symbol = question.query.get('symbol');
      if (!symbol) return missing('symbol');
      const printed = route.find(question.market, symbol);
      if (!printed) return INVALID_SYMBOL;
      const { market, decimals } = printed;
      const source: KlineSource = {
        market,
        read: ({ price, size }) => ({
          price: Number(printed.price(price)),
          size: Number(printed.size(size, price)),
        }),
      };
      const rows = await answerKlines(question, source, { limitMax, decimals });
      return typeof rows === 'string' ? wrong(rows) : new Reply(rows);
    },
  };
}

function weightOf(limit: number): number {
  if (limit < 100) return 1;
  if (limit < 500) return 2;
  return limit <= 1000 ? 5 : 10;
}

/** The newest klines, or those from `startTime` on, oldest first; or the invalid parameter. */
async function answerKlines(
  question: Question,
  source: KlineSource,
  rules: { readonly limitMax: number; readonly decimals: { readonly price: number; readonly size: number } },
): Promise<readonly unknown[] | string> {
  const { query, nowMs } = question;
  const name = query.get('interval') ?? '';
  const intervalMs = INTERVALS.includes(name) ? intervalMsOf(name) : undefined;
  if (intervalMs === undefined) return 'interval';
  const limit = Number(query.get('limit') ?? LIMIT_DEFAULT);
  if (!Number.isInteger(limit) || limit < 1 || limit > rules.limitMax) return 'limit';
  const [startMs, endMs] = ['startTime', 'endTime'].map((one) => Number(query.get(one) ?? Number.NaN));
  const hasStart = Number.isFinite(startMs);
  const toMs = Number.isFinite(endMs) ? Math.min(Number(endMs), nowMs) : nowMs;
  const spanMs = (limit - 1) * intervalMs;
  const fromMs = hasStart
    ? openOf(Number(startMs) + intervalMs - 1, intervalMs)
    : openOf(toMs, intervalMs) - spanMs;
  const range = { intervalMs, fromMs, toMs: Math.min(toMs, fromMs + spanMs), hasEmpty: true };
  const read = await readKlines(question, source, range);
  return read.map((kline) => printKline(kline, source, intervalMs, rules.decimals));
}

/**
 * [1499040000000,"0.01634790","0.80000000","0.01575800","0.01577100","148976.11427815",1499644799999,"2434.19055334",308,
 *  "1756.87402397","28.46694368","0"]: the count is of fills, not of aggregate trades [D].
 */
function printKline(
  { openMs, open, high, low, close, ...sums }: Kline,
  { market: { tape } }: KlineSource,
  intervalMs: number,
  decimals: { readonly price: number; readonly size: number },
): readonly unknown[] {
  const price = (value: number): string => value.toFixed(decimals.price);
  const size = (value: ExactSum): string => value.toFixed(decimals.size);
  const worth = (value: ExactSum): string => value.toFixed(8);
  const first = sums.first ?? tape.nextAt(openMs);
  const fills =
    sums.trades === 0 ? 0 : fillsOf({ id: first + sums.trades }).first - fillsOf({ id: first }).first;
  return [
    openMs,
    ...[open, high, low, close].map(price),
    size(sums.size),
    openMs + intervalMs - 1,
    worth(sums.notional),
    fills,
    size(sums.buySize),
    worth(sums.buyNotional),
    '0',
  ];
}
