import type { IncomingMessage } from 'node:http';
import type { Clock } from '@crosstape/core';
import { callerBehind, networkOf, type TrustProxy } from '../platform/client-address.ts';
import { Failure } from '../platform/errors.ts';
import { type KeyOwner, type KeyStore, type Tier, tiers } from '../platform/key-store.ts';
import { type Log, warnOnce, type WarnOnce } from '../platform/log.ts';
import {
  ADDRESS_KEYS_QUOTA,
  type Allowance,
  ANONYMOUS_QUOTA,
  BUILD_COST,
  NETWORK_KEYS_QUOTA,
  NETWORK_PAGES_QUOTA,
  NETWORK_QUOTA,
  PAGES_QUOTA,
  Quota,
  QUOTA_WINDOW_SECONDS,
  type QuotaMode,
  type ShareQuota,
  tierQuotas,
} from '../platform/quota.ts';

/** Header values are cached up to this many remaining requests. */
const REMAINING_KEPT_MAX = 300;
/** Header values by limit. */
const policies = new Map(
  [ANONYMOUS_QUOTA, ...tiers.map((tier) => tierQuotas[tier])].map((limit) => [
    limit,
    `"default";q=${limit};w=${QUOTA_WINDOW_SECONDS}`,
  ]),
);
/** Sent when requests over the quota are served. */
const notEnforced = ['RateLimit-Enforced', '?0'];

/** Why a given key is not accepted: it is unknown, or the key store is unavailable. */
export type KeyStatus = 'invalid' | 'unavailable';

/** The result of a key's look-up; empty if none was given. */
export interface Pass {
  readonly owner?: KeyOwner | undefined;
  readonly keyStatus?: KeyStatus | undefined;
}

/** The gate's decision about a request. */
export interface Admission extends Pass {
  /** The caller that is counted: a key, or an address. */
  readonly caller: string;
  /** The address of the request, whatever the caller. */
  readonly address: string;
  /** Sent with every answer: name, value, name, value. */
  readonly headers: readonly string[];
  /** Why the request is refused. */
  readonly refusal?: Failure | undefined;
}

/** The caller behind a socket. */
export interface SocketCaller {
  readonly caller: string;
  readonly address: string;
  /** Tier of the key, if any. */
  readonly tier?: Tier;
}

export interface GateOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly keys: KeyStore;
  readonly quota: QuotaMode;
  readonly trustProxy: TrustProxy;
  readonly shareQuota?: ShareQuota | undefined;
}

/** Identifies and counts callers. */
export class Gate {
  readonly #mode: QuotaMode;
  readonly #quota: Quota;
  readonly #networks: Quota;
  /** Requests with free keys. */
  readonly #keyed: Quota;
  readonly #keyedNetworks: Quota;
  readonly #pages: Quota;
  readonly #networkPages: Quota;
  readonly #keys: KeyStore;
  readonly #warn: WarnOnce;
  readonly #callerOf: (request: IncomingMessage) => string;
  readonly #rateLimits = Array.from<string | undefined>({
    length: (REMAINING_KEPT_MAX + 1) * (QUOTA_WINDOW_SECONDS + 1),
  });
  /** A direct peer is the same caller for the life of its connection. */
  readonly #addressBySocket: WeakMap<object, string> | undefined;

  constructor({ clock, log, keys, quota, trustProxy, shareQuota }: GateOptions) {
    this.#mode = quota;
    this.#quota = new Quota(clock);
    shareQuota?.('requests', this.#quota);
    this.#networks = new Quota(clock);
    shareQuota?.('networks', this.#networks);
    this.#keyed = new Quota(clock);
    shareQuota?.('keyed', this.#keyed);
    this.#keyedNetworks = new Quota(clock);
    shareQuota?.('keyed-networks', this.#keyedNetworks);
    this.#pages = new Quota(clock);
    this.#networkPages = new Quota(clock);
    this.#keys = keys;
    this.#warn = warnOnce(log);
    this.#callerOf = callerBehind(trustProxy);
    this.#addressBySocket = trustProxy === false ? new WeakMap() : undefined;
  }

  /** The cached result of a key's look-up. */
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

  /** Counts a request, for the owner of a key or else for its address. `cost` is in requests. */
  admit(request: IncomingMessage, { owner, keyStatus }: Pass, cost = 1): Admission {
    const address = this.addressOf(request);
    const caller = owner ? `key ${owner.id}` : address;
    if (this.#mode === 'off') {
      if (owner) this.#keys.count(owner);
      return { caller, address, headers: [], owner, keyStatus };
    }
    const limit = owner ? tierQuotas[owner.tier] : ANONYMOUS_QUOTA;
    const allowance = this.#quota.take(caller, limit, cost);
    const headers = [
      'RateLimit-Policy',
      policies.get(limit) as string,
      'RateLimit',
      this.#rateLimit(allowance),
      ...(this.#mode === 'report' ? notEnforced : []),
    ];
    const refusal =
      this.#mode === 'enforce'
        ? (refusalOf(limit, allowance, keyStatus) ?? this.#sharedRefusal(address, owner?.tier, cost))
        : undefined;
    if (owner && !refusal) this.#keys.count(owner);
    return { caller, address, headers, owner, keyStatus, refusal };
  }

  /** Counts a build over a socket like one over HTTP. Returns why it is refused. */
  countBuild({ caller, tier, address }: SocketCaller): Failure | undefined {
    if (this.#mode === 'off') return undefined;
    const limit = tier ? tierQuotas[tier] : ANONYMOUS_QUOTA;
    const allowance = this.#quota.take(caller, limit, BUILD_COST);
    if (this.#mode !== 'enforce') return undefined;
    if (allowance.isOver) return overQuota(limit, allowance);
    return this.#sharedRefusal(address, tier, BUILD_COST);
  }

  /** Admits a request that is exempt from the quota: pages, health and preflights. Only floods are refused. */
  exempt(request: IncomingMessage, cost = 1): Admission {
    if (this.#mode !== 'enforce') return exempted;
    const address = this.addressOf(request);
    const allowance = this.#pages.take(address, PAGES_QUOTA, cost);
    const refusal = allowance.isOver
      ? overQuota(PAGES_QUOTA, allowance)
      : overNetworkQuota(
          NETWORK_PAGES_QUOTA,
          this.#networkPages.take(networkOf(address), NETWORK_PAGES_QUOTA, cost),
        );
    return refusal ? { ...exempted, refusal } : exempted;
  }

  /**
   * Addresses of one network share a limit, so that a caller with many addresses gets no more than 50 times the quota.
   * The free keys of an address, which callers create themselves, count together; the operator's keys do not.
   */
  #sharedRefusal(address: string, tier: Tier | undefined, cost: number): Failure | undefined {
    if (tier === 'pro') return undefined;
    const network = networkOf(address);
    if (tier === undefined)
      return overNetworkQuota(NETWORK_QUOTA, this.#networks.take(network, NETWORK_QUOTA, cost));
    const own = this.#keyed.take(address, ADDRESS_KEYS_QUOTA, cost);
    return own.isOver
      ? overKeysQuota(own)
      : overNetworkQuota(NETWORK_KEYS_QUOTA, this.#keyedNetworks.take(network, NETWORK_KEYS_QUOTA, cost));
  }

  /** Cached, because building the text for every request would cost more than counting. */
  #rateLimit({ remaining, resetSeconds }: Allowance): string {
    if (remaining > REMAINING_KEPT_MAX) return rateLimitOf(remaining, resetSeconds);
    const place = remaining * (QUOTA_WINDOW_SECONDS + 1) + resetSeconds;
    return (this.#rateLimits[place] ??= rateLimitOf(remaining, resetSeconds));
  }

  /** The address that a request counts for. */
  addressOf(request: IncomingMessage): string {
    const known = this.#addressBySocket?.get(request.socket);
    if (known !== undefined) return known;
    const address = this.#callerOf(request);
    this.#addressBySocket?.set(request.socket, address);
    return address;
  }
}

const exempted: Admission = { caller: '', address: '', headers: [] };

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

function overKeysQuota({ resetSeconds }: Allowance): Failure {
  const text = `More than ${ADDRESS_KEYS_QUOTA} requests in ${QUOTA_WINDOW_SECONDS} seconds with free keys from the same address; try again in ${resetSeconds} s.`;
  return new Failure('rate_limited', text, { retryAfterSeconds: resetSeconds });
}

function overNetworkQuota(limit: number, { isOver, resetSeconds }: Allowance): Failure | undefined {
  if (!isOver) return undefined;
  const text = `More than ${limit} requests in ${QUOTA_WINDOW_SECONDS} seconds from the same network (/24, or /48 of IPv6); try again in ${resetSeconds} s.`;
  return new Failure('rate_limited', text, { retryAfterSeconds: resetSeconds });
}

function invalidKey(): Failure {
  return new Failure(
    'unauthorized',
    'The API key is not valid; without a key the request is served anonymously.',
  );
}
