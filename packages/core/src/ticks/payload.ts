import { BadChunk } from './bad-chunk.ts';
import { readVarint, varintBytes, writeVarint } from './varint.ts';

/** The kind of a payload, which is its first byte. */
export const TICKS_KIND = 0x54;
export const IDS_KIND = 0x49;
export const RECEIPTS_KIND = 0x52;
export type PayloadKind = typeof TICKS_KIND | typeof IDS_KIND | typeof RECEIPTS_KIND;

export const CHUNK_VERSION = 1;

/** Maximum trades per payload: a chunk of 8,192, plus the rest of a busy millisecond. */
export const CHUNK_TRADES_MAX = 65_536;

/** More than any payload needs: at worst each trade has a token, two codes and three times seven extra bytes. */
export const BODY_BYTES_MAX = CHUNK_TRADES_MAX * 24 + 128;

/** A payload with kind, version and length in front of its body, which is its last bytes and still empty. */
export function emptyPayload(kind: PayloadKind, bodyBytes: number): Uint8Array {
  const payload = new Uint8Array(2 + varintBytes(bodyBytes) + bodyBytes);
  payload[0] = kind;
  payload[1] = CHUNK_VERSION;
  writeVarint(payload, 2, bodyBytes);
  return payload;
}

/** Puts a body into its frame. */
export function framePayload(kind: PayloadKind, body: Uint8Array): Uint8Array {
  const payload = emptyPayload(kind, body.length);
  payload.set(body, payload.length - body.length);
  return payload;
}

/** The body of a payload, without copying it. Nothing may follow it. */
export function payloadBody(payload: Uint8Array, kind: PayloadKind): Uint8Array {
  const { start, end } = frameAt(payload, 0);
  if (payload[0] !== kind) {
    throw new BadChunk(`a payload of kind ${payload[0]} where one of kind ${kind} was expected`);
  }
  if (payload[1] !== CHUNK_VERSION) {
    throw new BadChunk(`a payload of version ${payload[1]}; this reader knows version ${CHUNK_VERSION}`);
  }
  if (end !== payload.length)
    throw new BadChunk(`${payload.length - end} bytes follow the end of the payload`);
  return payload.subarray(start, end);
}

/** The payloads of concatenated members, decompressed, without copying them. */
export function* splitPayloads(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; ) {
    const { end } = frameAt(bytes, at);
    yield bytes.subarray(at, end);
    at = end;
  }
}

function frameAt(bytes: Uint8Array, at: number): { readonly start: number; readonly end: number } {
  const kind = bytes[at];
  if (kind !== TICKS_KIND && kind !== IDS_KIND && kind !== RECEIPTS_KIND) {
    throw new BadChunk(kind === undefined ? 'no bytes at all' : `no payload begins with the byte ${kind}`);
  }
  const length = readVarint(bytes, at + 2);
  if (length.value > BODY_BYTES_MAX) {
    throw new BadChunk(`a body of ${length.value} bytes; at most ${BODY_BYTES_MAX} are possible`);
  }
  const end = length.next + length.value;
  if (end > bytes.length) throw new BadChunk(`cut short: ${end - bytes.length} bytes are missing`);
  return { start: length.next, end };
}
