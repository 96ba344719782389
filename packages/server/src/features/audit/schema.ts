import { Type } from 'typebox';
import { count, flag, number, resource, text, timeMs } from '../../http/field.ts';
import { choice } from '../../http/parameter.ts';

const counts = {
  chain: count('Trades on the chain.'),
  tape: count('Trades on the tape.'),
  matched: count('Trades that are the same on both.'),
  missing: count('Trades on the chain that are not on the tape.'),
  missingReported: count('How many of the missing trades lie in a gap that `/coverage` reports.'),
  extra: count('Trades on the tape that are not on the chain.'),
  different: count('Trades on both with another time, side, price or size.'),
};

const figures = {
  ts: timeMs('Time of the trade at the venue.'),
  side: choice(['buy', 'sell'], { description: 'Side of the taker.' }),
  price: number('Price.'),
  size: number('Size in coins.'),
};

const difference = Type.Object({
  coin: text('Ticker.'),
  ts: timeMs('Time of the trade at the venue.'),
  tid: Type.Integer({ description: "The venue's id of the trade." }),
  isReported: Type.Optional(flag('Of a missing trade: whether `/coverage` reports a gap there.')),
  tape: Type.Optional(Type.Object(figures, { description: 'Of a different trade: what the tape has.' })),
  chain: Type.Optional(Type.Object(figures, { description: 'Of a different trade: what the chain has.' })),
});

const LISTED = 'At most 100; with `day` only.';

export const FillsReconciliation = resource(
  'FillsReconciliation',
  'A recorded day of the primary venue against the fills that the chain publishes.',
  {
    day: text('The UTC day, `YYYY-MM-DD`.'),
    comparedAtMs: timeMs('When it was compared.'),
    verdict: choice(['equal', 'incomplete', 'differs'], {
      description:
        '`equal`: every trade matches. `incomplete`: what is missing lies in reported gaps, or hours of the fills were not available. `differs`: a trade is missing silently, extra or different.',
    }),
    hoursMissing: Type.Array(Type.Integer({ minimum: 0, maximum: 23 }), {
      description: 'Hours of the day without fills; they were not compared.',
    }),
    refused: count('Lines of the fills that could not be read.'),
    coinsNotRecorded: count('Coins on the chain that are not recorded, such as spot pairs.'),
    total: Type.Object(counts, { description: 'All coins together.' }),
    coins: Type.Optional(
      Type.Array(Type.Object({ coin: text('Ticker.'), ...counts }), {
        description: 'Every coin with trades; with `day` only.',
      }),
    ),
    missing: Type.Optional(Type.Array(difference, { description: LISTED })),
    extra: Type.Optional(Type.Array(difference, { description: LISTED })),
    different: Type.Optional(Type.Array(difference, { description: LISTED })),
  },
  {
    day: '2026-11-15',
    comparedAtMs: 1_790_000_000_000,
    verdict: 'incomplete',
    hoursMissing: [],
    refused: 0,
    coinsNotRecorded: 212,
    total: {
      chain: 606_996,
      tape: 606_985,
      matched: 606_985,
      missing: 11,
      missingReported: 11,
      extra: 0,
      different: 0,
    },
    coins: [
      {
        coin: 'BTC',
        chain: 250_001,
        tape: 249_990,
        matched: 249_990,
        missing: 11,
        missingReported: 11,
        extra: 0,
        different: 0,
      },
    ],
    missing: [{ coin: 'BTC', ts: 1_789_999_000_123, tid: 229_986_151_112_628, isReported: true }],
    extra: [],
    different: [],
  },
);
