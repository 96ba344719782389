import { createHash } from 'node:crypto';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Clock, type Random, sleep } from '@crosstape/core';
import { backoffMs } from '../../platform/backoff.ts';
import { systemRandom } from '../../platform/random.ts';
import { streamBytes } from '../../platform/stream-bytes.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { ArchiveError, DamagedFileError, MissingFileError } from './archive-place.ts';
import { EMPTY_SHA256, escapeKey, type S3Keys, signV4 } from './sign-v4.ts';

/** A server that does not move for this long is unreachable. */
const SILENT_MS_MAX = 30_000;
const TRIES_MAX = 4;
const RETRY = { firstMs: 500, maxMs: 8_000 };
const ERROR_BYTES_MAX = 2_000;
/** A manifest of this size lists hundreds of thousands of files. */
const TEXT_BYTES_MAX = 256 * 2 ** 20;
const NOT_IMPLEMENTED = 501;
const PART_BYTES = 8 * 2 ** 20;

export interface S3Options {
  /** `https://s3.eu-central-1.amazonaws.com`, `http://127.0.0.1:9000`; addressed path style. */
  readonly endpoint: string;
  readonly bucket: string;
  /** Before every key; may be empty. */
  readonly prefix: string;
  readonly keys: S3Keys;
  readonly region: string;
  /** Larger files are sent in parts of this size; S3 takes 5 MB and more, up to 10,000 parts. Default: 8 MB. */
  readonly partBytes?: number;
  readonly clock?: Clock;
  readonly random?: Random;
}

export interface S3Body {
  readonly bytes: number;
  readonly sha256: string;
  open(): Readable;
}

export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Without the prefix; absent: the bucket. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: S3Body;
}

/** A refusal that says whether a retry may succeed. */
export class S3Refusal extends ArchiveError {
  readonly status: number;
  /** S3 error code, such as `NoSuchUpload`. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Signed requests to a bucket of any S3-compatible store. */
export class S3Client {
  readonly partBytes: number;
  readonly #options: S3Options;
  readonly #clock: Clock;
  readonly #random: Random;

  constructor(options: S3Options) {
    this.#options = options;
    this.partBytes = options.partBytes ?? PART_BYTES;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom();
  }

  get nowMs(): number {
    return this.#clock.now();
  }

  /** A key as the store knows it. */
  fullKey(key: string): string {
    const { prefix } = this.#options;
    return prefix === '' ? key : `${prefix}/${key}`;
  }

  /** Again after a broken connection, a silent server, 429 and 5xx; other refusals are final. */
  async retried<Result>(attempt: () => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (isFinal(error) || tries === TRIES_MAX) throw error;
        await sleep(this.#clock, backoffMs(tries - 1, RETRY, this.#random));
      }
    }
  }

  /** The text of the reply, retried. */
  text(request: S3Request): Promise<string> {
    return this.retried(async () => (await readAll(await this.send(request), TEXT_BYTES_MAX)).toString());
  }

  async send({ method, key, query = {}, headers, body }: S3Request): Promise<IncomingMessage> {
    const { endpoint, bucket, keys, region } = this.#options;
    const path = [bucket, ...(key === undefined ? [] : [this.fullKey(key)])].map(escapeKey).join('/');
    const url = new URL(`${endpoint}/${path}`);
    const sha256 = body?.sha256 ?? EMPTY_SHA256;
    const signed = signV4({ method, url, query, sha256, keys, region, nowMs: this.nowMs, headers });
    const open = url.protocol === 'https:' ? requestHttps : requestHttp;
    const length = body && { 'content-length': body.bytes };
    const request = open(signed.url, {
      method,
      headers: { ...signed.headers, ...length },
      timeout: SILENT_MS_MAX,
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${SILENT_MS_MAX / 1_000} s`)));
    const replied = new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve).once('error', reject);
    });
    // The server may refuse before it has read everything: then its reply counts.
    const sent = body ? pipeline(body.open(), request) : Promise.resolve(void request.end());
    sent.catch(() => undefined);
    const reply = await replied.catch((error: unknown) => {
      throw new ArchiveError(`${url.origin} cannot be reached: ${(error as Error).message}`, {
        cause: error,
      });
    });
    const status = reply.statusCode ?? 0;
    if (status >= 200 && status < 300) return reply;
    const text = (await readAll(reply, ERROR_BYTES_MAX).catch(() => Buffer.alloc(0))).toString();
    throw this.refusal({ method, ...(key !== undefined && { key }) }, status, text);
  }

  /** The error of a reply with `<Error>`. */
  refusal({ method, key }: S3Request, status: number, text: string): ArchiveError {
    const { endpoint, bucket } = this.#options;
    const code = /<Code>([^<]*)<\/Code>/.exec(text)?.[1] ?? 'no code';
    if (status === 404 && code !== 'NoSuchBucket' && code !== 'NoSuchUpload')
      return new MissingFileError(`${key ?? bucket} is missing`);
    const { origin } = new URL(endpoint);
    return new S3Refusal(
      status,
      code,
      `${origin} answers ${method} ${key ?? bucket} with ${status} (${code})`,
    );
  }
}

/** A body that is in memory. */
export function bytesBody(bytes: Buffer): S3Body {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { bytes: bytes.length, sha256, open: () => streamBytes(bytes) };
}

/** Whether the same request would fail again. */
export function isFinal(error: unknown): boolean {
  if (error instanceof S3Refusal)
    return error.status === NOT_IMPLEMENTED || (error.status < 500 && error.status !== 429);
  return error instanceof DamagedFileError || error instanceof MissingFileError;
}

export async function readAll(reply: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of reply as AsyncIterable<Uint8Array>) {
    parts.push(part);
    bytes += part.length;
    if (bytes > bytesMax) {
      reply.destroy();
      break;
    }
  }
  return Buffer.concat(parts).subarray(0, bytesMax);
}
