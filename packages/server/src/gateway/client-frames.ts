import { type Static, type TObject, type TProperties, Type } from 'typebox';
import { Check } from 'typebox/value';
import { Failure } from '../platform/errors.ts';
import { choice, coinName, marketName } from '../http/parameter.ts';
import { readBody } from '../http/read-body.ts';
import { clip } from '../http/read-query.ts';
import type { GatewayChannel } from './gateway-channel.ts';
import { BadMsgpack, readMsgpack } from './read-msgpack.ts';
import { formats } from './wire-frame.ts';

const ID_CHARS_MAX = 128;
const KEY_CHARS_MAX = 256;

const Id = Type.Union([Type.String({ maxLength: ID_CHARS_MAX }), Type.Number()], {
  description: 'Echoed in the response.',
  allowed: `a string of up to ${ID_CHARS_MAX} characters, or a number`,
});
export type FrameId = Static<typeof Id>;

export const frameIdField = Type.Optional(Id);
export const opField = <Name extends string>(name: Name) => Type.Literal(name, { allowed: `\`${name}\`` });
const channel = Type.String({ description: 'Name of the channel.', allowed: 'the name of a channel' });
const market = marketName({
  description:
    'A recorded market instead of `symbol`, in any case: `binance:BTCUSDT`. `/markets/recorded` lists them.',
});
export const symbolField = coinName({
  description: 'A coin, in any case; answers spell it as the primary venue does.',
});

/** The subject of a topic: a coin, or a coin or market if the channel has markets. */
function nameFields({ markets }: Pick<GatewayChannel, 'markets'>): TProperties {
  return markets
    ? { symbol: Type.Optional(symbolField), market: Type.Optional(market) }
    : { symbol: symbolField };
}

export const AuthFrame = Type.Object(
  {
    op: opField('auth'),
    id: frameIdField,
    apiKey: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: KEY_CHARS_MAX,
        description: 'Omitted: anonymous, with the limits of the free tier per address.',
        allowed: `a key of 1 to ${KEY_CHARS_MAX} characters`,
      }),
    ),
    format: Type.Optional(
      choice(formats, { description: 'Format of all later server frames. Default: `json`.' }),
    ),
  },
  { additionalProperties: false, examples: [{ op: 'auth', apiKey: '<API_KEY>', format: 'msgpack' }] },
);

/** The field `since` of the trades channel. */
export const tapeSince = Type.Object(
  {
    ts: Type.Integer({ minimum: 0, description: 'Timestamp of the last trade you received.' }),
    count: Type.Integer({
      minimum: 0,
      description: 'Number of trades with that timestamp that you received.',
    }),
  },
  {
    additionalProperties: false,
    description: 'Cursor: recorded trades after it are sent first.',
    allowed: 'an object of two integers, at least 0: `ts` and `count`',
  },
);
export type Since = Static<typeof tapeSince>;

/** The subscribe frame of a channel, with defaults for optional fields. */
type FrameParts = Pick<GatewayChannel, 'params' | 'markets'>;

export function subscribeFrame(parts: FrameParts & Pick<GatewayChannel, 'since'>) {
  const { params, since } = parts;
  const own: TProperties = params;
  return Type.Object(
    {
      op: opField('subscribe'),
      id: frameIdField,
      channel,
      ...nameFields(parts),
      ...own,
      ...(since && { since: Type.Optional(since) }),
    },
    { additionalProperties: false },
  );
}

export function unsubscribeFrame(parts: FrameParts) {
  const own: TProperties = parts.params;
  return Type.Object(
    { op: opField('unsubscribe'), id: frameIdField, channel, ...nameFields(parts), ...own },
    { additionalProperties: false },
  );
}

/** A client's frame that is an object, not validated yet. */
export type RawFrame = Readonly<Record<string, unknown>>;

/** Parses a frame by its opcode: text is JSON, binary is msgpack. Throws a `Failure` for anything but an object. */
export function readRawFrame(data: Buffer, isBinary: boolean): RawFrame {
  const value = isBinary ? parseMsgpack(data) : parseJson(data);
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Uint8Array) {
    throw new Failure('bad_request', 'A frame must be an object with a field `op`.');
  }
  return value as RawFrame;
}

function parseJson(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString('utf8')) as unknown;
  } catch (cause) {
    throw new Failure('bad_request', 'A text frame must be JSON.', { cause });
  }
}

function parseMsgpack(data: Buffer): unknown {
  try {
    return readMsgpack(data);
  } catch (cause) {
    if (!(cause instanceof BadMsgpack)) throw cause;
    throw new Failure('bad_request', `A binary frame must be msgpack: ${cause.message}.`, { cause });
  }
}

/** The id of a frame, if valid: errors carry it even when the rest is invalid. */
export function frameId(frame: RawFrame): FrameId | undefined {
  return Check(Id, frame.id) ? frame.id : undefined;
}

/** A frame validated by its schema, with defaults filled in. */
export function readFrame<Schema extends TObject>(schema: Schema, frame: RawFrame): Static<Schema> {
  const read = readBody(schema, frame) as Record<string, unknown>;
  const defaults = Object.entries(schema.properties as Readonly<Record<string, { default?: unknown }>>)
    .filter(([name, field]) => read[name] === undefined && field.default !== undefined)
    .map(([name, field]) => [name, field.default]);
  return { ...read, ...Object.fromEntries(defaults) } as Static<Schema>;
}

export function unknownOp(frame: RawFrame, ops: readonly string[]): Failure {
  const actual = typeof frame.op === 'string' ? `, not \`${clip(frame.op)}\`` : '';
  return new Failure('bad_request', `Field \`op\` must be one of ${ops.join(', ')}${actual}.`);
}
