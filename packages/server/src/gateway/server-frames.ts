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
export const market = Type.Optional(text('Of a topic of one market: its id.'));

/** A frame of the server with its description and an example. */
export function serverFrame<Fields extends Parameters<typeof Type.Object>[0]>(
  description: string,
  fields: Fields,
  example: Static<TObject<Fields>>,
): TObject<Fields> {
  return Type.Object(fields, { description, examples: [example] });
}

const AckFrame = serverFrame(
  'A frame of the client was taken. Of a subscription it comes before everything else, with the parameters of the topic.',
  {
    type: type('ack'),
    id,
    op: choice(['auth', 'subscribe', 'unsubscribe'], { description: 'What was taken.' }),
    channel: Type.Optional(channel),
    symbol: Type.Optional(symbol),
    market,
    interval: Type.Optional(text('Of a channel of bars: length of a bar.')),
    mode: Type.Optional(text('Of the order book: `full` or `delta`.')),
    cursor: Type.Optional(
      Type.Object(
        {
          ts: timeMs('Time of the last trade released, or a time since which there was none.'),
          count: count('How many trades of that millisecond there were.'),
        },
        { description: 'Of `trades` without `since`: where on the tape the subscription begins.' },
      ),
    ),
    attribution: Type.Optional(
      Type.Array(Attribution.items, {
        description:
          'Of `subscribe`: sources of the topic whose terms ask to be named. Show these words, with the link, wherever you show its figures. Absent when there is none.',
      }),
    ),
    tier: Type.Optional(choice(['free', 'pro'], { description: 'Of `auth`: whose limits hold.' })),
  },
  { type: 'ack', id: 1, op: 'subscribe', channel: 'candles', symbol: 'BTC', interval: '1m' },
);

const ErrorFrame = serverFrame(
  'A frame of the client was not taken.',
  {
    type: type('error'),
    id,
    code: choice(errorCodes, { description: 'What kind of failure.' }),
    message: text('What is wrong, in a sentence.'),
    retryAfterMs: Type.Optional(
      count('When the same frame may be sent again; absent where that does not help.'),
    ),
    symbol: Type.Optional(
      text("Of a topic that this socket follows already: its coin in the primary venue's spelling."),
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
  'The client was too slow for a channel of state: frames were left out, and the newest state follows.',
  {
    type: type('lagged'),
    channel,
    symbol,
    market,
    interval: Type.Optional(text('Of a channel of bars: length of a bar.')),
    mode: Type.Optional(text('Of the order book: `full` or `delta`.')),
    skipped: count('How many frames were left out.'),
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
    interval: Type.Optional(text('Of a channel of bars: length of a bar.')),
    mode: Type.Optional(text('Of the order book: `full` or `delta`.')),
    state: choice(['live', 'stale', 'down'], {
      description:
        '`live`: every source delivers; `stale`: a source is silent or failing, so that what is sent may be old or incomplete; `down`: no source delivers, nothing new will be sent.',
    }),
    sinceTs: timeMs('When the topic stopped being live; with `live`, when it became so.'),
    reason: text('Which sources fail, and why, in sentences.'),
    partial: Type.Optional(
      Type.Literal(true, { description: 'Some sources fail, but others of the same kind deliver.' }),
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
    { description: `Something new on \`${name}\`.` },
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
