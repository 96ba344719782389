import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@crosstape/core';
import type { Failure } from '../platform/errors.ts';
import type { AnswerCache } from './answer-cache.ts';
import { hasTwoHosts } from './allowed-hosts.ts';
import type { Admission, Gate, Pass } from './gate.ts';
import { extractApiKey } from './extract-api-key.ts';
import { acceptedEncoding } from './negotiate.ts';
import type { PaceOptions } from './paced-body.ts';
import { countOne } from './request-counter.ts';
import { prefersCsv } from './with-csv.ts';
import { writeAnswer } from './write.ts';

/** Cached URLs; beyond this the oldest is dropped. */
const URLS_MAX = 8_192;
/** Longer URLs are not cached. */
const URL_CHARS_MAX = 512;
const anonymous: Pass = {};

/** Writes the refusal of an API request; returns the status. */
export type Refuse = (
  request: IncomingMessage,
  response: ServerResponse,
  admission: Admission,
  failure: Failure,
) => number;

interface HotUrl {
  readonly key: string;
  readonly counts: Map<number, number>;
}

/**
 * The fast path before the router: a URL that was answered before (identical except for its key) leads directly to its
 * cached answer while that is valid.
 */
export class HotPath {
  readonly #pace: PaceOptions;
  readonly #clock: Clock;
  readonly #answers: AnswerCache;
  readonly #gate: Gate;
  readonly #refuse: Refuse;
  readonly #urls = new Map<string, HotUrl>();

  constructor(pace: PaceOptions, answers: AnswerCache, gate: Gate, refuse: Refuse) {
    this.#refuse = refuse;
    this.#pace = pace;
    this.#clock = pace.clock;
    this.#answers = answers;
    this.#gate = gate;
  }

  /** `url` has no key in it. */
  remember(url: string, key: string, counts: Map<number, number>): void {
    if (url.length > URL_CHARS_MAX) return;
    if (this.#urls.size >= URLS_MAX) {
      const [oldest] = this.#urls.keys();
      if (oldest !== undefined) this.#urls.delete(oldest);
    }
    this.#urls.set(url, { key, counts });
  }

  /** False if the request must go through the router. */
  serve(request: IncomingMessage, response: ServerResponse): boolean {
    const { key, bareUrl } = extractApiKey(request);
    const hot = bareUrl === undefined ? undefined : this.#urls.get(bareUrl);
    if (hot === undefined || request.method !== 'GET' || hasTwoHosts(request)) return false;
    if (prefersCsv(request.headers.accept)) return false;
    const nowMs = this.#clock.now();
    const answer = this.#answers.fresh(hot.key, nowMs);
    const variant = answer?.ready(acceptedEncoding(request.headers['accept-encoding']));
    if (answer === undefined || variant === undefined) return false;
    const pass = key === undefined ? anonymous : this.#gate.recall(key);
    if (pass === undefined) return false;
    const admission = this.#gate.admit(request, pass);
    const { headers, refusal } = admission;
    if (refusal) {
      countOne(hot.counts, this.#refuse(request, response, admission, refusal));
      return true;
    }
    countOne(
      hot.counts,
      writeAnswer(request, response, {
        answer,
        variant,
        nowMs,
        headers,
        isPrivate: pass.owner !== undefined,
        pace: this.#pace,
      }),
    );
    return true;
  }
}
