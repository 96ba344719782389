import { flowMetrics } from '@crosstape/core';
import { Type } from 'typebox';
import { choice } from '../../http/parameter.ts';
import { SourceEntry } from '../../http/envelope.ts';
import { flag, number, resource, text, timeMs } from '../../http/field.ts';
import { FlowCoverage } from './schema.ts';

export const FlowHistorySeries = resource(
  'FlowHistorySeries',
  'A flow metric by the minute.',
  {
    coin: text('Ticker of the coin.'),
    metric: choice(flowMetrics, { description: 'Name of the metric.' }),
    interval: choice(['1m'], { description: 'Time between two points.' }),
    points: Type.Array(
      Type.Object({
        t: timeMs('Start of the minute.'),
        v: number('The value, in the unit of the metric.'),
        partial: flag('Whether a source was missing.'),
        stale: flag('Whether a source was stale.'),
        source: text('Where it comes from.'),
        sources: Type.Array(SourceEntry, { description: 'The sources that failed in that minute.' }),
        coverage: FlowCoverage,
      }),
      { description: 'Oldest first.' },
    ),
    retention: text('How far back points are kept, rolling.'),
    enabled: flag('False with empty `points` while the record cannot be read.'),
    fetchedAt: timeMs('When the newest part was fetched.'),
  },
  {
    coin: 'BTC',
    metric: 'flowPressureScore',
    interval: '1m',
    points: [
      {
        t: 1_789_999_980_000,
        v: 34.1,
        partial: false,
        stale: false,
        source: 'coinbase+binance',
        sources: [],
        coverage: { globalSpot: 'full', kimchi: 'live', etfProxy: 'live', primaryMicro: 'live' },
      },
    ],
    retention: '7d',
    enabled: true,
    fetchedAt: 1_790_000_000_000,
  },
);
