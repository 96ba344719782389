import { liquidationVenueIds } from '../../markets/venue-ids.ts';
import { Type } from 'typebox';
import { liquidationTopic } from '../../../topics.ts';
import { choice } from '../../../http/parameter.ts';
import { flag, number, text, timeMs } from '../../../http/field.ts';
import { gatewayChannel } from '../../channel.ts';

export const liquidations = gatewayChannel({
  name: 'liquidations',
  summary: 'Live liquidations',
  description:
    'Reported by venues, and inferred from the tape of the primary venue, which does not report them. Liquidations that were missed and received more than a minute late are counted by `/perps/liquidations`, and not sent here.',
  payload: Type.Object(
    {
      side: choice(['buy', 'sell'], {
        description: 'Side of the forced order: `sell` when a long was liquidated.',
      }),
      position: choice(['long', 'short'], { description: 'What was liquidated.' }),
      price: number('Price in `quote`.', { minimum: 0 }),
      size: number('Size in units of the coin.', { minimum: 0 }),
      notionalUsd: number('Price times size, converted to USD.', { minimum: 0 }),
      quote: text('Currency that the contract is quoted in: `USD`, `USDT` or `USDC`.'),
      unconverted: Type.Optional(
        flag('True when the rate of `quote` is not known: `notionalUsd` is then in `quote`.'),
      ),
      inferred: flag('Whether it was inferred from the tape, and not reported by the venue.'),
      venue: text('Venue id.'),
      ts: timeMs('When it happened.'),
    },
    {
      examples: [
        {
          side: 'sell',
          position: 'long',
          price: 105_930,
          size: 1.5,
          notionalUsd: 158_816.4,
          quote: 'USDT',
          inferred: false,
          venue: 'bybit',
          ts: 1_790_000_000_123,
        },
      ],
    },
  ),
  isState: false,
  // The primary venue's are inferred from its trades.
  sources: (_, { primaryVenue }) => [
    [
      ...liquidationVenueIds.map((publisher) => ({ publisher, gives: 'liquidations' })),
      { publisher: primaryVenue, gives: 'trades' },
    ],
  ],
  open({ symbol }, publish, { bus }) {
    const close = bus.subscribe(liquidationTopic, (liquidation) => {
      if (liquidation.coin !== symbol || liquidation.isLate) return;
      const {
        side,
        price,
        size,
        notionalUsd,
        quote = 'USD',
        isUnconverted,
        inferred,
        venue,
        ts,
      } = liquidation;
      const position = side === 'sell' ? 'long' : 'short';
      const unconverted = isUnconverted && { unconverted: true };
      const amount = { price, size, notionalUsd, quote, ...unconverted };
      publish({ ts, payload: { side, position, ...amount, inferred, venue, ts } });
    });
    return { close };
  },
});
