import { Type } from 'typebox';
import { count, flag, number, orNull, resource, text, timeMs } from '../../http/field.ts';
import { choice } from '../../http/parameter.ts';
import { sideTotals } from '../perps/schema.ts';

const longUsd = number('Liquidated longs in USD.', { minimum: 0 });
const shortUsd = number('Liquidated shorts in USD.', { minimum: 0 });

export const historyIntervals = ['1h', '1d'] as const;

export const LiquidationHistory = resource(
  'LiquidationHistory',
  'Liquidations of all coins over time. An hour that was not recorded is missing, never 0.',
  {
    interval: choice(historyIntervals, { description: 'Length of a point.' }),
    points: Type.Array(
      Type.Object({
        ts: timeMs('Start of the hour, or of the UTC day.'),
        longUsd,
        shortUsd,
        measured: sideTotals('Reported by venues.'),
        inferred: sideTotals('Inferred from the tape of the primary venue.'),
        byVenue: Type.Record(Type.String(), Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), {
          description: 'Venue id to liquidated longs and shorts in USD; venues without any are left out.',
        }),
        complete: flag(
          'Whether it has ended and every venue of `venues` was connected throughout, but for less than a minute an hour.',
        ),
        unconverted: Type.Optional(
          flag(
            'True when the rate of USDT or USDC was not known for some of them: these count each as one dollar.',
          ),
        ),
      }),
      { description: 'Recorded hours or days, oldest first.' },
    ),
    venues: Type.Array(
      Type.Object({
        venue: text('Venue id.'),
        longUsd,
        shortUsd,
        count: count('Number of liquidations.'),
        method: orNull(
          choice(['measured', 'inferred', 'both'], { description: 'How they are known.' }),
          'How they are known: reported by the venue, inferred from its tape, or some of each; null when there are none.',
        ),
        sinceTs: timeMs('Start of its first recorded hour in the range.'),
        connectedShare: number(
          'Share of the time from the first recorded hour of the range until now with its feed connected.',
          { minimum: 0, maximum: 1 },
        ),
      }),
      { description: 'Every venue that was recorded in the range, the largest first.' },
    ),
    coins: Type.Array(Type.Object({ coin: text('Ticker of the coin.'), longUsd, shortUsd }), {
      description: 'The 20 coins with the largest sums in the range, the largest first.',
    }),
    recordingSince: orNull(
      Type.Integer(),
      'Start of the oldest recorded hour, in milliseconds since the Unix epoch; null when none is recorded.',
    ),
    retention: text('How far back hours are kept (`90d`), rolling.'),
    fetchedAt: timeMs('Until when a feed was connected.'),
  },
  {
    interval: '1h',
    points: [
      {
        ts: 1_789_995_600_000,
        longUsd: 1_240_113.5,
        shortUsd: 112_004.25,
        measured: { longUsd: 1_000_000, shortUsd: 112_004.25, count: 41 },
        inferred: { longUsd: 240_113.5, shortUsd: 0, count: 3 },
        byVenue: { bybit: [1_000_000, 112_004.25], hyperliquid: [240_113.5, 0] },
        complete: true,
      },
    ],
    venues: [
      {
        venue: 'bybit',
        longUsd: 1_000_000,
        shortUsd: 112_004.25,
        count: 41,
        method: 'measured',
        sinceTs: 1_789_995_600_000,
        connectedShare: 0.998,
      },
    ],
    coins: [{ coin: 'BTC', longUsd: 900_000, shortUsd: 80_000 }],
    recordingSince: 1_789_395_600_000,
    retention: '90d',
    fetchedAt: 1_790_000_000_000,
  },
);
