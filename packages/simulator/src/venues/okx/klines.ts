import type { TapeDeal } from '../../market/tape.ts';
import { ExactSum } from '../exact-sum.ts';
import { plainDecimal } from '../plain-decimal.ts';
import { intervalMsOf, openOf, readKlines } from '../klines.ts';
import type { Question, Reply } from '../wire.ts';
import type { Call } from './call.ts';
import { failure, success } from './envelope.ts';
import type { FindTrades } from './trades.ts';

const BARS = ['1m', '3m', '5m', '15m', '30m', '1H', '2H', '4H', '6Hutc', '12Hutc', '1Dutc', '1Wutc'];
const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 300;

export function klineCalls(find: FindTrades): readonly Call[] {
  const answer = (question: Question): Promise<Reply> => answerKlines(question, find);
  return [
    { path: '/api/v5/market/candles', max: 40, answer },
    { path: '/api/v5/market/history-candles', max: 20, answer },
  ];
}

/**
 * ["1597026383085","3.721","3.743","3.677","3.708","8422410","22698348.04828491","12698348.04828491","0"]: time, prices,
 * contracts (of pairs coins), coins, worth, and whether it is complete; newest first, before the time `after`.
 * https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-candlesticks [D]
 */
async function answerKlines(question: Question, find: FindTrades): Promise<Reply> {
  const { query, nowMs } = question;
  const printed = find(question.market, query.get('instId') ?? '');
  if (!printed) return failure('51001', "Instrument ID, Instrument ID code, or Spread ID doesn't exist.");
  const bar = query.get('bar') ?? '1m';
  const intervalMs = BARS.includes(bar) ? intervalMsOf(bar.replace('utc', '')) : undefined;
  if (intervalMs === undefined) return failure('51000', 'Parameter bar error', 400);
  const limit = Math.min(LIMIT_MAX, Number(query.get('limit') ?? LIMIT_DEFAULT));
  if (!(limit >= 1)) return failure('51000', 'Parameter limit error', 400);
  const toMs = Math.min(nowMs, Number(query.get('after') ?? nowMs + 1) - 1);
  const newestMs = openOf(toMs, intervalMs) - (limit - 1) * intervalMs;
  const fromMs = Math.max(
    newestMs,
    openOf(Number(query.get('before') ?? -intervalMs), intervalMs) + intervalMs,
  );
  const source = {
    market: printed.market,
    read: (deal: TapeDeal) => ({ price: Number(printed.price(deal)), size: printed.size(deal) }),
  };
  const read = await readKlines(question, source, { intervalMs, fromMs, toMs, hasEmpty: true });
  const contract = ExactSum.of(printed.contractSize);
  const rows = read
    .toReversed()
    .map(({ openMs, open, high, low, close, size, notional }) => [
      String(openMs),
      ...[open, high, low, close].map((price) => plainDecimal(ExactSum.of(price), 12)),
      plainDecimal(size, printed.sizeDecimals),
      plainDecimal(size.times(contract), 8),
      plainDecimal(notional.times(contract), 8),
      openMs + intervalMs <= nowMs ? '1' : '0',
    ]);
  return success(rows);
}
