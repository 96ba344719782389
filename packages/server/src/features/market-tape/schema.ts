import { Type } from 'typebox';
import { count, flag, number, orNull, resource, text, timeMs } from '../../http/field.ts';
import { choice } from '../../http/parameter.ts';

/** Kinds of markets whose trades are recorded. */
export const marketKinds = ['perp', 'spot'] as const;

export const RecordedMarketRow = resource(
  'RecordedMarket',
  'A market whose trades are recorded.',
  {
    market: text('Its id, for the parameter `market`.'),
    venue: text('Id of the venue.'),
    kind: choice(marketKinds, { description: 'Perpetual or spot.' }),
    symbol: text("The venue's own spelling."),
    coin: text("The primary venue's ticker."),
    quote: text('Currency of its prices.'),
    usdRate: orNull(
      Type.Number(),
      'What one unit of `quote` is worth in USD now; null where that is not known.',
    ),
    unit: Type.Object(
      {
        contractSize: number('Coins of the venue in one unit of its sizes.', { minimum: 0 }),
        scale: number('Coins of the venue in one `coin`.', { minimum: 0 }),
      },
      { description: 'How packed chunks count: size × contractSize ÷ scale, price × scale.' },
    ),
    tick: orNull(Type.Number(), 'Step of its prices; null where the venue does not list it.'),
    recordingSince: orNull(Type.Integer(), 'When recording began; null before the first trade.'),
    firstTs: orNull(Type.Integer(), 'Time of the oldest trade that is kept.'),
    lastTs: orNull(Type.Integer(), 'Time of the newest trade.'),
    trades24h: count('Trades recorded in the last 24 hours.'),
    sinceTs: Type.Optional(timeMs('Since when `trades24h` counts, until 24 hours are recorded.')),
    completeness24h: number(
      'Share of the last 24 hours that is complete or refilled; where recording began later, of the time since.',
      {
        minimum: 0,
        maximum: 1,
      },
    ),
    counted: flag('Whether its trades are numbered without gaps, so that missing ones are counted.'),
  },
  {
    market: 'binance:BTCUSDT',
    venue: 'binance',
    kind: 'perp',
    symbol: 'BTCUSDT',
    coin: 'BTC',
    quote: 'USDT',
    usdRate: 0.9998,
    unit: { contractSize: 1, scale: 1 },
    tick: 0.1,
    recordingSince: 1_789_913_600_000,
    firstTs: 1_789_913_600_120,
    lastTs: 1_790_000_000_123,
    trades24h: 1_204_112,
    completeness24h: 1,
    counted: true,
  },
);
