import { candleIntervals } from '@crosstape/core';
import { Type } from 'typebox';
import { flag, number, resource, text, timeMs } from '../../http/field.ts';
import { choice } from '../../http/parameter.ts';

function deltas(description: string) {
  return Type.Object(
    {
      deltaCoins: number('Taker-buy less taker-sell volume in the interval, in coins.'),
      deltaUsd: number('The same in USD.'),
      cvdCoins: number('Sum of `deltaCoins` since `start`.'),
      cvdUsd: number('Sum of `deltaUsd` since `start`.'),
    },
    { description },
  );
}

const example = { deltaCoins: 4.25, deltaUsd: 450_206.4, cvdCoins: -12.5, cvdUsd: -1_322_100.2 };

export const CvdSeries = resource(
  'CvdSeries',
  'Cumulative volume delta of a coin over its recorded markets.',
  {
    coin: text('Ticker of the coin.'),
    interval: choice(candleIntervals, { description: 'Length of an interval.' }),
    start: timeMs('Where the running sums begin.'),
    points: Type.Array(
      Type.Object({
        ts: timeMs('Start of the interval.'),
        complete: flag('Whether no gap of any market meets the interval.'),
        markets: Type.Record(Type.String(), Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), {
          description: '`deltaCoins` and `deltaUsd` by the id of each market that traded.',
        }),
        perp: deltas('All perpetuals.'),
        spot: deltas('All spot markets.'),
        all: deltas('All markets.'),
      }),
      { description: 'Oldest first. Intervals without a trade have no point.' },
    ),
  },
  {
    coin: 'BTC',
    interval: '5m',
    start: 1_789_990_000_000,
    points: [
      {
        ts: 1_789_999_800_000,
        complete: true,
        markets: { 'hyperliquid:BTC': [4.25, 450_206.4] },
        perp: example,
        spot: { deltaCoins: 0, deltaUsd: 0, cvdCoins: 0, cvdUsd: 0 },
        all: example,
      },
    ],
  },
);
