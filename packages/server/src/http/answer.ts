import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type Encoding = 'br' | 'gzip' | 'identity';

/** Smaller bodies gain nothing from compression. */
const COMPRESSED_BYTES_MIN = 1_024;
/** Close to the best ratio at a tenth of its cost. */
const BROTLI_QUALITY = 5;

const compressors = {
  gzip: promisify<Buffer, Buffer>((body, done) => gzip(body, done)),
  br: promisify<Buffer, Buffer>((body, done) =>
    brotliCompress(
      body,
      {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
          [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
        },
      },
      done,
    ),
  ),
};

/** Any web page may read the answers of the API. */
export const corsHeaders: readonly string[] = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'Age, ETag, RateLimit, RateLimit-Enforced, RateLimit-Policy, Retry-After',
];

/** An answer in one encoding, ready to be written. */
export interface Variant {
  readonly body: Buffer;
  readonly etag: string;
  /** Name, value, name, value: headers that do not depend on the request. */
  readonly headers: readonly string[];
}

export interface AnswerParts {
  readonly body: Buffer;
  /** Identifies the body; default: the body itself. */
  readonly digest?: Buffer;
  readonly contentType: string;
  /** Value of `Cache-Control`. */
  readonly caching: string;
  /** The time at which its sources last confirmed it. */
  readonly asOfMs: number;
  /** How often the service confirms it, however rarely its sources are polled. Absent: never. */
  readonly confirmedEverySeconds?: number;
  /** Default: 200. */
  readonly status?: number;
  /** Value of `Vary`, if it is not only the encoding. */
  readonly vary?: string;
  /** Name, value, name, value: further headers; default: CORS for any page. */
  readonly headers?: readonly string[];
}

/** A complete answer as bytes: each encoding is made once, off the event loop, when it is first requested. */
export class Answer {
  readonly parts: AnswerParts;
  readonly #hash: string;
  #asOfMs: number;
  readonly #ready: { [Name in Encoding]?: Variant } = {};
  readonly #making: { [Name in Encoding]?: Promise<Variant> } = {};

  constructor(parts: AnswerParts) {
    this.parts = parts;
    this.#asOfMs = parts.asOfMs;
    this.#hash = createHash('blake2b512')
      .update(parts.digest ?? parts.body)
      .digest('base64url')
      .slice(0, 22);
    this.#ready.identity = this.#variant(parts.body, 'identity');
  }

  get identity(): Variant {
    return this.#ready.identity as Variant;
  }

  /** It was made again with the same result. */
  renew(atMs: number): void {
    this.#asOfMs = atMs;
  }

  /** Value of `Age`: below `max-age` unless it is known to be stale, so that caches may keep it. */
  ageSeconds(nowMs: number): number {
    const seconds = Math.max(0, Math.floor((nowMs - this.#asOfMs) / 1_000));
    const { confirmedEverySeconds } = this.parts;
    return confirmedEverySeconds === undefined ? seconds : seconds % confirmedEverySeconds;
  }

  /** Bytes held by all variants. */
  get bytes(): number {
    const { br, gzip: gz } = this.#ready;
    return this.parts.body.length + (br?.body.length ?? 0) + (gz?.body.length ?? 0);
  }

  /** The variant, if it exists already. */
  ready(encoding: Encoding): Variant | undefined {
    return this.#ready[encoding];
  }

  async variant(encoding: Encoding): Promise<Variant> {
    return this.#ready[encoding] ?? (this.#making[encoding] ??= this.#make(encoding));
  }

  async #make(encoding: Encoding): Promise<Variant> {
    const { body } = this.parts;
    let made = this.identity;
    if (encoding !== 'identity' && body.length >= COMPRESSED_BYTES_MIN) {
      const compressed = await compressors[encoding](body);
      if (compressed.length < body.length) made = this.#variant(compressed, encoding);
    }
    this.#ready[encoding] = made;
    return made;
  }

  #variant(body: Buffer, encoding: Encoding): Variant {
    const { contentType, caching, vary = 'Accept-Encoding', headers: others = corsHeaders } = this.parts;
    const isEncoded = encoding !== 'identity';
    const etag = isEncoded ? `"${this.#hash}-${encoding}"` : `"${this.#hash}"`;
    const headers = ['Content-Type', contentType, 'Content-Length', String(body.length)];
    if (isEncoded) headers.push('Content-Encoding', encoding);
    headers.push('Cache-Control', caching, 'ETag', etag, 'Vary', vary, ...others);
    return { body, etag, headers };
  }
}
