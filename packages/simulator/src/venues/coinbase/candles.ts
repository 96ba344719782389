import type { TapeDeal } from '../../market/tape.ts';
import { newestOf } from '../kline-window.ts';
import { readKlines } from '../klines.ts';
import { printPrice, printSize } from '../spot-pairs.ts';
import { spotTrades } from '../spot-trades.ts';
import { type Question, Reply } from '../wire.ts';
import type { Product } from './products.ts';

const GRANULARITIES = [60, 300, 900, 3600, 21_600, 86_400];
const CANDLES_MAX = 300;

/**
 * [1415398768,0.32,4.2,0.35,4.2,12.3]: seconds, low, high, open, close, coins; newest first, without intervals where nothing
 * traded. https://docs.cdp.coinbase.com/api-reference/exchange-api/rest-api/products/get-product-candles [D]
 */
export async function answerCandles(product: Product, question: Question): Promise<Reply> {
  const { query, nowMs, market } = question;
  const granularity = Number(query.get('granularity') ?? 60);
  if (!GRANULARITIES.includes(granularity)) return new Reply({ message: 'Unsupported granularity' }, 400);
  const range = newestOf({
    intervalMs: granularity * 1000,
    nowMs,
    startMs: timeOf(query.get('start')),
    endMs: timeOf(query.get('end')),
    count: CANDLES_MAX,
    hasEmpty: false,
  });
  if (!range) return new Reply({ message: 'Invalid start or end' }, 400);
  const source = {
    market: spotTrades(market, product.id, product),
    read: ({ price, size }: TapeDeal) => ({
      price: Number(printPrice(price, product)),
      size: Number(printSize(size)),
    }),
  };
  const read = await readKlines(question, source, range);
  const rows = read.map(({ openMs, open, high, low, close, size }) => [
    openMs / 1000,
    low,
    high,
    open,
    close,
    Number(size.toFixed(8)),
  ]);
  return new Reply(rows.toReversed());
}

/** Seconds, or a date in text. */
function timeOf(text: string | null): number | undefined {
  if (text === null) return undefined;
  return /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text);
}
