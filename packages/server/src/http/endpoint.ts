import type { Readable } from 'node:stream';
import type { Static, TObject, TProperties, TSchema } from 'typebox';
import type { FailureCode } from '../platform/errors.ts';
import type { RequestContext } from './request-context.ts';
import type { QueryOf } from './read-query.ts';
import type { Meta } from './envelope.ts';
import type { Streamed } from './streamed.ts';

/** Bytes reserved before the text, for the start of the envelope. */
export const ROOM_BEFORE = 16;

/** Largest unused share of a cached buffer. */
const UNUSED_SHARE_MAX = 0.25;

/** Data that was printed as JSON already, off the event loop. */
export class SerializedJson {
  readonly json: Uint8Array;
  /** Identifies the text without reading all of it, if known. */
  readonly digest: Uint8Array | undefined;
  /** Whether the rest of its buffer is free, including `ROOM_BEFORE` bytes before the text. */
  readonly hasRoom: boolean;

  constructor(json: Uint8Array, { digest, hasRoom = false }: Partial<SerializedJson> = {}) {
    this.json = json;
    this.digest = digest;
    this.hasRoom = hasRoom;
  }

  /** The text between two others, without a copy if the buffer has room for them and little else. */
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
  /** Distinguishes it from other answers of the endpoint. */
  readonly tag: string;
  readonly isBase64: boolean;
  stream(): Readable;
}

/** Result of a handler: the envelope or bytes, and how long it is valid. */
export type Reply<Data = unknown, Extra = unknown> = {
  readonly meta: Static<typeof Meta> & Extra;
  /** The time at which its sources last confirmed it, which `Age` counts from; default: the time of the fetch. */
  readonly asOfMs?: number;
  /** When the answer expires although its inputs are unchanged. */
  readonly validUntilMs?: number;
  /** Sent as `max-age` instead of the endpoint's. */
  readonly cacheSeconds?: number;
} & ({ readonly data: Data | SerializedJson | SerializedCsv } | { readonly blob: SentBlob });

/** A reply that is complete before it is sent. */
export type EnvelopeReply = Exclude<Reply, { readonly blob: SentBlob }>;

export interface Example {
  readonly summary: string;
  /** Without `?`; it must be a query that the endpoint takes. */
  readonly search: string;
}

/** One path of the API: its route, documentation, validation, cache rule and handler. */
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
  /** The JSON body of a POST. */
  readonly body?: Body;
  readonly data: Data;
  /** The list in `data` that CSV uses, if there are several. */
  readonly list?: string;
  /** Fields of `meta` in addition to the common ones. */
  readonly meta: Extra;
  /** Description of the bytes, for an endpoint that may send bytes instead of the envelope. */
  readonly octets?: string;
  /** Media types that `stream` may send instead of the envelope, each with a description. */
  readonly media?: Readonly<Record<string, string>>;
  /** False: the answer is `data` only. */
  readonly hasEnvelope: boolean;
  /** Sent as `max-age`; 0 means `no-store`: the answer is computed for each request and may depend on the caller. */
  readonly cacheSeconds: number;
  /** Cost of a call, in requests of the quota; default: 1. */
  readonly cost?: number;
  readonly examples: readonly Example[];
  /** Failures in addition to those of every path. */
  readonly errors: readonly FailureCode[];
  /** Called before `handle`: an answer that is streamed and never cached. `undefined`: not for this query. */
  stream?(query: QueryOf<Query>, context: Context): Promise<Streamed | undefined>;
  handle(
    query: QueryOf<Query>,
    context: Context,
    body: Static<Body>,
  ): Reply<Static<Data>, Static<TObject<Extra>>> | Promise<Reply<Static<Data>, Static<TObject<Extra>>>>;
}
