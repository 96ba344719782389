import type { Key } from '../store/store.ts';

const NUMBER = 1;
const TEXT = 2;
const NUMBER_BYTES = 9;

/**
 * Encodes a key as bytes that sort like keys: part by part, numbers by value and before texts, a prefix before longer
 * keys. A number is its IEEE 754 form with the sign flipped so that bytes compare; a text ends with 0 0, and a 0 within
 * it becomes 0 255.
 */
export function encodeKey(key: Key): Buffer {
  return Buffer.concat(key.map((part) => (typeof part === 'number' ? encodeNumber(part) : encodeText(part))));
}

export function decodeKey(bytes: Buffer): Key {
  const parts: (string | number)[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] === NUMBER) {
      parts.push(decodeNumber(bytes, at + 1));
      at += NUMBER_BYTES;
    } else {
      const end = textEnd(bytes, at + 1);
      parts.push(decodeText(bytes.subarray(at + 1, end)));
      at = end + 2;
    }
  }
  return parts;
}

function encodeNumber(value: number): Buffer {
  const bytes = Buffer.alloc(NUMBER_BYTES);
  bytes[0] = NUMBER;
  // -0 sorts with 0.
  bytes.writeDoubleBE(value === 0 ? 0 : value, 1);
  turnSign(bytes, 1, value < 0);
  return bytes;
}

function decodeNumber(bytes: Buffer, at: number): number {
  const copy = Buffer.from(bytes.subarray(at, at + NUMBER_BYTES - 1));
  turnSign(copy, 0, ((copy[0] as number) & 0x80) === 0);
  return copy.readDoubleBE(0);
}

/** Flips every bit of a negative number, and only the sign of others. */
function turnSign(bytes: Buffer, at: number, isNegative: boolean): void {
  if (!isNegative) {
    bytes[at] = (bytes[at] as number) ^ 0x80;
    return;
  }
  for (let i = at; i < bytes.length; i += 1) bytes[i] = ~(bytes[i] as number) & 0xff;
}

function encodeText(text: string): Buffer {
  const escaped = text.includes('\u0000') ? text.split('\u0000') : [text];
  const parts = escaped.flatMap((part, i) => [
    ...(i === 0 ? [] : [Buffer.from([0, 255])]),
    Buffer.from(part, 'utf8'),
  ]);
  return Buffer.concat([Buffer.from([TEXT]), ...parts, Buffer.from([0, 0])]);
}

function textEnd(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(0, from);
  while (bytes[at + 1] === 255) at = bytes.indexOf(0, at + 2);
  return at;
}

function decodeText(bytes: Buffer): string {
  if (!bytes.includes(0)) return bytes.toString('utf8');
  return Buffer.from(bytes.toString('latin1').replaceAll('\u0000\u00ff', '\u0000'), 'latin1').toString(
    'utf8',
  );
}
