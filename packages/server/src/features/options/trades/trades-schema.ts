import { Type } from 'typebox';
import { count, number, resource, text, timeMs } from '../../../http/field.ts';
import { choice } from '../../../http/parameter.ts';
import { Side } from '../../perps/schema.ts';
import { Underlying, OptionType } from '../schema.ts';

const strike = number('Strike in USD.');

const trade = {
  ts: 1_790_000_000_123,
  id: '415305279',
  instrument: 'BTC-27NOV26-100000-C',
  underlying: 'BTC' as const,
  strike: 100_000,
  expiryMs: 1_795_766_400_000,
  type: 'C' as const,
  side: 'buy' as const,
  price: 0.0525,
  priceUsd: 5_561.4,
  size: 25,
  premiumUsd: 139_034.96,
  iv: 45.91,
  markPrice: 0.05253883,
  indexPrice: 105_931.4,
  delta: 0.71,
  vega: 52.1,
  block: 'BLOCK-282155',
  blockLegs: 2,
  combo: 'BTC-CS-27NOV26-100000_110000',
  liquidated: 'taker' as const,
  venueInstrument: 'BTC-27NOV26-100000-C',
};

export const OptionTradeRow = resource(
  'OptionTradeRow',
  'One trade of an option.',
  {
    ts: timeMs('When it happened, by the venue.'),
    id: text("The venue's id of the trade."),
    instrument: text('Name of the form `<UNDERLYING>-<DDMMMYY>-<strike>-<C or P>`.'),
    underlying: Underlying,
    strike,
    expiryMs: timeMs('When the option expires.'),
    type: OptionType,
    side: Side,
    price: number('Price as quoted: in coins, or in USDC where the option is settled in it.', { minimum: 0 }),
    priceUsd: number('Price in USD: at the index where it is quoted in coins.', { minimum: 0 }),
    size: number('Size in coins.', { minimum: 0 }),
    premiumUsd: number(
      'Premium in USD: price × index × size where it is quoted in coins, price × size in USDC.',
      { minimum: 0 },
    ),
    iv: number('Implied volatility of the price, in percent; 0 where it has none.', { minimum: 0 }),
    markPrice: number('Mark price at that time, as quoted.', { minimum: 0 }),
    indexPrice: number('Index at that time, in USD.', { minimum: 0 }),
    delta: number(
      'Change of the price of one coin of the option per dollar that the forward moves: Black-76 with `iv`, and the index times the ratio of forward to index in the chain.',
    ),
    vega: number('Change of that price in USD per percentage point of volatility.'),
    block: Type.Optional(text('Id of the block trade that it is a leg of.')),
    blockLegs: Type.Optional(count('How many legs the block trade has.')),
    combo: Type.Optional(text('The combination that it was traded in, by the name of the venue.')),
    liquidated: Type.Optional(
      choice(['maker', 'taker', 'both'], { description: 'Who was liquidated with it.' }),
    ),
    venueInstrument: text("The venue's own name of the option."),
  },
  trade,
);

const sums = {
  trades: 412,
  boughtUsd: 5_204_113.2,
  soldUsd: 3_912_204.8,
  netUsd: 1_291_908.4,
  boughtCoins: 912.4,
  soldCoins: 713.1,
  deltaCoins: 104.2,
  vegaUsd: 41_204.7,
};

const Sums = (description: string) =>
  Type.Object(
    {
      trades: count('Trades.'),
      boughtUsd: number('Premium that takers paid, in USD.', { minimum: 0 }),
      soldUsd: number('Premium that takers received, in USD.', { minimum: 0 }),
      netUsd: number('`boughtUsd` less `soldUsd`.'),
      boughtCoins: number('Size that takers bought, in coins.', { minimum: 0 }),
      soldCoins: number('Size that takers sold, in coins.', { minimum: 0 }),
      deltaCoins: number('Size times delta in coins, bought less sold: the exposure that takers took on.'),
      vegaUsd: number('Size times vega in USD per percentage point of volatility, bought less sold.'),
    },
    { description },
  );

const sides = { calls: Sums('Calls.'), puts: Sums('Puts.') };

export const OptionFlowSummary = resource(
  'OptionFlowSummary',
  'What takers bought and sold of the options on a coin.',
  {
    underlying: Underlying,
    fromMs: timeMs('Begin of the window.'),
    toMs: timeMs('End of the window.'),
    ...sides,
    blocks: Type.Object(sides, {
      description: 'The legs of block trades, which `calls` and `puts` include unless `blocks=none`.',
    }),
    byExpiry: Type.Array(
      Type.Object({
        expiryMs: timeMs('When the options expire.'),
        expiryLabel: text('Label of the expiry, `DDMMMYY`.'),
        ...sides,
      }),
      { description: 'By expiry, ascending.' },
    ),
    byStrike: Type.Array(Type.Object({ strike, ...sides }), { description: 'By strike, ascending.' }),
    largest: Type.Array(OptionTradeRow, {
      description: 'The trades with the largest premium, at most 20, the largest first.',
    }),
  },
  {
    underlying: 'BTC',
    fromMs: 1_789_913_600_000,
    toMs: 1_790_000_000_000,
    calls: sums,
    puts: sums,
    blocks: { calls: sums, puts: sums },
    byExpiry: [{ expiryMs: 1_795_766_400_000, expiryLabel: '27NOV26', calls: sums, puts: sums }],
    byStrike: [{ strike: 100_000, calls: sums, puts: sums }],
    largest: [trade],
  },
);
