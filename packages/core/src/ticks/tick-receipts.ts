import { BadChunk } from './bad-chunk.ts';
import { AGAIN, NO_CODE, NUMBER_BASE, NUMBER_EXTRA_BYTES, numberCode } from './number-codes.ts';
import { CHUNK_TRADES_MAX, emptyPayload, payloadBody, RECEIPTS_KIND } from './payload.ts';
import { readVarint, varintBytes, writeVarint } from './varint.ts';
import { unzigzag, zigzag } from './zigzag.ts';

/** Receive times of the trades of a chunk, one per trade. The array may be longer than `length`. */
export interface ReceiptColumns {
  length: number;
  /** Receive time minus tape time, in whole ms; NaN if unknown. */
  readonly lagMs: Float64Array;
}

/** Empty columns for `capacity` trades. */
export function createReceiptColumns(capacity: number): ReceiptColumns {
  return { length: 0, lagMs: new Float64Array(capacity) };
}

const LAG_MAX = 2 ** 51;
/** Represents an unknown receive time; lags count from 1, the smallest one. */
const UNKNOWN = 0;
const EXTRA_BYTES_MAX = 7;

/** A body is written here, then copied. Encoding is synchronous, so it is never shared. */
let scratch = new Uint8Array(1_024);

/** The payload of the receive times of the trades `from <= i < to`. An invalid lag throws a RangeError. */
export function encodeReceipts(columns: ReceiptColumns, from = 0, to = columns.length): Uint8Array {
  if (!(Number.isInteger(from) && Number.isInteger(to) && from >= 0 && from <= to && to <= columns.length))
    throw new RangeError(`no receive times ${from} to ${to} in columns of ${columns.length}`);
  const count = to - from;
  if (count > CHUNK_TRADES_MAX) throw new RangeError(`a chunk holds at most ${CHUNK_TRADES_MAX} trades`);
  const base = leastLag(columns.lagMs, from, to);
  const bodyMax = varintBytes(count) + varintBytes(zigzag(base)) + count * (1 + EXTRA_BYTES_MAX);
  if (scratch.length < bodyMax) scratch = new Uint8Array(2 * bodyMax);
  const body = scratch;
  const codesAt = writeVarint(body, writeVarint(body, 0, count), zigzag(base));
  let at = codesAt + count;
  let before = 0;
  for (let i = 0; i < count; i += 1) {
    const lag = columns.lagMs[from + i]!;
    const value = Number.isNaN(lag) ? UNKNOWN : lag - base + 1;
    const code = value === before ? AGAIN : numberCode(value);
    before = value;
    body[codesAt + i] = code;
    let rest = value - NUMBER_BASE[code]!;
    for (let left = NUMBER_EXTRA_BYTES[code]!; left > 0; left -= 1) {
      body[at] = rest % 256;
      rest = Math.floor(rest / 256);
      at += 1;
    }
  }
  const payload = emptyPayload(RECEIPTS_KIND, at);
  payload.set(body.subarray(0, at), payload.length - at);
  return payload;
}

/** The receive times of one payload, written over those in `into` if they fit, else into new columns. */
export function decodeReceipts(payload: Uint8Array, into?: ReceiptColumns): ReceiptColumns {
  const body = payloadBody(payload, RECEIPTS_KIND);
  const { value: count, next: baseAt } = readVarint(body, 0);
  const { value: zigzagBase, next: codesAt } = readVarint(body, baseAt);
  if (count > CHUNK_TRADES_MAX)
    throw new BadChunk(`${count} receive times; at most ${CHUNK_TRADES_MAX} are allowed`);
  if (codesAt + count > body.length) throw new BadChunk('cut short within the receive times');
  const base = unzigzag(zigzagBase);
  const columns = into !== undefined && into.lagMs.length >= count ? into : createReceiptColumns(count);
  columns.length = count;
  let at = codesAt + count;
  let value = 0;
  for (let i = 0; i < count; i += 1) {
    const code = body[codesAt + i]!;
    const extraBytes = NUMBER_EXTRA_BYTES[code]!;
    if (extraBytes === NO_CODE) throw new BadChunk(`no number has the code ${code}`);
    if (code !== AGAIN) {
      value = 0;
      for (let k = extraBytes - 1; k >= 0; k -= 1) value = value * 256 + (body[at + k] ?? 0);
      value += NUMBER_BASE[code]!;
      at += extraBytes;
    }
    const lag = value === UNKNOWN ? Number.NaN : base + value - 1;
    if (Math.abs(lag) > LAG_MAX) throw new BadChunk('a receive time too far from that of the tape');
    columns.lagMs[i] = lag;
  }
  if (at !== body.length) throw new BadChunk('the extra bytes do not end where the body does');
  return columns;
}

/** 0 if no receive time is known. */
function leastLag(lagMs: Float64Array, from: number, to: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = from; i < to; i += 1) {
    const lag = lagMs[i]!;
    if (Number.isNaN(lag)) continue;
    if (!Number.isInteger(lag) || Math.abs(lag) > LAG_MAX)
      throw new RangeError(`trade ${i}: a lag is a whole number of at most 2^51`);
    least = Math.min(least, lag);
  }
  return least === Number.POSITIVE_INFINITY ? 0 : least;
}
