import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@crosstape/core';
import type { Answers } from '../answers.ts';
import { type Gate, hasKeyHeader } from './gate.ts';
import { acceptedEncoding } from './negotiate.ts';
import { countOne } from './tally.ts';
import { writeAnswer } from './write.ts';

/** Addresses remembered; beyond it the oldest is forgotten. */
const URLS_MAX = 8_192;
/** Longer addresses always take the long way. */
const URL_CHARS_MAX = 512;

interface HotUrl {
  readonly key: string;
  readonly counts: Map<number, number>;
}

/**
 * The way before the router: an address that was answered before, byte for byte, leads straight to its answer while
 * that may be reused.
 */
export class HotPath {
  readonly #clock: Clock;
  readonly #answers: Answers;
  readonly #gate: Gate;
  readonly #urls = new Map<string, HotUrl>();

  constructor(clock: Clock, answers: Answers, gate: Gate) {
    this.#clock = clock;
    this.#answers = answers;
    this.#gate = gate;
  }

  remember(url: string, key: string, counts: Map<number, number>): void {
    if (url.length > URL_CHARS_MAX) return;
    if (this.#urls.size >= URLS_MAX) {
      const [oldest] = this.#urls.keys();
      if (oldest !== undefined) this.#urls.delete(oldest);
    }
    this.#urls.set(url, { key, counts });
  }

  /** False when the request must take the long way; one over its quota is counted again there, to no effect. */
  serve(request: IncomingMessage, response: ServerResponse): boolean {
    const hot = this.#urls.get(request.url ?? '');
    if (hot === undefined || request.method !== 'GET' || hasKeyHeader(request)) return false;
    const nowMs = this.#clock.now();
    const answer = this.#answers.fresh(hot.key, nowMs);
    const variant = answer?.ready(acceptedEncoding(request.headers['accept-encoding']));
    if (answer === undefined || variant === undefined) return false;
    const { headers, refusal } = this.#gate.admit(request, false);
    if (refusal) return false;
    countOne(hot.counts, writeAnswer(request, response, { answer, variant, nowMs, headers }));
    return true;
  }
}
