import type { TapeDeal } from '../../market/tape.ts';
import { intervalMsOf, openOf, readKlines } from '../klines.ts';
import { type Question, Reply, type WireRoute } from '../wire.ts';
import { contractsOf } from './contracts.ts';
import { categoryOf, limitOf, refusal, success, unknownSymbol } from './envelope.ts';
import { type BybitTrades, contractTrades } from './trades.ts';

const MINUTES = ['1', '3', '5', '15', '30', '60', '120', '240', '360', '720'];
const LIMITS = { defaults: 200, max: 1000 };

export const klines: WireRoute = klinesRoute('linear', ({ market, nowMs }, symbol) => {
  const contract = contractsOf(market, nowMs).find(
    (one) => one.symbol === symbol && one.status === 'Trading',
  );
  return contract && contractTrades(market, contract);
});

/**
 * ["1670608800000","17071","17073","17027","17055.5","268611","15.74462667"]: time, prices, coins, worth; newest first.
 * https://bybit-exchange.github.io/docs/v5/market/kline [D]
 */
export function klinesRoute(
  served: 'linear' | 'spot',
  find: (question: Question, symbol: string) => BybitTrades | undefined,
): WireRoute {
  return {
    path: '/v5/market/kline',
    async answer(question) {
      const { query, nowMs } = question;
      const asked = categoryOf(question);
      if (asked instanceof Reply) return asked;
      const limit = limitOf(question, LIMITS.defaults, LIMITS.max);
      if (limit instanceof Reply) return limit;
      const intervalMs = msOf(query.get('interval') ?? '');
      if (intervalMs === undefined) return refusal(10_001, 'Invalid period!', nowMs);
      const symbol = query.get('symbol') ?? '';
      const printed = asked.category === served ? find(question, symbol) : undefined;
      if (!printed) return unknownSymbol(nowMs);
      const toMs = Math.min(nowMs, Number(query.get('end') ?? nowMs));
      const newestMs = openOf(toMs, intervalMs) - (limit - 1) * intervalMs;
      const startMs = openOf(Number(query.get('start') ?? 0) + intervalMs - 1, intervalMs);
      const fromMs = Math.max(newestMs, startMs);
      const source = {
        market: printed.market,
        read: (deal: TapeDeal) => ({ price: Number(printed.price(deal)), size: Number(printed.size(deal)) }),
      };
      const read = await readKlines(question, source, { intervalMs, fromMs, toMs, hasEmpty: true });
      const list = read
        .toReversed()
        .map(({ openMs, open, high, low, close, size, notional }) => [
          String(openMs),
          ...[open, high, low, close].map(String),
          String(Number(size.toFixed(8))),
          String(Number(notional.toFixed(8))),
        ]);
      return success({ symbol, category: served, list }, nowMs);
    },
  };
}

function msOf(interval: string): number | undefined {
  if (interval === 'D' || interval === 'W') return intervalMsOf(`1${interval}`);
  return MINUTES.includes(interval) ? Number(interval) * 60_000 : undefined;
}
