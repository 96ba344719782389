import { BadChunk } from './bad-chunk.ts';
import { CHUNK_TRADES_MAX, emptyPayload, IDS_KIND, payloadBody } from './payload.ts';
import { readVarint, varintBytes, writeVarint } from './varint.ts';
import { unzigzag, zigzag } from './zigzag.ts';

/** Identity of the trades of a chunk, one of each per trade. The arrays may be longer than `length`. */
export interface IdColumns {
  length: number;
  /** The venue's id, an integer below 2^53. */
  readonly tid: Float64Array;
  /** Tape time minus venue time; 0 for nearly all, negative if the venue's is later. */
  readonly lateMs: Float64Array;
}

/** Empty columns for `capacity` trades. */
export function createIdColumns(capacity: number): IdColumns {
  return { length: 0, tid: new Float64Array(capacity), lateMs: new Float64Array(capacity) };
}

/** How the values in the byte planes become ids. */
const FROM_BASE = 0;
const FROM_BEFORE = 1;
/** Added to either if a delay is negative: delays are then zigzag encoded. */
const SIGNED_DELAYS = 2;

const PLANES_MAX = 7;
/** Byte planes of the lower part of a value, and the bound of that part. */
const LOW_PLANES = 3;
const LOW = 2 ** 24;

/** The payload of the ids of the trades `from <= i < to`. A value that does not fit its column throws a RangeError. */
export function encodeIds(columns: IdColumns, from = 0, to = columns.length): Uint8Array {
  check(columns, from, to);
  const { tid, lateMs } = columns;
  const count = to - from;
  const { mode, base, planes } = count > 0 ? planPlanes(tid, from, to) : noPlan;
  const isSigned = hasNegative(lateMs, from, to);
  const late = lateList(lateMs, from, to, isSigned);
  const modes = mode + (isSigned ? SIGNED_DELAYS : 0);
  const headBytes = varintBytes(count) + varintBytes(modes) + varintBytes(base) + varintBytes(planes);
  let lateBytes = 0;
  for (const value of late) lateBytes += varintBytes(value);
  const bodyBytes = headBytes + count * planes + lateBytes;
  const payload = emptyPayload(IDS_KIND, bodyBytes);
  let at = writeVarint(payload, payload.length - bodyBytes, count);
  at = writeVarint(payload, at, modes);
  at = writeVarint(payload, at, base);
  at = writeVarint(payload, at, planes);
  let before = base;
  for (let i = 0; i < count; i += 1) {
    const id = tid[from + i]!;
    const value = mode === FROM_BASE ? id - base : zigzag(id - before);
    before = id;
    // In two 32-bit parts, for which shifts are cheap.
    const high = Math.floor(value / LOW);
    const low = value - high * LOW;
    for (let plane = 0; plane < planes; plane += 1) {
      payload[at + plane * count + i] =
        plane < LOW_PLANES ? low >>> (8 * plane) : high >>> (8 * (plane - LOW_PLANES));
    }
  }
  at += count * planes;
  for (const value of late) at = writeVarint(payload, at, value);
  return payload;
}

const noPlan = { mode: FROM_BASE, base: 0, planes: 0 };

function hasNegative(values: Float64Array, from: number, to: number): boolean {
  for (let i = from; i < to; i += 1) if (values[i]! < 0) return true;
  return false;
}

/** The ids of one payload, written over those in `into` if they fit, else into new columns. */
export function decodeIds(payload: Uint8Array, into?: IdColumns): IdColumns {
  const body = payloadBody(payload, IDS_KIND);
  let at = 0;
  const next = (): number => {
    const read = readVarint(body, at);
    at = read.next;
    return read.value;
  };
  const count = next();
  const modes = next();
  const base = next();
  const planes = next();
  if (count > CHUNK_TRADES_MAX) throw new BadChunk(`${count} ids; at most ${CHUNK_TRADES_MAX} are allowed`);
  if (modes > FROM_BEFORE + SIGNED_DELAYS) throw new BadChunk(`ids of an unknown mode, ${modes}`);
  const isSigned = modes >= SIGNED_DELAYS;
  const mode = isSigned ? modes - SIGNED_DELAYS : modes;
  if (planes > PLANES_MAX) throw new BadChunk(`ids of ${planes} bytes; at most ${PLANES_MAX} are allowed`);
  if (at + count * planes > body.length) throw new BadChunk('cut short within the ids');

  const columns = into !== undefined && into.tid.length >= count ? into : createIdColumns(count);
  columns.length = count;
  const { tid, lateMs } = columns;
  let before = base;
  for (let i = 0; i < count; i += 1) {
    let value = 0;
    for (let plane = planes - 1; plane >= 0; plane -= 1) value = value * 256 + body[at + plane * count + i]!;
    const id = mode === FROM_BASE ? base + value : before + unzigzag(value);
    if (!(id >= 0 && id <= Number.MAX_SAFE_INTEGER))
      throw new BadChunk('an id that is not from 0 below 2^53');
    tid[i] = id;
    before = id;
  }
  at += count * planes;

  lateMs.fill(0, 0, count);
  const lateCount = next();
  let i = -1;
  for (let k = 0; k < lateCount; k += 1) {
    i += next() + 1;
    if (i >= count) throw new BadChunk('more late trades than trades');
    const delay = next();
    lateMs[i] = isSigned ? unzigzag(delay) : delay;
  }
  if (at !== body.length) throw new BadChunk(`${body.length - at} bytes follow the late trades`);
  return columns;
}

function check({ tid, lateMs, length }: IdColumns, from: number, to: number): void {
  if (!(Number.isInteger(from) && Number.isInteger(to) && from >= 0 && from <= to && to <= length)) {
    throw new RangeError(`no ids ${from} to ${to} in columns of ${length}`);
  }
  if (to - from > CHUNK_TRADES_MAX) throw new RangeError(`a chunk holds at most ${CHUNK_TRADES_MAX} trades`);
  for (let i = from; i < to; i += 1) {
    if (!isMagnitude(tid[i]!)) throw new RangeError(`trade ${i}: an id is a whole number from 0 below 2^53`);
    if (!isMagnitude(Math.abs(lateMs[i]!)))
      throw new RangeError(`trade ${i}: a delay is a whole number below 2^53`);
  }
}

function isMagnitude(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** Hashes are stored relative to the smallest; ascending ids are shorter relative to the previous one. */
function planPlanes(
  tid: Float64Array,
  from: number,
  to: number,
): { mode: number; base: number; planes: number } {
  let least = tid[from]!;
  let most = least;
  let widest = 0;
  for (let i = from + 1; i < to; i += 1) {
    const id = tid[i]!;
    least = Math.min(least, id);
    most = Math.max(most, id);
    widest = Math.max(widest, Math.abs(id - tid[i - 1]!));
  }
  const fromBase = { mode: FROM_BASE, base: least, planes: bytesOf(most - least) };
  // One bit more, for the sign.
  const fromBefore = { mode: FROM_BEFORE, base: tid[from]!, planes: bytesOf(2 * widest) };
  return fromBefore.planes < fromBase.planes ? fromBefore : fromBase;
}

function bytesOf(value: number): number {
  let count = 0;
  for (let rest = value; rest >= 1; rest /= 256) count += 1;
  return count;
}

/** How many are late; then for each the trades since the previous one, and its delay. */
function lateList(lateMs: Float64Array, from: number, to: number, isSigned: boolean): readonly number[] {
  const list = [0];
  let before = from - 1;
  for (let i = from; i < to; i += 1) {
    if (lateMs[i] === 0) continue;
    const delay = isSigned ? zigzag(lateMs[i]!) : lateMs[i]!;
    if (!isMagnitude(delay)) throw new RangeError('delays of both signs are whole numbers below 2^52');
    list.push(i - before - 1, delay);
    before = i;
  }
  list[0] = (list.length - 1) / 2;
  return list;
}
