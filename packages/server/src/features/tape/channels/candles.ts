import { type BarBuilder, createBuilder } from '@crosstape/core';
import { Type } from 'typebox';
import { choice } from '../../../http/parameter.ts';
import { count, flag, number, timeMs } from '../../../http/field.ts';
import { interval, intervals, intervalsMs } from './bar-interval.ts';
import { tradeSources } from '../../market-tape/followed-tape.ts';
import { openBars } from './bar-source.ts';
import { gatewayChannel } from '../../channel.ts';

const PUBLISH_EVERY_MS = 100;

export const candles = gatewayChannel({
  name: 'candles',
  summary: 'Bars of the clock as they grow',
  description:
    'The bar in progress, at most ten times a second, and each bar again when it is closed by the first trade of a later one. On joining the bar is whole. Empty intervals have no bar. With `market` the bars of that market, volumes in coins and prices in its quote currency.',
  params: { interval },
  payload: Type.Object(
    {
      interval: choice(intervals, { description: 'Length of the bar.' }),
      openTs: timeMs('Start of the interval.'),
      closeTs: timeMs('Last millisecond of the interval.'),
      open: number('First price in USD.'),
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
  markets: 'one',
  isState: true,
  sources: tradeSources,
  open({ symbol, market, interval: name }, publish, context) {
    const intervalMs = intervalsMs[name];
    const spec = { kind: 'time', params: { intervalMs }, tick: 1 };
    let builder: BarBuilder = createBuilder(spec);
    return openBars({
      context,
      name: { symbol, market },
      intervalMs,
      everyMs: PUBLISH_EVERY_MS,
      publish,
      bar: {
        add: (columns, from, to) => builder.add(columns, from, to),
        clear: () => {
          builder = createBuilder(spec);
        },
        payload(closed) {
          const bar = builder.open;
          if (!bar) throw new Error('a bar without trades was asked for');
          const { openTs, closeTs, open, high, low, close, volume, buyVolume, trades } = bar;
          return {
            interval: name,
            openTs,
            closeTs,
            open,
            high,
            low,
            close,
            volume,
            buyVolume,
            trades,
            closed,
          };
        },
      },
    });
  },
});
