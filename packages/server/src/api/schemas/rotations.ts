import { Type } from 'typebox';
import { choice } from '../parameter.ts';
import { count, flag, number, resource, text, timeMs } from './field.ts';

export const RotationBuild = resource(
  'RotationBuild',
  'A build that was submitted.',
  {
    jobId: text('Id of the job.'),
    cacheKey: Type.String({ pattern: '^rot:res:', description: 'Key under which the result will be found.' }),
    cached: flag('Whether an identical build of the last 5 minutes is used.'),
    degraded: flag('Whether it covers only the newest trades, because the record cannot be used.'),
  },
  { jobId: 'b-8f2k1', cacheKey: 'rot:res:4f2a9c', cached: false, degraded: false },
);

export const RotationStats = resource(
  'RotationStats',
  'What a build was made from.',
  {
    trades: count('Trades read.'),
    bars: count('Closed bars.'),
    firstTs: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Time of the first trade; null without any.',
    }),
    lastTs: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Time of the last trade; null without any.',
    }),
    gaps: Type.Array(
      Type.Object({
        from: timeMs('Start.'),
        to: timeMs('End.'),
        reason: text('Why nothing was recorded.'),
      }),
      { description: 'Where the record has holes.' },
    ),
    degraded: flag('Whether only the newest trades were used.'),
    tick: number('Price increment in USD.'),
    buildMs: number('How long the build took, in milliseconds.'),
  },
  {
    trades: 1_204_331,
    bars: 812,
    firstTs: 1_789_913_600_004,
    lastTs: 1_789_999_999_812,
    gaps: [{ from: 1_789_950_000_000, to: 1_789_950_004_000, reason: 'disconnected' }],
    degraded: false,
    tick: 1,
    buildMs: 212,
  },
);

export const RotationJob = resource(
  'RotationJob',
  'A build under way.',
  {
    status: choice(['queued', 'running', 'done', 'error'], { description: 'Where the job stands.' }),
    pct: number('Progress, 0 to 1.', { minimum: 0, maximum: 1 }),
    trades: count('Trades read so far.'),
    totalTrades: count('Trades to read.'),
    bars: count('Bars closed so far.'),
    resultKey: Type.Optional(text('Key of the result, once done.')),
    error: Type.Optional(text('What went wrong.')),
    stats: Type.Optional(RotationStats),
  },
  { status: 'running', pct: 0.4, trades: 481_732, totalTrades: 1_204_331, bars: 301 },
);
