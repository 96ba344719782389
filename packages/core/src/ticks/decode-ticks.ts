import { BadChunk } from './bad-chunk.ts';
import { AGAIN, NO_CODE, NUMBER_BASE, NUMBER_EXTRA_BYTES } from './number-codes.ts';
import { BODY_BYTES_MAX, CHUNK_TRADES_MAX, framePayload, TICKS_KIND } from './payload.ts';
import { createTickColumns, type TickColumns } from './tick-columns.ts';
import { signedBytes, scratchColumns } from './scratch-columns.ts';
import { type TickHeader, tickSections } from './tick-header.ts';
import { LATER, MOVES, NEAR_TICKS, SAME_ORDER, TOKEN_KINDS } from './tick-tokens.ts';

/**
 * The trades of one payload. They overwrite those in `into` if they fit, else new columns are made: use the returned
 * ones. Throws `BadChunk` for bytes that are not such a payload, and leaves `into` unchanged.
 */
export function decodeTicks(payload: Uint8Array, into?: TickColumns): TickColumns {
  const lent = lendTicks(payload);
  const { length, priceDecimals, sizeDecimals } = lent;
  const columns = into !== undefined && into.ts.length >= length ? into : createTickColumns(length);
  columns.length = length;
  columns.priceDecimals = priceDecimals;
  columns.sizeDecimals = sizeDecimals;
  columns.ts.set(lent.ts.subarray(0, length));
  columns.price.set(lent.price.subarray(0, length));
  columns.size.set(lent.size.subarray(0, length));
  columns.isBuy.set(lent.isBuy.subarray(0, length));
  readSameOrder(signedBytes(columns.sameOrder), length);
  return columns;
}

/** Trades as bars need them: without the taker's order. */
export type LentTicks = Omit<TickColumns, 'sameOrder'>;

/**
 * The trades of one payload without a copy, for immediate use: they are in the thread's scratch columns, which the next
 * decoding, or a builder that gets other trades, overwrites.
 */
export function lendTicks(payload: Uint8Array): LentTicks {
  const { header, sections } = tickSections(payload);
  const { trades, gaps, farSteps, priceDecimals, sizeDecimals } = header;
  const noToken = sections.indexOf(NO_TOKEN);
  if (noToken >= 0 && noToken < trades) throw new BadChunk('a token that means nothing');
  bytes.set(sections);
  const farStepsAt = trades + gaps;
  const sizesAt = farStepsAt + farSteps;
  let extraAt = sizesAt + trades;
  extraAt = readNumbers(trades, gaps, extraAt);
  sumTimes(header.firstTs, gaps);
  extraAt = readNumbers(farStepsAt, farSteps, extraAt);
  farTicks.set(numbers.subarray(0, farSteps));
  extraAt = readNumbers(sizesAt, trades, extraAt);
  if (extraAt !== sections.length) throw new BadChunk('the extra bytes do not end where the body does');
  readTokens(header);
  return { length: trades, priceDecimals, sizeDecimals, ts, price, size: numbers, isBuy };
}

// The loops below use only constants of this module; scratch-columns.ts explains why.
const bytes = new Int8Array(BODY_BYTES_MAX);
const view = new DataView(bytes.buffer);
const times = new Float64Array(CHUNK_TRADES_MAX + 1);
const farTicks = new Float64Array(CHUNK_TRADES_MAX);
/** Sizes are decoded last, so they are in the scratch columns at the end. */
const { ts, price, size: numbers, isBuy } = scratchColumns();
const isBuySigned = signedBytes(isBuy);

/** By code: where its range begins, how many extra bytes it has, and which bits of the next three bytes are among them. */
const numberBase = NUMBER_BASE.slice();
const extraBytes = NUMBER_EXTRA_BYTES.slice();
const QUICK_BYTES_MAX = 3;
const SAME_NUMBER = AGAIN;
/** The same up to three bytes; the bit above marks longer ones. */
const quickBytes = Int8Array.from(extraBytes, (count) => Math.min(count, QUICK_BYTES_MAX + 1));
const extraMask = Int32Array.from(extraBytes, (count) => (count <= QUICK_BYTES_MAX ? 256 ** count - 1 : 0));

/**
 * Turns codes and their extra bytes into `numbers`. Returns where the extra bytes continue: past the end when codes
 * need more than there are, but within `bytes`, which has room for the widest codes of two sections and this one.
 */
function readNumbers(codesAt: number, count: number, extraAt: number): number {
  const from = codesAt | 0;
  const length = count | 0;
  let at = extraAt | 0;
  let most = 0;
  numberBase[SAME_NUMBER] = 0;
  for (let i = 0; i < length; i = (i + 1) | 0) {
    const code = bytes[from + i]! & 255;
    const extra = quickBytes[code]!;
    const value = numberBase[code]! + (view.getInt32(at, true) & extraMask[code]!);
    numbers[i] = value;
    numberBase[SAME_NUMBER] = value;
    at = (at + (extra & QUICK_BYTES_MAX)) | 0;
    most |= extra;
  }
  return most > QUICK_BYTES_MAX ? readLongNumbers(from, length, extraAt) : at;
}

/** The same for any number of extra bytes; separate, because a nested loop would slow down the usual case. */
function readLongNumbers(codesAt: number, count: number, extraAt: number): number {
  let at = extraAt;
  let value = 0;
  for (let i = 0; i < count; i += 1) {
    const code = bytes[codesAt + i]! & 255;
    const extra = extraBytes[code]!;
    if (extra === NO_CODE) throw new BadChunk(`no number has the code ${code}`);
    if (code !== AGAIN) {
      value = 0;
      for (let k = extra - 1; k >= 0; k -= 1) value = value * 256 + ((bytes[at + k] ?? 0) & 255);
      value += numberBase[code]!;
    }
    if (value > Number.MAX_SAFE_INTEGER) throw new BadChunk('a gap, step or size that is not below 2^53');
    numbers[i] = value;
    at += extra;
  }
  return at;
}

/** Turns the gaps in `numbers` into `times`. */
function sumTimes(firstTs: number, gaps: number): void {
  times[0] = firstTs;
  let time = times[0];
  for (let i = 0; i < gaps; i += 1) {
    time += numbers[i]!;
    times[i + 1] = time;
  }
  if (time > Number.MAX_SAFE_INTEGER) throw new BadChunk('a time that is not below 2^53');
}

/** By token: its step in ticks, negative against the taker, above eight bits of flags. */
const tokenFacts = new Int32Array(256);
const LATER_FLAG = LATER;
const FAR_STEP = 8;
/** The only byte that is not a token. */
const NO_TOKEN = TOKEN_KINDS.length * MOVES;
for (let token = 0; token < NO_TOKEN; token += 1) {
  const kind = TOKEN_KINDS[Math.floor(token / MOVES)]!;
  const length = ((token % MOVES) + 1) >> 1;
  const step = (token % MOVES) % 2 === 1 ? length : -length;
  tokenFacts[token] = (step << 8) | kind | (length > NEAR_TICKS ? FAR_STEP : 0);
}
/** Price change of a step of one tick with the taker: at 0 for a seller, at 1 for a buyer. */
const tickOf = new Float64Array(16);

/** Fills `ts`, `price` and `isBuy`. */
function readTokens({ trades, gaps, farSteps, firstPrice, firstIsBuy, tick }: TickHeader): void {
  tickOf[0] = -tick;
  tickOf[1] = tick;
  // Values from a typed array are known to be numbers, so the loop has nothing to check.
  price[0] = firstPrice;
  let at = price[0];
  let lowest = at;
  let highest = at;
  let side = firstIsBuy | 0;
  let gap = 0;
  let far = 0;
  const length = trades | 0;
  for (let i = 0; i < length; i = (i + 1) | 0) {
    const facts = tokenFacts[bytes[i]! & 255]!;
    side ^= (facts >> 1) & 1;
    if ((facts & FAR_STEP) === 0) {
      at += (facts >> 8) * tickOf[side & 1]!;
    } else {
      at += (facts > 0 ? farTicks[far]! : -farTicks[far]!) * tickOf[side & 1]!;
      far = (far + 1) | 0;
    }
    lowest = Math.min(lowest, at);
    highest = Math.max(highest, at);
    gap = (gap + (facts & LATER_FLAG)) | 0;
    ts[i] = times[gap]!;
    price[i] = at;
    isBuySigned[i] = side;
  }
  const first = trades > 0 ? tokenFacts[bytes[0]! & 255]! : 0;
  if (gap !== gaps || far !== farSteps) throw new BadChunk('the tokens do not match the gaps and steps');
  if ((first & ~SAME_ORDER) !== 0) throw new BadChunk('the first trade is not the one in the header');
  const isInRange = lowest >= 0 && highest <= Number.MAX_SAFE_INTEGER;
  if (!isInRange) throw new BadChunk('a price that is not from 0 below 2^53');
}

function readSameOrder(into: Int8Array, length: number): void {
  for (let i = 0; i < length; i += 1) into[i] = (tokenFacts[bytes[i]! & 255]! >> 2) & 1;
}

// V8 compiles a loop while it first runs. The surrounding code must have run often enough by then; otherwise V8
// deoptimises it, and in every tenth process ends up with code of half the speed. So everything runs first, on no
// trades.
const WARM_UPS = 32;
const nothing = framePayload(TICKS_KIND, Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 1));
for (let i = 0; i < WARM_UPS; i += 1) lendTicks(nothing);
