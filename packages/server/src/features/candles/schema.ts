import { candleIntervals } from '@crosstape/core';
import { Type } from 'typebox';
import { count, number, orNull, resource, timeMs } from '../../http/field.ts';
import { choice, defaulted, marketName } from '../../http/parameter.ts';

/** The parameter `interval` of candles. */
export const candleInterval = defaulted(
  choice(candleIntervals, {
    description: 'Length of a candle. Days begin at 00:00 UTC, weeks on Monday.',
    examples: ['1h'],
  }),
  '1m',
);

/** The parameter `market` of candles. */
export const candleMarketId = marketName({
  description:
    'Market of any recorded venue: `hyperliquid:BTC`, `coinbase-spot:BTC-USD`; `/markets/recorded` lists them. Or every recorded market of a coin: `perp:BTC`, `spot:BTC`, `all:BTC`.',
  examples: ['hyperliquid:BTC'],
});

/** The field `members` of answers over several markets. */
export const memberList = Type.Array(
  Type.Object({
    market: Type.String({ description: 'Id of the market.' }),
    since: timeMs('Since when it is recorded.'),
  }),
  {
    description:
      'Of an aggregate: its markets. Of intervals that end before `since`, it has the candles of its venue, if any.',
  },
);

export const CandleRecord = resource(
  'Candle',
  'The trades of a market in one interval. Intervals without a trade have no candle.',
  {
    ts: timeMs('Start of the interval.'),
    open: number("First price, in the market's quote currency.", { minimum: 0 }),
    high: number('Highest price.', { minimum: 0 }),
    low: number('Lowest price.', { minimum: 0 }),
    close: number('Last price.', { minimum: 0 }),
    volume: number('Volume in coins.', { minimum: 0 }),
    buyVolume: Type.Optional(
      number('Volume of buying takers in coins; absent where a venue does not report it.', { minimum: 0 }),
    ),
    notionalUsd: Type.Optional(
      number(
        'Sum of price × size: of a market in its quote currency, of an aggregate in USD. Absent where a venue does not report it.',
        { minimum: 0 },
      ),
    ),
    trades: Type.Optional(count('Number of trades; absent where a venue does not report it.')),
    buyTrades: Type.Optional(count('Trades of buying takers; absent where a venue does not report it.')),
    liqLongUsd: number('Liquidated longs in USD, as far as received.', { minimum: 0 }),
    liqShortUsd: number('Liquidated shorts in USD, as far as received.', { minimum: 0 }),
    complete: orNull(
      Type.Boolean(),
      "Whether no gap of the tape meets the interval, of an aggregate that of any member; null for a venue's own candle, or with one in the sum.",
    ),
    origin: choice(['tape', 'venue'], {
      description:
        "From recorded trades, or the venue's own candle of a time before the record. Of an aggregate `venue` where any member's is.",
    }),
    byMarket: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), {
        description:
          'Of an aggregate: volumes of buying and of selling takers in coins, by the id of each market that traded and reports both.',
      }),
    ),
  },
  {
    ts: 1_789_999_980_000,
    open: 105_900,
    high: 105_940,
    low: 105_885,
    close: 105_931,
    volume: 12.4075,
    buyVolume: 7.0311,
    notionalUsd: 1_314_236.512,
    trades: 311,
    buyTrades: 170,
    liqLongUsd: 0,
    liqShortUsd: 21_186.2,
    complete: true,
    origin: 'tape',
  },
);
