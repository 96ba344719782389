import { Type } from 'typebox';
import { flag, number, orNull, resource, text, timeMs } from '../../http/field.ts';

const ofMarket = {
  market: text('Id of the market: `hyperliquid:BTC`.'),
  coin: text('Ticker of the primary venue.'),
  venue: text('Id of the venue.'),
};
const ofRecord = {
  cadenceMs: number('Time between two points in milliseconds.'),
  retention: text('How far back snapshots are kept (`30d`), rolling.'),
  enabled: flag('False while the record cannot be read; `points` is then empty.'),
  recordingSince: Type.Optional(
    timeMs('Time of the oldest snapshot of this market; absent while there is none.'),
  ),
  method: text('How the record is made.'),
  fetchedAt: timeMs('Time of the newest point, or else when the service started.'),
};
const marketExample = { market: 'hyperliquid:BTC', coin: 'BTC', venue: 'hyperliquid' };
const recordExample = {
  cadenceMs: 60_000,
  retention: '30d',
  enabled: true,
  recordingSince: 1_789_395_240_000,
  method: 'one snapshot a minute',
  fetchedAt: 1_789_999_980_000,
};

const triple = Type.Array(Type.Number(), {
  minItems: 3,
  maxItems: 3,
  description: '`[price, size in coins, width]`.',
});
const levels = (side: string, where: string) =>
  Type.Array(triple, {
    description: `Levels of the ${side}, best first. A level is what rests at its price or less than its width ${where}.`,
  });

const depth = (description: string) => orNull(Type.Number(), description);

export const BookHistorySeries = resource(
  'BookHistorySeries',
  'Recorded order books of a market, one a minute. A minute that could not be taken is missing, never repeated.',
  {
    ...ofMarket,
    points: Type.Array(
      Type.Object({
        ts: timeMs('Minute of the snapshot.'),
        mid: number('Halfway between the best recorded prices, in the quote currency.'),
        step: number('Width of the narrowest level, in the quote currency.'),
        bids: levels('bids', 'above'),
        asks: levels('asks', 'below'),
      }),
      { description: 'Snapshots, oldest first.' },
    ),
    ...ofRecord,
  },
  {
    ...marketExample,
    points: [
      {
        ts: 1_789_999_980_000,
        mid: 105_935,
        step: 10,
        bids: [
          [105_930, 4.12, 10],
          [105_900, 31.4, 30],
        ],
        asks: [[105_940, 2.75, 10]],
      },
    ],
    ...recordExample,
  },
);

export const BookDepthSeries = resource(
  'BookDepthSeries',
  'Resting orders near the mid of a coin over time. A minute that could not be taken is missing, never repeated.',
  {
    ...ofMarket,
    points: Type.Array(
      Type.Object({
        ts: timeMs('Minute of the snapshot.'),
        mid: number('Halfway between the best recorded prices, in the quote currency.'),
        within: Type.Array(
          Type.Object({
            percent: number('Distance from the mid in percent.'),
            bidsUsd: depth('Bids within that distance in USD; null where the record ends before it.'),
            asksUsd: depth('Asks within that distance in USD; null where the record ends before it.'),
            imbalance: depth(
              'Bids less asks, as a fraction of their sum: from −1 to 1. Null if one of them is.',
            ),
          }),
          { description: 'Depth within 0.25, 0.5, 1 and 2 % of the mid.' },
        ),
      }),
      { description: 'Depths, oldest first.' },
    ),
    ...ofRecord,
  },
  {
    ...marketExample,
    points: [
      {
        ts: 1_789_999_980_000,
        mid: 105_935,
        within: [{ percent: 0.25, bidsUsd: 18_400_000, asksUsd: 15_100_000, imbalance: 0.0985 }],
      },
    ],
    ...recordExample,
  },
);
