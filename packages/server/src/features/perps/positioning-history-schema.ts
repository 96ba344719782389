import { Type } from 'typebox';
import { flag, number, orNull, resource, text, timeMs } from '../../http/field.ts';
import { choice } from '../../http/parameter.ts';

export const PositioningHistorySeries = resource(
  'PositioningHistorySeries',
  "A venue's long/short ratio of a coin over time: one view of the contract that is recorded, or has the most open interest. A missing hour is missing, never repeated.",
  {
    coin: text('Ticker of the coin, as the primary venue spells it (`BTC`, `kPEPE`).'),
    venue: text('Venue id (`binance`).'),
    view: choice(['global', 'top'], { description: '`global`: all accounts; `top`: the largest traders.' }),
    basis: choice(['accounts', 'positions'], {
      description: 'What is counted: accounts, or the size of positions.',
    }),
    points: Type.Array(
      Type.Object({
        t: timeMs('End of the hour that is described.'),
        longFraction: number('Share that is long, 0 to 1.', { minimum: 0, maximum: 1 }),
        longShortRatio: orNull(
          Type.Number({ minimum: 0 }),
          'Long divided by short; null when none is short.',
        ),
        origin: choice(['recorded', 'venue'], {
          description: "Always `venue`: from the venue's own history, requested after each hour.",
        }),
      }),
      { description: 'Hours, oldest first.' },
    ),
    cadenceMs: number('Time between two points in milliseconds: 3600000.'),
    retention: text('How far back hours are kept (`1825d`), rolling.'),
    enabled: flag('False while the history cannot be read; `points` is then empty.'),
    fetchedAt: timeMs('Time of the newest point; without points, of the newest sample of any series.'),
  },
  {
    coin: 'BTC',
    venue: 'binance',
    view: 'global',
    basis: 'accounts',
    points: [{ t: 1_789_999_200_000, longFraction: 0.6123, longShortRatio: 1.5793, origin: 'venue' }],
    cadenceMs: 3_600_000,
    retention: '1825d',
    enabled: true,
    fetchedAt: 1_789_999_200_000,
  },
);
