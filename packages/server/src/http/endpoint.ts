import type { Readable } from 'node:stream';
import type { Static, TObject, TProperties, TSchema } from 'typebox';
import type { FailureCode } from '../platform/errors.ts';
import type { RequestContext } from './request-context.ts';
import type { QueryOf } from './read-query.ts';
import type { Meta } from './envelope.ts';
import type { Streamed } from './streamed.ts';

/** Bytes before a text with room: the start of the envelope is written there. */
export const ROOM_BEFORE = 16;

/** Of a buffer that an answer is kept in, at most this share is not part of it. */
const UNUSED_SHARE_MAX = 0.25;

/** Data that was printed as JSON already, off the event loop. */
export class SerializedJson {
  readonly json: Uint8Array;
  /** The same only for the same text, where it is known without reading all of it. */
  readonly digest: Uint8Array | undefined;
  /** Whether the rest of its buffer is free, `ROOM_BEFORE` bytes of it before the text. */
  readonly hasRoom: boolean;

  constructor(json: Uint8Array, { digest, hasRoom = false }: Partial<SerializedJson> = {}) {
    this.json = json;
    this.digest = digest;
    this.hasRoom = hasRoom;
  }

  /** The text between two others: without a copy of it where there is room for them, and little else in the buffer. */
  between(before: string, after: string): Buffer {
    const { json } = this;
    const start = json.byteOffset - before.length;
    const length = before.length + json.length + Buffer.byteLength(after);
    const { byteLength } = json.buffer;
    const isWasteful = byteLength - length > byteLength * UNUSED_SHARE_MAX;
    if (!this.hasRoom || isWasteful || start < 0 || start + length > byteLength)
      return Buffer.concat([Buffer.from(before), json, Buffer.from(after)]);
    const whole = Buffer.from(json.buffer, start, length);
    whole.write(before, 0, 'latin1');
    whole.write(after, before.length + json.length);
    return whole;
  }
}

/** A list that was printed as CSV: sent in place of the envelope. */
export class SerializedCsv {
  readonly csv: Uint8Array;

  constructor(csv: Uint8Array) {
    this.csv = csv;
  }
}

/** Stored bytes, sent as they are read: in place of the envelope, or in base64 within it. */
export interface SentBlob {
  readonly bytes: number;
  /** Distinguishes them from any other answer of the endpoint. */
  readonly tag: string;
  readonly isBase64: boolean;
  stream(): Readable;
}

/** What a handler gives: the envelope or bytes in its place, and how long it holds. */
export type Reply<Data = unknown, Extra = unknown> = {
  readonly meta: Static<typeof Meta> & Extra;
  /** The time at which its sources last confirmed it, which `Age` counts from; default: the time of the fetch. */
  readonly asOfMs?: number;
  /** When the answer stops being right although nothing it was made from has changed. */
  readonly validUntilMs?: number;
  /** Sent as `max-age`, where it is another than the endpoint's. */
  readonly cacheSeconds?: number;
} & ({ readonly data: Data | SerializedJson | SerializedCsv } | { readonly blob: SentBlob });

/** One that is made before it is sent. */
export type EnvelopeReply = Exclude<Reply, { readonly blob: SentBlob }>;

export interface Example {
  readonly summary: string;
  /** Without `?`; it must be a query that the endpoint takes. */
  readonly search: string;
}

/** One path of the interface: its route, documentation, validation, cache rule and handler. */
export interface Endpoint<
  Query extends TObject = TObject,
  Data extends TSchema = TSchema,
  Extra extends TProperties = TProperties,
  Body extends TObject = TObject,
  Context extends RequestContext = RequestContext,
> {
  readonly method: 'GET' | 'POST';
  /** Below the base address. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly query: Query;
  /** Of a POST: the JSON that it takes. */
  readonly body?: Body;
  readonly data: Data;
  /** The field of `data` that CSV has the rows of, where several are lists. */
  readonly list?: string;
  /** Fields of `meta` besides those that every answer may have. */
  readonly meta: Extra;
  /** What the bytes are, of an endpoint that may send bytes in place of the envelope. */
  readonly octets?: string;
  /** What `stream` may send in place of the envelope: media types, each with a description. */
  readonly media?: Readonly<Record<string, string>>;
  /** False: the answer is `data` itself. */
  readonly hasEnvelope: boolean;
  /** Sent as `max-age`; 0 is `no-store`: the answer is computed for each request, and may depend on the caller. */
  readonly cacheSeconds: number;
  /** What a call counts as, in requests of the quota; default: 1. */
  readonly cost?: number;
  readonly examples: readonly Example[];
  /** Failures of its own, besides those of every path. */
  readonly errors: readonly FailureCode[];
  /** Tried before `handle`: an answer that is sent while it is made, and never stored. `undefined`: not for this query. */
  stream?(query: QueryOf<Query>, context: Context): Promise<Streamed | undefined>;
  handle(
    query: QueryOf<Query>,
    context: Context,
    body: Static<Body>,
  ): Reply<Static<Data>, Static<TObject<Extra>>> | Promise<Reply<Static<Data>, Static<TObject<Extra>>>>;
}
