import { Footprint, type FootprintLevel } from '@crosstape/core';
import { Type } from 'typebox';
import { choice } from '../../../http/parameter.ts';
import { flag, number, orNull, timeMs } from '../../../http/field.ts';
import { tradeSources } from '../../market-tape/followed-tape.ts';
import { interval, intervals, intervalsMs } from './bar-interval.ts';
import { openBars } from './bar-source.ts';
import { gatewayChannel } from '../../channel.ts';

const PUBLISH_EVERY_MS = 1_000;

export const footprint = gatewayChannel({
  name: 'footprint',
  summary: 'Volume at each price of a bar as it grows',
  description:
    'Like `candles`: the bar in progress, at most once a second, and each bar again when it is closed. On joining the bar is whole. All sums are exact. With `market` it is of that market, in coins and its quote currency.',
  params: { interval },
  markets: 'one',
  payload: Type.Object(
    {
      interval: choice(intervals, { description: 'Length of the bar.' }),
      openTs: timeMs('Start of the interval.'),
      closeTs: timeMs('Last millisecond of the interval.'),
      levels: Type.Unsafe<readonly FootprintLevel[]>(
        Type.Array(Type.Array(Type.Number(), { minItems: 3, maxItems: 3 }), {
          description: 'Lowest price first, each `[price, buyVolume, sellVolume]` in coins.',
        }),
      ),
      poc: orNull(Type.Number(), 'The price with the most volume, the lower one of two alike.'),
      delta: number('Volume of buying takers minus that of selling ones, in coins.'),
      volume: number('Volume in coins.', { minimum: 0 }),
      closed: flag('Whether the bar will not change any more.'),
    },
    {
      examples: [
        {
          interval: '1m',
          openTs: 1_789_999_980_000,
          closeTs: 1_790_000_039_999,
          levels: [
            [105_930, 0.75, 1.5],
            [105_931, 2, 0],
          ],
          poc: 105_930,
          delta: 1.25,
          volume: 4.25,
          closed: false,
        },
      ],
    },
  ),
  isState: true,
  sources: tradeSources,
  open({ symbol, market, interval: length }, publish, context) {
    const intervalMs = intervalsMs[length];
    const sums = new Footprint();
    let openTs = 0;
    return openBars({
      context,
      name: { symbol, market },
      intervalMs,
      everyMs: PUBLISH_EVERY_MS,
      publish,
      bar: {
        add(columns, from, to) {
          openTs = Math.floor((columns.ts[from] as number) / intervalMs) * intervalMs;
          sums.add(columns, from, to);
        },
        clear: () => sums.clear(),
        payload(closed) {
          const { levels, poc, delta, volume } = sums.totals();
          return {
            interval: length,
            openTs,
            closeTs: openTs + intervalMs - 1,
            levels,
            poc,
            delta,
            volume,
            closed,
          };
        },
      },
    });
  },
});
