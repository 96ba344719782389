import { Type } from 'typebox';
import { choice } from '../../http/parameter.ts';
import { count, flag, number, orNull, resource, text, timeMs } from '../../http/field.ts';

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
        to: timeMs('End, not included.'),
        reason: text('Why trades are or may be missing.'),
      }),
      { description: 'Gaps of the tape that could not be refilled.' },
    ),
    degraded: flag('Whether only the newest trades were used.'),
    tick: number('Price increment in USD.'),
    buildMs: number('How long the build took, in milliseconds.'),
    market: Type.Optional(
      text('Of a build over a market of another venue: its id. Of one over several markets: `perp:BTC`.'),
    ),
    merged: Type.Optional(
      Type.Object(
        {
          reference: text('Id of the market whose prices are shown.'),
          price: number('Its last price.'),
          members: Type.Array(
            Type.Object({
              market: text('Id of the market.'),
              trades: count('Trades of it in the bars.'),
              cursor: orNull(
                Type.Object({ ts: timeMs('Time of the last trade.'), count: count('Trades at that time.') }),
                'Where on its tape to carry on from: `since` of the channel `trades`. Null when it is no longer recorded.',
              ),
            }),
            { description: 'Every market that was read.' },
          ),
        },
        { description: 'Of a build over several markets: what it was merged from.' },
      ),
    ),
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
    status: choice(['queued', 'running', 'done', 'error'], { description: 'Job status.' }),
    pct: number('Progress, 0 to 1.', { minimum: 0, maximum: 1 }),
    trades: count('Trades read so far.'),
    totalTrades: count('Trades to read.'),
    bars: count('Bars closed so far.'),
    resultKey: Type.Optional(text('Key of the result, once done.')),
    error: Type.Optional(text('What went wrong.')),
    stats: Type.Optional(RotationStats),
    submittedAt: Type.Optional(timeMs('When it was submitted, and where its window ends.')),
  },
  {
    status: 'running',
    pct: 0.4,
    trades: 481_732,
    totalTrades: 1_204_331,
    bars: 301,
    submittedAt: 1_790_000_000_000,
  },
);

export const Bar = resource(
  'Bar',
  'A bar. Kinds may add numbers of their own, such as `boxes` of a point-and-figure column.',
  {
    index: count('Counts the bars of a build from 0, also across resumes.'),
    openTs: timeMs('First trade; of `time` bars the start of the interval.'),
    closeTs: timeMs('Last trade; of `time` bars the last millisecond of the interval.'),
    open: number('First price in USD.'),
    high: number('Highest price in USD.'),
    low: number('Lowest price in USD.'),
    close: number('Last price in USD.'),
    volume: number('Traded size in units of the coin.'),
    buyVolume: number('Taker-buy part of the volume.'),
    notionalUsd: number('Price times size of all trades, in USD.'),
    trades: count('Number of trades.'),
    delta: number('Bought less sold size, in units of the coin.'),
    minDelta: number('Lowest delta within the bar, 0 at its start included.'),
    maxDelta: number('Highest delta within the bar, 0 at its start included.'),
    direction: Type.Integer({ description: '1 up, −1 down, 0 neither.', minimum: -1, maximum: 1 }),
    complete: flag('False when a gap meets the time from the previous close to this one.'),
  },
  {
    index: 0,
    openTs: 1_789_913_600_004,
    closeTs: 1_789_913_661_312,
    open: 105_931,
    high: 105_951,
    low: 105_931,
    close: 105_948,
    volume: 12.40312,
    buyVolume: 8.1,
    notionalUsd: 1_314_013.22,
    trades: 412,
    delta: 3.79688,
    minDelta: -0.2,
    maxDelta: 4.1,
    direction: 1,
    complete: true,
  },
);

export const PackedResult = resource(
  'PackedResult',
  'A result pack within JSON.',
  {
    encoding: choice(['base64'], { description: 'How `pack` is written.' }),
    pack: text('The gzipped result pack; docs/formats.md describes its layout.'),
  },
  { encoding: 'base64', pack: 'H4sIAAAAAAAAAwMAAAAAAAAAAAA=' },
);

export const RotationResult = resource(
  'RotationResult',
  'A finished build.',
  {
    coin: text('Ticker of the coin.'),
    kind: text('Kind of bars.'),
    params: Type.Record(Type.String(), Type.Union([Type.Number(), Type.String()]), {
      description: 'Parameters of the kind, defaults included.',
    }),
    tick: number('Price increment in USD.'),
    bars: Type.Array(Bar, { description: 'Closed bars, oldest first.' }),
    open: orNull(Bar, 'The bar in progress; null when there is none.'),
    state: text('State of the builder in base64, to carry on from.'),
    stats: RotationStats,
  },
  {
    coin: 'BTC',
    kind: 'range',
    params: { rangeTicks: 20 },
    tick: 1,
    bars: [],
    open: null,
    state: 'UwEA',
    stats: {
      trades: 0,
      bars: 0,
      firstTs: null,
      lastTs: null,
      gaps: [],
      degraded: false,
      tick: 1,
      buildMs: 3,
    },
  },
);
