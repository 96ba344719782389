import { type Static, type TObject, Type } from 'typebox';
import { Attribution } from '../http/attribution.ts';
import { choice } from '../http/parameter.ts';
import { count, text, timeMs } from '../http/field.ts';

/** Error codes for client frames. */
export const errorCodes = [
  'unauthorized',
  'rate_limited',
  'bad_request',
  'unknown_channel',
  'unknown_symbol',
  'validator_unavailable',
  'internal',
] as const;
export type ErrorCode = (typeof errorCodes)[number];

/** Close codes of the gateway, besides those of the protocol. */
export const closeCodes = {
  /** The service is shutting down; reconnect. */
  goingAway: 1001,
  /** This gateway missed messages; clients reconnect and resume from their cursor. */
  missed: 1012,
  /** The client sent too many frames, or too many invalid ones. */
  policyViolation: 1008,
  /** A key is required, or the given one is unknown. */
  unauthorized: 4401,
  /** The client reads too slowly. */
  tooSlow: 4408,
  /** Too many sockets. */
  rateLimited: 4429,
} as const;

export const type = <Name extends string>(name: Name) => Type.Literal(name);
export const id = Type.Optional(
  Type.Union([Type.String(), Type.Number()], { description: '`id` of the frame that this answers.' }),
);
export const channel = text('Name of the channel.');
export const symbol = text("The coin in the primary venue's spelling.");
export const market = Type.Optional(text('Market topics only: id of the market.'));

/** A frame of the server with its description and an example. */
export function serverFrame<Fields extends Parameters<typeof Type.Object>[0]>(
  description: string,
  fields: Fields,
  example: Static<TObject<Fields>>,
): TObject<Fields> {
  return Type.Object(fields, { description, examples: [example] });
}

const AckFrame = serverFrame(
  'A client frame was accepted. For a subscription it is the first frame and contains the topic parameters.',
  {
    type: type('ack'),
    id,
    op: choice(['auth', 'subscribe', 'unsubscribe'], { description: 'The accepted operation.' }),
    channel: Type.Optional(channel),
    symbol: Type.Optional(symbol),
    market,
    interval: Type.Optional(text('Bar channels only: bar length.')),
    mode: Type.Optional(text('`orderbook` only: `full` or `delta`.')),
    cursor: Type.Optional(
      Type.Object(
        {
          ts: timeMs('Time of the last trade released, or a time since which there was none.'),
          count: count('How many trades of that millisecond there were.'),
        },
        { description: '`trades` without `since` only: the tape position at which the subscription begins.' },
      ),
    ),
    attribution: Type.Optional(
      Type.Array(Attribution.items, {
        description:
          '`subscribe` only: credits required by source terms. Display `text`, linked to `url`, wherever you display the data. Absent if none is required.',
      }),
    ),
    tier: Type.Optional(choice(['free', 'pro'], { description: '`auth` only: tier whose limits apply.' })),
  },
  { type: 'ack', id: 1, op: 'subscribe', channel: 'candles', symbol: 'BTC', interval: '1m' },
);

const ErrorFrame = serverFrame(
  'A client frame was rejected.',
  {
    type: type('error'),
    id,
    code: choice(errorCodes, { description: 'Error code.' }),
    message: text('Error message.'),
    retryAfterMs: Type.Optional(
      count('Time to wait before retrying, in ms. Absent if a retry cannot succeed.'),
    ),
    symbol: Type.Optional(
      text('If the socket already follows the topic: its coin, as the primary venue spells it.'),
    ),
    market: Type.Optional(text('Of a topic of one market that this socket follows already: its id.')),
  },
  {
    type: 'error',
    id: 2,
    code: 'unknown_channel',
    message: 'There is no channel `trade`; there are: trades, ….',
  },
);

const HeartbeatFrame = serverFrame(
  'Every 15 seconds, to every socket.',
  { type: type('heartbeat'), ts: timeMs("The service's clock.") },
  { type: 'heartbeat', ts: 1_790_000_000_000 },
);

const LaggedFrame = serverFrame(
  'The client reads too slowly: frames of a state channel were skipped. The newest state follows.',
  {
    type: type('lagged'),
    channel,
    symbol,
    market,
    interval: Type.Optional(text('Bar channels only: bar length.')),
    mode: Type.Optional(text('`orderbook` only: `full` or `delta`.')),
    skipped: count('Number of frames skipped.'),
  },
  { type: 'lagged', channel: 'candles', symbol: 'BTC', interval: '1m', skipped: 17 },
);

const StatusFrame = serverFrame(
  'Whether a topic is live, from the health of the sources that it is made of: whenever that changes, and on joining when it is not `live`.',
  {
    type: type('status'),
    channel,
    symbol,
    market,
    interval: Type.Optional(text('Bar channels only: bar length.')),
    mode: Type.Optional(text('`orderbook` only: `full` or `delta`.')),
    state: choice(['live', 'stale', 'down'], {
      description:
        '`live`: every source delivers; `stale`: a source is silent or failing, so that what is sent may be old or incomplete; `down`: no source delivers, nothing new will be sent.',
    }),
    sinceTs: timeMs('When the topic stopped being live; with `live`, when it became so.'),
    reason: text('Which sources fail, and why, in sentences.'),
    partial: Type.Optional(
      Type.Literal(true, { description: 'Some sources are failing; others of the same kind still deliver.' }),
    ),
  },
  {
    type: 'status',
    channel: 'trades',
    symbol: 'BTC',
    state: 'stale',
    sinceTs: 1_790_000_000_000,
    reason: 'hyperliquid trades: No data for 7 s.',
  },
);

/** The data frame of a channel. */
export function dataFrame(name: string, payload: TObject, hasMarkets: boolean) {
  return Type.Object(
    {
      type: type('data'),
      channel: Type.Literal(name, { description: 'Name of the channel.' }),
      symbol,
      ...(hasMarkets && { market }),
      seq: Type.Integer({
        description:
          'One more than that of the frame before on this topic; of a snapshot on joining, that of the last frame.',
      }),
      ts: timeMs('The time that the payload is of.'),
      payload,
    },
    { description: `Data on channel \`${name}\`.` },
  );
}

/** Every server frame except `data`, by name. */
export const serverFrames = {
  ack: AckFrame,
  error: ErrorFrame,
  heartbeat: HeartbeatFrame,
  lagged: LaggedFrame,
  status: StatusFrame,
} as const;

export type ServerFrame = {
  [Name in keyof typeof serverFrames]: Static<(typeof serverFrames)[Name]>;
}[keyof typeof serverFrames];
