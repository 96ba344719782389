import { hourVerdicts } from '@crosstape/core';
import { Type } from 'typebox';
import { count, flag, number, resource, text, timeMs } from '../../http/field.ts';
import { choice } from '../../http/parameter.ts';

const verdict = choice(hourVerdicts, {
  description:
    "`equal`: every proven figure of every minute is the same. `within`: at most 0.1 % apart. `differs`: further apart in minutes without a reported gap. `incomplete`: `/coverage` reports a gap in the hour. `unavailable`: the venue's candles could not be read.",
});

const figures = {
  volume: number('Volume in coins.', { minimum: 0 }),
  buyVolume: Type.Optional(number('Volume of buying takers in coins.', { minimum: 0 })),
  notionalUsd: Type.Optional(number('Sum of price × size, in the quote currency.', { minimum: 0 })),
  trades: Type.Optional(count('Number of trades.')),
};
const diffPct = Type.Optional(
  number("Volume that is on one side only, minute by minute, in percent of the venue's.", { minimum: 0 }),
);

const minute = Type.Object({
  ts: timeMs('Start of the minute.'),
  figures: Type.Array(
    choice(['prices', 'volume', 'buyVolume', 'notional', 'trades'], { description: 'A figure.' }),
    {
      description: 'What is not the same; `prices` are open, high, low and close.',
    },
  ),
  ours: Type.Optional(Type.Object(figures, { description: 'Absent where nothing is recorded.' })),
  venue: Type.Optional(Type.Object(figures, { description: 'Absent where the venue has no trade.' })),
  isReported: flag('Whether `/coverage` reports a gap in the minute.'),
});

export const AuditHour = resource(
  'AuditHour',
  "A recorded hour of a market against the venue's own candles of it.",
  {
    market: text('Id of the market.'),
    hour: timeMs('Start of the hour.'),
    verdict,
    ours: Type.Object(figures, {
      description: "Recorded; only the volume and what the venue's candles prove.",
    }),
    venue: Type.Optional(Type.Object(figures, { description: 'Of the venue; absent while unavailable.' })),
    diffPct,
    minutes: Type.Optional(Type.Array(minute, { description: 'The minutes that are not the same.' })),
    reason: Type.Optional(text('Why it is unavailable.')),
    refill: Type.Optional(
      Type.Object(
        {
          trades: count('Trades that the venue returned and the tape lacks.'),
          isRepaired: flag(
            "Whether the hour agrees with the venue's candles with these trades. They are in the lake's `repaired_trades`; the tape stays as it was released.",
          ),
          reason: Type.Optional(text('Why the venue returned none.')),
        },
        {
          description:
            'Of an hour that differs or has a reported gap, on a market whose trades are numbered: the minutes were requested from the venue again.',
        },
      ),
    ),
  },
  {
    market: 'hyperliquid:BTC',
    hour: 1_789_992_000_000,
    verdict: 'incomplete',
    ours: { volume: 612.4075, trades: 15_311 },
    venue: { volume: 613.1075, trades: 15_330 },
    diffPct: 0.114,
    minutes: [
      {
        ts: 1_789_993_200_000,
        figures: ['volume', 'trades'],
        ours: { volume: 9.1, trades: 240 },
        venue: { volume: 9.8, trades: 259 },
        isReported: true,
      },
    ],
    refill: { trades: 0, isRepaired: false },
  },
);

const worstHour = Type.Object({
  market: text('Id of the market.'),
  hour: timeMs('Start of the hour.'),
  verdict,
  diffPct,
});

export const AuditSummary = resource(
  'AuditSummary',
  'How many recorded hours are the same as the venues have them, by venue and day.',
  {
    days: Type.Array(
      Type.Object({
        venue: text('Id of the venue; spot markets under their own id, such as `binance-spot`.'),
        day: timeMs('Start of the UTC day.'),
        equal: count('Hours that are equal.'),
        within: count('Hours at most 0.1 % apart.'),
        differs: count('Hours that differ.'),
        incomplete: count('Hours with a reported gap.'),
        unavailable: count("Hours whose venue's candles could not be read."),
      }),
      { description: 'Oldest first. An hour is one of one market.' },
    ),
    worst: Type.Array(worstHour, {
      description: 'At most ten hours: those that differ first, then those furthest apart.',
    }),
    nextAt: Type.Optional(
      timeMs('When the next hour is due; absent until the hours before the start have been compared.'),
    ),
  },
  {
    days: [
      {
        venue: 'hyperliquid',
        day: 1_789_948_800_000,
        equal: 4_310,
        within: 0,
        differs: 0,
        incomplete: 12,
        unavailable: 0,
      },
    ],
    worst: [{ market: 'hyperliquid:BTC', hour: 1_789_992_000_000, verdict: 'incomplete', diffPct: 0.114 }],
    nextAt: 1_790_003_100_000,
  },
);

export const AuditDayMarket = resource(
  'AuditDayMarket',
  'The verdicts of a market on one day.',
  {
    market: text('Id of the market.'),
    hours: Type.Array(Type.Object({ hour: timeMs('Start of the hour.'), verdict, diffPct }), {
      description: 'Oldest first; hours that were not compared are absent.',
    }),
  },
  {
    market: 'hyperliquid:BTC',
    hours: [{ hour: 1_789_992_000_000, verdict: 'incomplete', diffPct: 0.114 }],
  },
);
