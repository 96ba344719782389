import { Type } from 'typebox';
import { choice } from '../../http/parameter.ts';
import { flag, number, resource, text, timeMs } from '../../http/field.ts';
import { Side } from '../perps/schema.ts';

export const TradeTick = resource(
  'TradeTick',
  "A trade on the tape of the primary venue or of a market. Price and size print exactly the venue's decimals; those of a market are in coins and its quote currency.",
  {
    coin: text('Ticker of the coin.'),
    side: Side,
    price: number('Price in USD, or the quote currency of the market.', { minimum: 0 }),
    size: number('Size in units of the coin.', { minimum: 0 }),
    notionalUsd: number('Price times size in USD; USDT and USDC count as dollars.', { minimum: 0 }),
    ts: timeMs('Tape time: never less than that of the trade before.'),
    venue: text('Venue id.'),
    market: Type.Optional(text('Of the stream of a market: its id.')),
    tid: Type.Optional(
      Type.Integer({ description: "The venue's id of the trade; with `coin` and `ts` it names the trade." }),
    ),
    venueTs: Type.Optional(
      timeMs(
        "The venue's own time, present only where it is another than `ts`: older, or too far ahead to be true.",
      ),
    ),
  },
  {
    coin: 'BTC',
    side: 'sell',
    price: 105_931,
    size: 0.25,
    notionalUsd: 26_482.75,
    ts: 1_790_000_000_123,
    venue: 'hyperliquid',
    tid: 118_906_512_037_719,
    venueTs: 1_790_000_000_120,
  },
);

export const FundingChange = resource(
  'FundingChange',
  'A funding rate of the primary venue that moved from one poll to the next.',
  {
    coin: text('Ticker of the coin.'),
    rate: number('New rate as a decimal fraction per `periodHours`.'),
    periodHours: number('Hours that the rates cover.'),
    prevRate: number('Rate at the previous poll, as a decimal fraction per `periodHours`.'),
    delta: number('`rate` minus `prevRate`, as a decimal fraction.'),
    ts: timeMs('Time of the poll.'),
    venue: text('Venue id.'),
  },
  {
    coin: 'BTC',
    rate: 0.0000125,
    periodHours: 1,
    prevRate: -0.0000375,
    delta: 0.00005,
    ts: 1_790_000_000_000,
    venue: 'hyperliquid',
  },
);

export const Heartbeat = resource(
  'Heartbeat',
  'Sent first, then every 15 seconds, and at once when `state` changes. After a resume the first one carries the verdict.',
  {
    ts: timeMs(
      'Time of the newest event published on the stream (of the clock when there was none); in a verdict, the `Last-Event-ID` it answers.',
    ),
    now: Type.Optional(timeMs("The service's clock.")),
    resumed: Type.Optional(flag('In a verdict: whether everything since the `Last-Event-ID` follows.')),
    lostFrom: Type.Optional(timeMs('In a verdict: start of what is no longer kept, or missing on the tape.')),
    lostTo: Type.Optional(timeMs('In a verdict: end of what is no longer kept, or missing on the tape.')),
    unknown: Type.Optional(
      Type.Array(Type.String(), { description: 'In the first heartbeat: asked coins that are unknown.' }),
    ),
    state: Type.Optional(
      choice(['stale', 'down'], {
        description:
          "Present while the stream's source fails, so that a silent stream is not mistaken for a quiet market. `stale`: silent, rate limited or no longer understood; `down`: not reachable, or nothing received yet.",
      }),
    ),
    sinceTs: Type.Optional(timeMs('With `state`: since when.')),
    reason: Type.Optional(text('With `state`: what fails, and why.')),
  },
  { ts: 1_790_000_000_123, now: 1_790_000_004_000, resumed: true },
);

export const Bye = resource(
  'Bye',
  'Sent when the service ends the stream.',
  { reason: text('Why: `max-duration` or `shutdown`.') },
  { reason: 'max-duration' },
);
