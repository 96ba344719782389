import { Type } from 'typebox';
import { flag, number, resource, text, timeMs } from '../../http/field.ts';
import { choice } from '../../http/parameter.ts';
import { Side } from '../perps/schema.ts';

export const LiquidationEvent = resource(
  'LiquidationEvent',
  'One liquidation.',
  {
    ts: timeMs('When it happened, by the venue.'),
    venue: text('Venue id.'),
    market: text('Id of the contract: `venue:symbol`.'),
    coin: text('Ticker of the coin.'),
    side: Side,
    position: choice(['long', 'short'], { description: 'What was liquidated.' }),
    price: number('Price in `quote`.', { minimum: 0 }),
    size: number('Size in units of the coin.', { minimum: 0 }),
    notionalUsd: number('Price times size, converted to USD at the rate when it was received.', {
      minimum: 0,
    }),
    quote: text('Currency that the contract is quoted in: `USD`, `USDT` or `USDC`.'),
    unconverted: Type.Optional(
      flag('True when the rate of `quote` was not known: `notionalUsd` is then in `quote`.'),
    ),
    inferred: flag('Whether it was inferred from the tape, and not reported by the venue.'),
  },
  {
    ts: 1_790_000_000_123,
    venue: 'bybit',
    market: 'bybit:BTCUSDT',
    coin: 'BTC',
    side: 'sell',
    position: 'long',
    price: 105_930,
    size: 1.5,
    notionalUsd: 158_816.4,
    quote: 'USDT',
    inferred: false,
  },
);
