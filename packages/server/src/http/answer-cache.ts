import type { TObject } from 'typebox';
import type { Bus } from '../platform/bus.ts';
import { nextTurn } from '../platform/next-turn.ts';
import { Answer } from './answer.ts';
import { withAttribution } from './attribution.ts';
import { RequestContext, type Input, type Resources, versionOf } from './request-context.ts';
import { type Endpoint, type EnvelopeReply, SerializedCsv, SerializedJson } from './endpoint.ts';
import { printInTurns } from './print-in-turns.ts';
import { CSV_TYPE, takesCsv } from './with-csv.ts';
import type { QueryOf } from './read-query.ts';

/** Cached answers. */
const ANSWERS_MAX = 4_096;
/** Bytes of all cached answers and encodings. */
const ANSWER_BYTES_MAX = 128 * 1_024 * 1_024;
/** Answers grow as encodings are added, so their bytes are summed again, once in this many renewals. */
const SUM_EVERY = 64;
/**
 * Larger answers are cached only when made a second time: most are requested once, and freeing a cached one costs a
 * full collection.
 */
const LARGE_BYTES = 1_024 * 1_024;
/** Keys of large answers that were made once. */
const LARGE_KEYS_MAX = 1_024;
export const JSON_TYPE = 'application/json; charset=utf-8';

interface Kept {
  readonly answer: Answer;
  readonly inputs: readonly Input[];
  /** Before that, the clock was set back: it would stay valid for as long as the clock was ahead. */
  readonly validFromMs: number;
  readonly validUntilMs: number;
}

/**
 * Cached answers. An answer is reused while its inputs are unchanged and its own time has not expired. One run of the
 * handler serves all waiting callers.
 */
export class AnswerCache {
  readonly #resources: Resources;
  readonly #bus: Bus;
  /** Least recently renewed first. */
  readonly #kept = new Map<string, Kept>();
  readonly #flights = new Map<string, Promise<Answer>>();
  /** The least recently made first. */
  readonly #madeLarge = new Set<string>();
  readonly #bytesMax: number;
  #untilSum = 0;

  constructor(resources: Resources, bytesMax = ANSWER_BYTES_MAX) {
    this.#resources = resources;
    this.#bus = resources.bus;
    this.#bytesMax = bytesMax;
  }

  /** The answer under this key, if it may be reused. */
  fresh(key: string, nowMs: number): Answer | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined || nowMs < kept.validFromMs || nowMs >= kept.validUntilMs) return undefined;
    return this.#isUnchanged(kept.inputs) ? kept.answer : undefined;
  }

  /** `address` is the caller's: its work takes turns with that of other addresses. */
  async answer(key: string, endpoint: Endpoint, query: QueryOf<TObject>, address = ''): Promise<Answer> {
    const fresh = this.fresh(key, this.#resources.clock.now());
    if (fresh) return fresh;
    const flying = this.#flights.get(key);
    if (flying) return flying;
    const flight = this.#make(key, endpoint, query, address).finally(() => this.#flights.delete(key));
    this.#flights.set(key, flight);
    return flight;
  }

  get counts(): { readonly answers: number; readonly bytes: number } {
    return { answers: this.#kept.size, bytes: this.#bytes() };
  }

  async #make(key: string, endpoint: Endpoint, query: QueryOf<TObject>, address: string): Promise<Answer> {
    const context = new RequestContext(this.#resources, undefined, address);
    // Many requests that arrive together would otherwise all begin in the same turn of the event loop.
    if (this.#flights.size > 0) await nextTurn(address);
    const reply = await endpoint.handle(query, context, {});
    if ('blob' in reply) throw new Error(`${endpoint.path}: stored bytes are not kept`);
    const printed = { ...reply, data: await printInTurns(reply.data, address) };
    const made = answerOf(endpoint, withAttribution(printed, this.#resources));
    const before = this.#kept.get(key)?.answer;
    // Inputs change more often than the result: identical bytes keep their compressed variants.
    const answer = before?.parts.body.equals(made.parts.body) ? before : made;
    answer.renew(made.parts.asOfMs);
    const { inputs, nowMs: validFromMs } = context;
    // Data read only from the store have no version to compare.
    const cachedUntilMs = inputs.length > 0 ? Infinity : validFromMs + endpoint.cacheSeconds * 1_000;
    if (made.parts.body.length <= LARGE_BYTES || this.#isMadeAgain(key))
      this.#keep(key, { answer, inputs, validFromMs, validUntilMs: reply.validUntilMs ?? cachedUntilMs });
    else this.#kept.delete(key);
    return answer;
  }

  /** Whether a large answer was made under this key before. */
  #isMadeAgain(key: string): boolean {
    const isAgain = this.#madeLarge.delete(key);
    this.#madeLarge.add(key);
    for (const oldest of this.#madeLarge) {
      if (this.#madeLarge.size <= LARGE_KEYS_MAX) break;
      this.#madeLarge.delete(oldest);
    }
    return isAgain;
  }

  #isUnchanged(inputs: readonly Input[]): boolean {
    for (const { topic, version } of inputs) {
      if (versionOf(this.#bus.latest(topic)) !== version) return false;
    }
    return true;
  }

  #keep(key: string, kept: Kept): void {
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= ANSWERS_MAX) break;
      this.#kept.delete(oldest);
    }
    this.#untilSum -= 1;
    if (this.#untilSum <= 0 || kept.answer.bytes * SUM_EVERY > this.#bytesMax) this.#evictByBytes();
  }

  #evictByBytes(): void {
    this.#untilSum = SUM_EVERY;
    let bytes = this.#bytes();
    for (const [oldest, { answer }] of this.#kept) {
      if (bytes <= this.#bytesMax) break;
      this.#kept.delete(oldest);
      bytes -= answer.bytes;
    }
  }

  #bytes(): number {
    let bytes = 0;
    for (const { answer } of this.#kept.values()) bytes += answer.bytes;
    return bytes;
  }
}

/** An answer as bytes. `meta` comes last, so that `withMeta` can add to it. */
export function answerOf(endpoint: Endpoint, reply: EnvelopeReply): Answer {
  const { meta, asOfMs = meta.fetchedAt } = reply;
  const { cacheSeconds = endpoint.cacheSeconds } = reply;
  const shared = {
    caching: cacheSeconds > 0 ? `public, max-age=${cacheSeconds}` : 'no-store',
    asOfMs,
    ...(cacheSeconds > 0 && !meta.stale && { confirmedEverySeconds: cacheSeconds }),
  };
  const { data } = reply;
  const isNegotiated = endpoint.octets !== undefined || takesCsv(endpoint);
  return new Answer({
    ...shared,
    ...(data instanceof SerializedCsv
      ? { body: Buffer.from(data.csv), contentType: `${CSV_TYPE}; charset=utf-8` }
      : { body: bodyOf(endpoint, data, meta), ...digestOf(data, meta), contentType: JSON_TYPE }),
    ...(isNegotiated && { vary: 'Accept, Accept-Encoding' }),
  });
}

function bodyOf({ hasEnvelope }: Endpoint, data: unknown, meta: object): Buffer {
  if (!(data instanceof SerializedJson))
    return Buffer.from(JSON.stringify(hasEnvelope ? { data, meta } : data));
  if (!hasEnvelope) return Buffer.from(data.json);
  return data.between('{"data":', `,"meta":${JSON.stringify(meta)}}`);
}

/** The digest of the data in place of the body, if they have one. */
function digestOf(data: unknown, meta: object): { readonly digest?: Buffer } {
  if (!(data instanceof SerializedJson) || !data.digest) return {};
  return { digest: Buffer.concat([data.digest, Buffer.from(JSON.stringify(meta))]) };
}

/** The same answer for one caller, with an additional field in `meta`. */
export function withMeta(endpoint: Endpoint, answer: Answer, name: string, value: string): Answer {
  const { body, digest: _, ...parts } = answer.parts;
  const hasMeta = endpoint.hasEnvelope && parts.contentType === JSON_TYPE;
  const added = Buffer.from(`,${JSON.stringify(name)}:${JSON.stringify(value)}}}`);
  return new Answer({
    ...parts,
    body: hasMeta ? Buffer.concat([body.subarray(0, -2), added]) : body,
    caching: 'private, no-store',
  });
}
