import { type Candle, CandleFold, candleRow } from '@crosstape/core';
import { Type } from 'typebox';
import { choice } from '../../../http/parameter.ts';
import { count, flag, number, timeMs } from '../../../http/field.ts';
import { tradeSources } from '../../market-tape/followed-tape.ts';
import { candleLength, type CandleLength, candleLengths, candleLengthsMs } from './bar-interval.ts';
import { openBars } from './bar-source.ts';
import { gatewayChannel } from '../../channel.ts';

const PUBLISH_EVERY_MS = 100;

export const candles = gatewayChannel({
  name: 'candles',
  summary: 'Bars of the clock as they grow',
  description:
    'The bar in progress, at most ten times a second, and each bar again when it is closed by the first trade of a later one. On joining the bar is whole. Empty intervals have no bar. Every figure equals that of `/candles`: to continue an answer of it, subscribe with `since`, the start of its newest candle, and let a bar received here replace one with the same start. With `market` it is of that market, in coins and its quote currency.',
  params: { interval: candleLength },
  markets: 'one',
  payload: Type.Object(
    {
      interval: choice(candleLengths, { description: 'Length of the bar.' }),
      openTs: timeMs('Start of the interval.'),
      closeTs: timeMs('Last millisecond of the interval.'),
      open: number('First price in USD; of a market, in its quote currency.'),
      high: number('Highest price in USD.'),
      low: number('Lowest price in USD.'),
      close: number('Last price in USD.'),
      volume: number('Volume in coins.', { minimum: 0 }),
      buyVolume: number('Volume of buying takers in coins.', { minimum: 0 }),
      trades: count('Number of trades.'),
      closed: flag('Whether the bar will not change any more.'),
    },
    {
      examples: [
        {
          interval: '1m',
          openTs: 1_789_999_980_000,
          closeTs: 1_790_000_039_999,
          open: 105_900,
          high: 105_940,
          low: 105_885,
          close: 105_931,
          volume: 12.4075,
          buyVolume: 7.0311,
          trades: 311,
          closed: false,
        },
      ],
    },
  ),
  isState: true,
  since: Type.Integer({
    minimum: 0,
    description:
      'Start of the first candle wanted, in milliseconds since the Unix epoch, at most 1,000 candles back: those that are closed come first, each once, then `caughtUp`, then the one in progress. For intervals of `/candles`.',
  }),
  sources: tradeSources,
  open({ symbol, market, interval: name }, publish, context) {
    const intervalMs = candleLengthsMs[name];
    let fold = new CandleFold(intervalMs);
    return openBars({
      context,
      name: { symbol, market },
      intervalMs,
      everyMs: PUBLISH_EVERY_MS,
      publish,
      bar: {
        add: (columns, from, to) => fold.add(columns, from, to),
        clear: () => {
          fold = new CandleFold(intervalMs);
        },
        payload(closed) {
          if (!fold.open) throw new Error('a bar without trades was requested');
          return candlePayload(fold.open, name, closed);
        },
      },
    });
  },
});

/** A candle as the channel sends it. */
export function candlePayload(candle: Candle, interval: CandleLength, closed: boolean) {
  const row = candleRow(candle, null);
  const { ts, open, high, low, close, volume, buyVolume = 0, trades = 0 } = row;
  const closeTs = ts + candleLengthsMs[interval] - 1;
  return { interval, openTs: ts, closeTs, open, high, low, close, volume, buyVolume, trades, closed };
}
