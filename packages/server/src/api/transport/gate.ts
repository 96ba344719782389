import type { IncomingMessage } from 'node:http';
import type { Clock } from '@crosstape/core';
import { callerOf, clientAddress, type TrustProxy } from '../../platform/client-address.ts';
import { Failure } from '../../platform/errors.ts';
import {
  type Allowance,
  ANONYMOUS_QUOTA,
  Quota,
  QUOTA_WINDOW_SECONDS,
  type QuotaMode,
} from '../../platform/quota.ts';
import { KEY_PARAMETER } from '../read-query.ts';

const POLICY = `"default";q=${ANONYMOUS_QUOTA};w=${QUOTA_WINDOW_SECONDS}`;
const KEY_IN_SEARCH = new RegExp(`(^|&)${KEY_PARAMETER}=`);

/** What the gate says of a request. */
export interface Admission {
  readonly caller: string;
  /** To be sent with the answer, whatever it is: name, value, name, value. */
  readonly headers: readonly string[];
  /** Whether it carries a key, none of which is valid as yet. */
  readonly isKeyed: boolean;
  /** Why the request is turned away. */
  readonly refusal?: Failure;
}

export interface GateOptions {
  readonly clock: Clock;
  readonly quota: QuotaMode;
  readonly trustProxy: TrustProxy;
}

/** Where callers are counted. */
export class Gate {
  readonly #mode: QuotaMode;
  readonly #quota: Quota;
  readonly #addressOf: (request: IncomingMessage) => string;
  readonly #rateLimits = Array.from<string | undefined>({
    length: (ANONYMOUS_QUOTA + 1) * (QUOTA_WINDOW_SECONDS + 1),
  });
  /** A peer that is believed only about itself is the same caller for as long as its connection lasts. */
  readonly #callerBySocket: WeakMap<object, string> | undefined;

  constructor({ clock, quota, trustProxy }: GateOptions) {
    this.#mode = quota;
    this.#quota = new Quota(clock);
    this.#addressOf = clientAddress(trustProxy);
    this.#callerBySocket = trustProxy === false ? new WeakMap() : undefined;
  }

  /** Counts a request. */
  admit(request: IncomingMessage, isKeyed: boolean): Admission {
    const caller = this.#callerOf(request);
    if (this.#mode === 'off') return { caller, headers: [], isKeyed };
    const allowance = this.#quota.take(caller);
    const headers = ['RateLimit-Policy', POLICY, 'RateLimit', this.#rateLimit(allowance)];
    if (this.#mode === 'report') return { caller, headers, isKeyed };
    if (allowance.isOver) return { caller, headers, isKeyed, refusal: overQuota(allowance) };
    return isKeyed ? { caller, headers, isKeyed, refusal: invalidKey() } : { caller, headers, isKeyed };
  }

  /** Lets a request by that is nobody's business. */
  wave(): Admission {
    return { caller: '', headers: [], isKeyed: false };
  }

  /** There are few different ones, and a new text for every request costs more than all the counting. */
  #rateLimit({ remaining, resetSeconds }: Allowance): string {
    const place = remaining * (QUOTA_WINDOW_SECONDS + 1) + resetSeconds;
    return (this.#rateLimits[place] ??= `"default";r=${remaining};t=${resetSeconds}`);
  }

  #callerOf(request: IncomingMessage): string {
    const known = this.#callerBySocket?.get(request.socket);
    if (known !== undefined) return known;
    const caller = callerOf(this.#addressOf(request));
    this.#callerBySocket?.set(request.socket, caller);
    return caller;
  }
}

/** Whether a request carries a key in one of the three ways. */
export function hasKey(request: IncomingMessage, search: string): boolean {
  return hasKeyHeader(request) || KEY_IN_SEARCH.test(search);
}

export function hasKeyHeader({ headers }: IncomingMessage): boolean {
  const { authorization } = headers;
  return (
    headers['x-api-key'] !== undefined || (authorization !== undefined && /^bearer\b/i.test(authorization))
  );
}

function overQuota({ resetSeconds }: Allowance): Failure {
  return new Failure(
    'rate_limited',
    `More than ${ANONYMOUS_QUOTA} requests in ${QUOTA_WINDOW_SECONDS} seconds; try again in ${resetSeconds} s.`,
    { retryAfterSeconds: resetSeconds },
  );
}

function invalidKey(): Failure {
  return new Failure(
    'unauthorized',
    'The API key is not valid; without a key the request is served anonymously.',
  );
}
