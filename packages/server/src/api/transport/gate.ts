import type { IncomingMessage } from 'node:http';
import type { Clock } from '@crosstape/core';
import { callerBehind, type TrustProxy } from '../../platform/client-address.ts';
import { Failure } from '../../platform/errors.ts';
import { type KeyOwner, type KeyStore, tiers } from '../../platform/key-store.ts';
import { type Log, warnOnce, type WarnOnce } from '../../platform/log.ts';
import {
  type Allowance,
  ANONYMOUS_QUOTA,
  Quota,
  QUOTA_WINDOW_SECONDS,
  type QuotaMode,
  type ShareQuota,
  tierQuotas,
} from '../../platform/quota.ts';

/** Header texts for more requests left than this are made anew each time. */
const REMAINING_KEPT_MAX = 300;
const policies = new Map(
  [ANONYMOUS_QUOTA, ...tiers.map((tier) => tierQuotas[tier])].map((limit) => [limit, policyOf(limit)]),
);

/** Why a key that was given does not count: it is not known, or nobody can tell at the moment. */
export type KeyStatus = 'invalid' | 'unavailable';

/** What a key is worth. Nothing, when none was given. */
export interface Pass {
  readonly owner?: KeyOwner | undefined;
  readonly keyStatus?: KeyStatus | undefined;
}

/** What the gate says of a request. */
export interface Admission extends Pass {
  /** Who is counted: a key, or where the request comes from. */
  readonly caller: string;
  /** Where it comes from, whoever sends it. */
  readonly address: string;
  /** To be sent with the answer, whatever it is: name, value, name, value. */
  readonly headers: readonly string[];
  /** Why the request is turned away. */
  readonly refusal?: Failure | undefined;
}

export interface GateOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly keys: KeyStore;
  readonly quota: QuotaMode;
  readonly trustProxy: TrustProxy;
  readonly shareQuota?: ShareQuota | undefined;
}

/** Where callers are told apart and counted. */
export class Gate {
  readonly #mode: QuotaMode;
  readonly #quota: Quota;
  readonly #keys: KeyStore;
  readonly #warn: WarnOnce;
  readonly #callerOf: (request: IncomingMessage) => string;
  readonly #rateLimits = Array.from<string | undefined>({
    length: (REMAINING_KEPT_MAX + 1) * (QUOTA_WINDOW_SECONDS + 1),
  });
  /** A peer that is believed only about itself is the same caller for as long as its connection lasts. */
  readonly #addressBySocket: WeakMap<object, string> | undefined;

  constructor({ clock, log, keys, quota, trustProxy, shareQuota }: GateOptions) {
    this.#mode = quota;
    this.#quota = new Quota(clock);
    shareQuota?.('requests', this.#quota);
    this.#keys = keys;
    this.#warn = warnOnce(log);
    this.#callerOf = callerBehind(trustProxy);
    this.#addressBySocket = trustProxy === false ? new WeakMap() : undefined;
  }

  /** What a key is worth if that is known without waiting. */
  recall(key: string): Pass | undefined {
    const owner = this.#keys.recall(key);
    return owner && { owner };
  }

  async check(key: string): Promise<Pass> {
    try {
      const owner = await this.#keys.find(key);
      return owner ? { owner } : { keyStatus: 'invalid' };
    } catch (error) {
      this.#warn('keys', { err: error }, 'keys cannot be looked up: their owners are served as anonymous');
      return { keyStatus: 'unavailable' };
    }
  }

  /** Counts a request: for the owner of a key, else for where it comes from. */
  admit(request: IncomingMessage, { owner, keyStatus }: Pass): Admission {
    const address = this.#addressFor(request);
    const caller = owner ? `key ${owner.id}` : address;
    if (this.#mode === 'off') {
      if (owner) this.#keys.count(owner);
      return { caller, address, headers: [], owner, keyStatus };
    }
    const limit = owner ? tierQuotas[owner.tier] : ANONYMOUS_QUOTA;
    const allowance = this.#quota.take(caller, limit);
    const headers = [
      'RateLimit-Policy',
      policies.get(limit) as string,
      'RateLimit',
      this.#rateLimit(allowance),
    ];
    const refusal = this.#mode === 'enforce' ? refusalOf(limit, allowance, keyStatus) : undefined;
    if (owner && !refusal) this.#keys.count(owner);
    return { caller, address, headers, owner, keyStatus, refusal };
  }

  /** Lets a request by that is nobody's business. */
  wave(): Admission {
    return { caller: '', address: '', headers: [] };
  }

  /** There are few different ones, and a new text for every request costs more than all the counting. */
  #rateLimit({ remaining, resetSeconds }: Allowance): string {
    if (remaining > REMAINING_KEPT_MAX) return rateLimitOf(remaining, resetSeconds);
    const place = remaining * (QUOTA_WINDOW_SECONDS + 1) + resetSeconds;
    return (this.#rateLimits[place] ??= rateLimitOf(remaining, resetSeconds));
  }

  #addressFor(request: IncomingMessage): string {
    const known = this.#addressBySocket?.get(request.socket);
    if (known !== undefined) return known;
    const address = this.#callerOf(request);
    this.#addressBySocket?.set(request.socket, address);
    return address;
  }
}

function policyOf(limit: number): string {
  return `"default";q=${limit};w=${QUOTA_WINDOW_SECONDS}`;
}

function rateLimitOf(remaining: number, resetSeconds: number): string {
  return `"default";r=${remaining};t=${resetSeconds}`;
}

function refusalOf(
  limit: number,
  allowance: Allowance,
  keyStatus: KeyStatus | undefined,
): Failure | undefined {
  if (allowance.isOver) return overQuota(limit, allowance);
  return keyStatus === 'invalid' ? invalidKey() : undefined;
}

function overQuota(limit: number, { resetSeconds }: Allowance): Failure {
  return new Failure(
    'rate_limited',
    `More than ${limit} requests in ${QUOTA_WINDOW_SECONDS} seconds; try again in ${resetSeconds} s.`,
    { retryAfterSeconds: resetSeconds },
  );
}

function invalidKey(): Failure {
  return new Failure(
    'unauthorized',
    'The API key is not valid; without a key the request is served anonymously.',
  );
}
