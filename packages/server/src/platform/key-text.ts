import { crc32 } from 'node:zlib';
import { type Tier, tiers } from './key-store.ts';
import type { SecretBytes } from './random.ts';

/** Randomness of a key. */
const RANDOM_BYTES = 16;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Digits that 128 and 32 bits need at most. */
const RANDOM_DIGITS = 22;
const CHECKSUM_DIGITS = 6;
const KEY = new RegExp(
  `^(ct_(?:${tiers.join('|')})_[0-9A-Za-z]{${RANDOM_DIGITS}})([0-9A-Za-z]{${CHECKSUM_DIGITS}})$`,
);

/** A new key: `ct_<tier>_<random><checksum>`. */
export function makeKey(tier: Tier, secretBytes: SecretBytes): string {
  const random = BigInt(`0x${secretBytes(RANDOM_BYTES).toString('hex')}`);
  const text = `ct_${tier}_${inDigits(random, RANDOM_DIGITS)}`;
  return text + checksumOf(text);
}

/** Whether a text can be a key at all: its checksum detects typing errors without a look-up. */
export function isKeyText(text: string): boolean {
  const [, body = '', checksum] = KEY.exec(text) ?? [];
  return checksum !== undefined && checksumOf(body) === checksum;
}

function checksumOf(text: string): string {
  return inDigits(BigInt(crc32(text)), CHECKSUM_DIGITS);
}

function inDigits(value: bigint, digits: number): string {
  const radix = BigInt(DIGITS.length);
  let text = '';
  for (let left = value; text.length < digits; left /= radix) text = DIGITS[Number(left % radix)] + text;
  return text;
}

const MASKED = '***';
const LINE = '(?:_|%5f)';
const ANYWHERE = new RegExp(`(ct${LINE}(?:${tiers.join('|')})${LINE})\\w+`, 'gi');

/** A text without the keys in it, whole or not. */
export function maskKeys(text: string): string {
  return text.replace(ANYWHERE, `$1${MASKED}`);
}
