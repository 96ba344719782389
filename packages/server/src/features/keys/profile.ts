import type { Clock } from '@crosstape/core';
import { networkOf } from '../../platform/client-address.ts';
import { Failure } from '../../platform/errors.ts';
import type { KeyOwner } from '../../platform/key-store.ts';
import { Quota, type ShareQuota, tierQuotas } from '../../platform/quota.ts';
import type { UpstreamMode } from '../../platform/upstream-mode.ts';
import { USE_WITHIN_MS } from './key-expiry.ts';
import type { KeyRing } from './key-ring.ts';
import { JSON_TYPE } from '../../http/answer-cache.ts';
import { sourceLabel } from '../../http/request-context.ts';
import { headerKey } from '../../http/extract-api-key.ts';
import type { Page, PageReply, Visit } from '../../http/route.ts';
import { requireSameOrigin } from '../../http/same-origin.ts';

const RETRY_AFTER_SECONDS = 5;
/** Keys that an address (the /64 of IPv6) may create in a day. Addresses are not stored: a restart forgets them. */
const PER_ADDRESS_MAX = 3;
/** Keys that a network (the /48 of IPv6, the /24 of IPv4) may create in a day. */
const PER_NETWORK_MAX = 12;
const DAY_SECONDS = 86_400;

/** Creates, describes and revokes keys. */
export type KeyIssuer = Pick<KeyRing, 'createForCaller' | 'describe' | 'revoke'>;

export interface ProfileOptions {
  readonly clock: Clock;
  readonly keyIssuer: KeyIssuer;
  readonly upstream: UpstreamMode;
  readonly shareQuota?: ShareQuota | undefined;
}

/** The actions of the dashboard's profile page: there are no accounts, possession of a key is ownership. */
export function profilePages({ clock, keyIssuer, upstream, shareQuota }: ProfileOptions): readonly Page[] {
  const issuance = new KeyIssuance(clock, shareQuota);
  const source = sourceLabel(upstream, ['crosstape']);
  const reply = (status: number, data: object): PageReply => {
    const body = JSON.stringify({ data, meta: { fetchedAt: clock.now(), source } });
    return { status, contentType: JSON_TYPE, body };
  };

  const create = async ({ request, admission }: Visit): Promise<PageReply> => {
    requireSameOrigin(request);
    issuance.take(admission.address);
    const { text, record } = await keyIssuer.createForCaller('free');
    const { id, tier, createdAtMs } = record;
    return reply(201, {
      key: text,
      id,
      tier,
      createdAt: createdAtMs,
      useBefore: createdAtMs + USE_WITHIN_MS,
      requestsPerMinute: tierQuotas[tier],
    });
  };

  const show = async (visit: Visit): Promise<PageReply> => {
    const owner = ownerOf(visit);
    const known = await keyIssuer.describe(owner);
    if (!known) throw notValid();
    const { record, usage } = known;
    return reply(200, {
      id: owner.id,
      tier: record.tier,
      ...(record.label !== undefined && { label: record.label }),
      createdAt: record.createdAtMs,
      requestsPerMinute: tierQuotas[record.tier],
      requestsToday: usage.today,
      requestsTotal: usage.total,
      lastUsedAt: usage.lastUsedAtMs ?? null,
    });
  };

  const revoke = async (visit: Visit): Promise<PageReply> => {
    const owner = ownerOf(visit);
    await keyIssuer.revoke(owner);
    return reply(200, { id: owner.id, revokedAt: clock.now() });
  };

  const page = (path: string, method: string, handle: Page['handle']): Page => {
    return { path, methods: [method], isCounted: true, handle };
  };
  return [
    page('/profile/keys', 'POST', create),
    page('/profile/key', 'GET', show),
    page('/profile/key', 'DELETE', revoke),
  ];
}

function ownerOf({ request, admission: { owner, keyStatus } }: Visit): KeyOwner {
  requireSameOrigin(request);
  if (keyStatus === 'unavailable') {
    throw new Failure('overloaded', 'Keys cannot be checked at the moment.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
  if (headerKey(request) === undefined) {
    const ways = '`X-API-Key: <key>` or `Authorization: Bearer <key>`';
    throw new Failure('unauthorized', `The key must be given in a header: ${ways}.`);
  }
  if (!owner) throw notValid();
  return owner;
}

function notValid(): Failure {
  return new Failure('unauthorized', 'The API key is not valid.');
}

/** Limits how many keys callers create. `KeyRing` limits all of them together. */
class KeyIssuance {
  readonly #addresses: Quota;
  readonly #networks: Quota;

  constructor(clock: Clock, shareQuota?: ShareQuota) {
    this.#addresses = new Quota(clock, { windowSeconds: DAY_SECONDS });
    this.#networks = new Quota(clock, { windowSeconds: DAY_SECONDS });
    shareQuota?.('keys', this.#addresses);
    shareQuota?.('network-keys', this.#networks);
  }

  /** Throws once the address, or its network, has used up its keys of the day. */
  take(address: string): void {
    // Attempts of an address over its limit must not use up its network's allowance.
    const own = this.#addresses.take(address, PER_ADDRESS_MAX);
    if (own.isOver) throw refusal(`An address can create ${PER_ADDRESS_MAX} keys a day.`, own.resetSeconds);
    const shared = this.#networks.take(networkOf(address), PER_NETWORK_MAX);
    if (shared.isOver)
      throw refusal(
        `A network (/48 of IPv6, /24 of IPv4) can create ${PER_NETWORK_MAX} keys a day.`,
        shared.resetSeconds,
      );
  }
}

function refusal(message: string, retryAfterSeconds: number): Failure {
  return new Failure('rate_limited', message, { retryAfterSeconds });
}
