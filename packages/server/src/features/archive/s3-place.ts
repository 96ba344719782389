import { createReadStream } from 'node:fs';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createHash } from 'node:crypto';
import { type Clock, type Random, sleep } from '@crosstape/core';
import { backoffMs } from '../../platform/backoff.ts';
import { systemRandom } from '../../platform/random.ts';
import { streamBytes } from '../../platform/stream-bytes.ts';
import { systemClock } from '../../platform/system-clock.ts';
import {
  type ArchivePlace,
  ArchiveError,
  DamagedFileError,
  type FileProof,
  MissingFileError,
} from './archive-place.ts';
import { checkBytes } from './folder-place.ts';
import { EMPTY_SHA256, escapeKey, type S3Keys, signV4 } from './sign-v4.ts';

/** A server that does not move for this long is unreachable. */
const SILENT_MS_MAX = 30_000;
const TRIES_MAX = 4;
const RETRY = { firstMs: 500, maxMs: 8_000 };
const ERROR_BYTES_MAX = 2_000;
/** A manifest of this size lists hundreds of thousands of files. */
const TEXT_BYTES_MAX = 256 * 2 ** 20;

export interface S3PlaceOptions {
  /** `https://s3.eu-central-1.amazonaws.com`, `http://127.0.0.1:9000`; addressed path style. */
  readonly endpoint: string;
  readonly bucket: string;
  /** Before every key; may be empty. */
  readonly prefix: string;
  readonly keys: S3Keys;
  readonly region: string;
  readonly clock?: Clock;
  readonly random?: Random;
}

interface S3Request {
  readonly method: 'GET' | 'PUT';
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: { readonly bytes: number; readonly sha256: string; open(): Readable };
}

/** A reply that says whether the same request may succeed later. */
class S3Refusal extends ArchiveError {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** An archive in a bucket of any S3-compatible store. */
export class S3Place implements ArchivePlace {
  readonly #options: S3PlaceOptions;
  readonly #clock: Clock;
  readonly #random: Random;

  constructor(options: S3PlaceOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom();
  }

  async put(key: string, path: string, proof: FileProof): Promise<void> {
    // A file that a process before has stored is only read.
    const isThere = await this.#check(key, proof).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    await this.#putBody(key, { ...proof, open: () => createReadStream(path) });
    await this.#check(key, proof);
  }

  async putText(key: string, text: string): Promise<void> {
    const body = Buffer.from(text);
    const sha256 = createHash('sha256').update(body).digest('hex');
    await this.#putBody(key, { bytes: body.length, sha256, open: () => streamBytes(body) });
  }

  async read(key: string, start: number, end: number): Promise<Buffer> {
    return this.#retried(async () => {
      const reply = await this.#send({ method: 'GET', key, headers: { range: `bytes=${start}-${end - 1}` } });
      const bytes = await readAll(reply, end - start);
      if (bytes.length < end - start) throw new ArchiveError(`${key} ends before byte ${end}`);
      return bytes;
    });
  }

  async *stream(
    key: string,
    range?: { readonly start: number; readonly end: number },
  ): AsyncGenerator<Uint8Array> {
    const headers = range && { range: `bytes=${range.start}-${range.end - 1}` };
    yield* await this.#retried(() => this.#send({ method: 'GET', key, ...(headers && { headers }) }));
  }

  async readText(key: string): Promise<string | undefined> {
    try {
      return await this.#retried(async () => {
        const reply = await this.#send({ method: 'GET', key });
        return (await readAll(reply, TEXT_BYTES_MAX)).toString();
      });
    } catch (error) {
      if (error instanceof MissingFileError) return undefined;
      throw error;
    }
  }

  async #check(key: string, proof: FileProof): Promise<void> {
    await this.#retried(async () => checkBytes(key, await this.#send({ method: 'GET', key }), proof));
  }

  async #putBody(key: string, body: NonNullable<S3Request['body']>): Promise<void> {
    await this.#retried(async () => {
      (await this.#send({ method: 'PUT', key, body })).resume();
    });
  }

  /** Again after a broken connection, a silent server, 429 and 5xx; other refusals are final. */
  async #retried<Result>(attempt: () => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (isFinal(error) || tries === TRIES_MAX) throw error;
        await sleep(this.#clock, backoffMs(tries - 1, RETRY, this.#random));
      }
    }
  }

  async #send({ method, key, headers, body }: S3Request): Promise<IncomingMessage> {
    const { endpoint, bucket, prefix, keys, region } = this.#options;
    const path = [bucket, ...(prefix === '' ? [] : [prefix]), key].map(escapeKey).join('/');
    const url = new URL(`${endpoint}/${path}`);
    const sha256 = body?.sha256 ?? EMPTY_SHA256;
    const signed = signV4({ method, url, sha256, keys, region, nowMs: this.#clock.now(), headers });
    const open = url.protocol === 'https:' ? requestHttps : requestHttp;
    const length = body && { 'content-length': body.bytes };
    const request = open(url, {
      method,
      headers: { ...signed, ...length },
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
    const code = /<Code>([^<]*)<\/Code>/.exec(text)?.[1] ?? 'no code';
    if (status === 404 && code !== 'NoSuchBucket') throw new MissingFileError(`${key} is missing`);
    throw new S3Refusal(status, `${url.origin} answers ${method} ${key} with ${status} (${code})`);
  }
}

function isFinal(error: unknown): boolean {
  if (error instanceof S3Refusal) return error.status < 500 && error.status !== 429;
  return error instanceof DamagedFileError || error instanceof MissingFileError;
}

async function readAll(reply: IncomingMessage, bytesMax: number): Promise<Buffer> {
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
