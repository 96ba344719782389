import type { Clock } from '@crosstape/core';
import { networkOf } from '../../platform/client-address.ts';
import { Failure } from '../../platform/errors.ts';
import { Quota, type ShareQuota } from '../../platform/quota.ts';

/** Keys that an address, which is the /64 of IPv6, may make in a day. No address is written down: a restart forgets them. */
const PER_ADDRESS_MAX = 3;
/** The same of a network: the /48 of IPv6, the /24 of IPv4. */
const PER_NETWORK_MAX = 12;
const DAY_SECONDS = 86_400;

/** How many keys callers may make. `KeyRing` bounds all of them together. */
export class KeyIssuance {
  readonly #addresses: Quota;
  readonly #networks: Quota;

  constructor(clock: Clock, shareQuota?: ShareQuota) {
    this.#addresses = new Quota(clock, { windowSeconds: DAY_SECONDS });
    this.#networks = new Quota(clock, { windowSeconds: DAY_SECONDS });
    shareQuota?.('keys', this.#addresses);
    shareQuota?.('network-keys', this.#networks);
  }

  /** Throws when the address, or its network, has made its keys of the day. */
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
