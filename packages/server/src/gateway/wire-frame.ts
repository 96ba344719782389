import { Packr } from 'msgpackr';

/** Frame formats: JSON text frames, or msgpack binary frames with the same shape. */
export const formats = ['json', 'msgpack'] as const;
export type Format = (typeof formats)[number];

const FIN = 0x80;
const OPCODES = { text: 0x1, binary: 0x2, close: 0x8, ping: 0x9, pong: 0xa } as const;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/** Beyond this the library encodes integers as floats, unless they are `bigint`. */
const UINT_32_MAX = 0xffff_ffff;
const INT_32_MIN = -0x8000_0000;

/** Without records, which only this library reads, any msgpack library can decode the frames. */
const packr = new Packr({ useRecords: false, variableMapSize: true });

/** A server's WebSocket frame, unfragmented and unmasked: the same bytes serve every socket. */
export function wireFrame(kind: keyof typeof OPCODES, payload: Uint8Array): Buffer {
  const { length } = payload;
  const headBytes = length < LENGTH_16 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(headBytes + length);
  frame[0] = FIN | OPCODES[kind];
  if (headBytes === 2) frame[1] = length;
  else if (headBytes === 4) {
    frame[1] = LENGTH_16;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = LENGTH_64;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.set(payload, headBytes);
  return frame;
}

/** Converts large integers such as times to 64-bit integers; returns the value itself if it has none. */
function withIntegers(value: unknown): unknown {
  if (typeof value === 'number') {
    const isLarge = (value > UINT_32_MAX || value < INT_32_MIN) && Number.isSafeInteger(value);
    return isLarge ? BigInt(value) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Record<string, unknown>;
  let copy: Record<string, unknown> | undefined;
  for (const name in fields) {
    const field = fields[name];
    const whole = withIntegers(field);
    if (whole === field) continue;
    copy ??= (Array.isArray(value) ? [...(value as unknown[])] : { ...fields }) as Record<string, unknown>;
    copy[name] = whole;
  }
  return copy ?? value;
}

/** Encodes a message as a frame. */
export function encodeMessage(message: object, format: Format): Buffer {
  return format === 'json'
    ? wireFrame('text', Buffer.from(JSON.stringify(message)))
    : wireFrame('binary', packr.pack(withIntegers(message)));
}
