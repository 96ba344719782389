import { barKinds } from '@crosstape/core';
import { Type } from 'typebox';
import { DAYS_DEFAULT, DAYS_MAX, WINDOW_DAYS_MAX } from './rotation-spec.ts';
import { choice, coinName, marketName } from '../../http/parameter.ts';

/** Fields that define a build, in the body of a request and in a frame. */
export const rotationFields = {
  coin: Type.Optional(coinName({ description: 'Ticker, in any case. Required without `market`.' })),
  market: Type.Optional(
    marketName({
      description:
        'Market of any recorded venue instead of `coin`, in any case: `binance:BTCUSDT`; `/markets/recorded` lists them. `perp:BTC`, `spot:BTC` and `all:BTC` merge the trades of all recorded markets of a coin into one tape, in the order of their times, over at most 7 days: prices are those of the reference market, as of candles, and trades of the others count at its last price.',
    }),
  ),
  kind: choice(
    barKinds.map(({ name }) => name),
    { description: 'Kind of bars.' },
  ),
  params: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.Number(), Type.String()]), {
      description: 'Parameters of the kind.',
      allowed: 'an object of numbers and texts',
    }),
  ),
  days: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: DAYS_MAX,
      default: DAYS_DEFAULT,
      description: 'How far back from now; fractions are allowed.',
    }),
  ),
  from: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'Start of the window in milliseconds since the Unix epoch, instead of `days`: as far back as there is a record, archived days included.',
    }),
  ),
  to: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: `End of the window, not included, at most ${WINDOW_DAYS_MAX} days after \`from\`. Omitted: now.`,
    }),
  ),
  tick: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      description:
        "Price increment in USD, with at most 8 decimals. Omitted: the venue's own at the last price.",
    }),
  ),
  degraded: Type.Optional(
    Type.Boolean({
      description:
        '`true`: from the last 1,000 trades in memory; `false`: never from these. Omitted: from these when the record cannot be read or holds no trade of the window.',
      allowed: 'true or false',
    }),
  ),
};
