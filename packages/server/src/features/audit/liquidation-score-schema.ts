import { Type } from 'typebox';
import { count, number, orNull, resource, text, timeMs } from '../../http/field.ts';

const figures = {
  inferred: count('Liquidations that were inferred from the tape.'),
  correct: count('How many of the inferred ones the chain marks as liquidations.'),
  marked: count('Liquidation orders on the chain while the service received trades.'),
  found: count('How many of the marked ones were inferred.'),
  unwatched: count(
    'Liquidation orders on the chain while the service received no trades or measured liquidations; not scored.',
  ),
  inferredUsd: number('Value of the inferred ones, in USD.', { minimum: 0 }),
  markedUsd: number('Value of the marked ones, in USD.', { minimum: 0 }),
  precision: orNull(
    Type.Number({ minimum: 0, maximum: 1 }),
    '`correct` ÷ `inferred`; null when nothing was inferred.',
  ),
  recall: orNull(Type.Number({ minimum: 0, maximum: 1 }), '`found` ÷ `marked`; null when nothing is marked.'),
  notionalErrorPct: orNull(
    Type.Number(),
    'By how many percent `inferredUsd` is above `markedUsd`, or below if negative; null when nothing is marked.',
  ),
};

const example = {
  inferred: 131,
  correct: 104,
  marked: 188,
  found: 104,
  unwatched: 0,
  inferredUsd: 6_204_118.4,
  markedUsd: 7_090_330.12,
  precision: 0.7939,
  recall: 0.5532,
  notionalErrorPct: -12.4989,
};

export const LiquidationScoreDay = resource(
  'LiquidationScoreDay',
  'The inferred liquidations of a day against those that the chain marks.',
  {
    day: text('The UTC day, `YYYY-MM-DD`.'),
    comparedAtMs: timeMs('When it was compared.'),
    hoursMissing: Type.Array(Type.Integer({ minimum: 0, maximum: 23 }), {
      description: 'Hours of the day without fills; they were not compared.',
    }),
    total: orNull(
      Type.Object(figures),
      'All coins together; null when the inferred liquidations of the day were no longer kept (30 days).',
    ),
    coins: Type.Optional(
      Type.Array(Type.Object({ coin: text('Ticker.'), ...figures }), {
        description: 'Every coin with an inferred or marked liquidation; with `day` or `coin` only.',
      }),
    ),
  },
  {
    day: '2026-11-15',
    comparedAtMs: 1_790_000_000_000,
    hoursMissing: [],
    total: example,
    coins: [{ coin: 'BTC', ...example }],
  },
);
