import { Type } from 'typebox';
import { SourceEntry } from '../../http/envelope.ts';
import { number, resource, text, timeMs } from '../../http/field.ts';

const coin = text('Ticker of the coin.');

export const FlowExplanation = resource(
  'FlowExplanation',
  'How the figures of an answer were made.',
  {
    formulas: Type.Array(Type.Object({ field: text('Name of a field.'), formula: text('Formula.') }), {
      description: 'Formula by field.',
    }),
    inputs: Type.Array(
      Type.Object({
        coin,
        name: text('Name of the input.'),
        value: number('Its value, in its unit.'),
        unit: text('Its unit.'),
        source: text('The source of the input.'),
        ts: timeMs('Time of the input.'),
      }),
      { description: 'What the figures were made from.' },
    ),
    leftOut: Type.Array(Type.Object({ coin, what: text('What was left out.'), why: text('One sentence.') }), {
      description: 'Excluded inputs and why.',
    }),
  },
  {
    formulas: [{ field: 'basisBps', formula: '(priceUsd / globalMedianUsd − 1) × 10 000' }],
    inputs: [
      {
        coin: 'BTC',
        name: 'last price on binance',
        value: 105_972.4,
        unit: 'USDT',
        source: 'binance',
        ts: 1_789_999_999_400,
      },
    ],
    leftOut: [{ coin: 'BTC', what: 'okx', why: 'The newest price of BTC on okx is old.' }],
  },
);

/** Fields of `meta` of every answer about flows. */
export const flowsMeta = {
  partial: Type.Boolean({
    description: 'True if any of its sources is failing.',
    examples: [false],
  }),
  sources: Type.Array(SourceEntry, {
    description: 'The failing sources; empty when all are well.',
    examples: [[]],
  }),
  explain: Type.Optional(FlowExplanation),
};
