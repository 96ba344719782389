import type { Clock } from '@crosstape/core';
import { CallerCounts } from '../platform/caller-counts.ts';
import { networkOf } from '../platform/client-address.ts';
import { Quota, type QuotaMode, type ShareQuota } from '../platform/quota.ts';
import type { Tier } from '../platform/key-store.ts';

/** How many sockets an account has at other gateways. */
export interface SlotSharing {
  elsewhere(account: string): number;
  /** Fetches the count. While it is unavailable, each gateway counts alone. */
  learn(account: string): Promise<void>;
  /** Reports the current count of this gateway. */
  publish(account: string, here: number): void;
}

/** Sockets of all callers, those of one network, and unauthenticated ones of one address. */
const SOCKETS_MAX = 20_000;
const SOCKETS_PER_NETWORK = SOCKETS_MAX / 2;
const WAITING_PER_CALLER_MAX = 100;
/** Sockets that one address may open in a minute: several pro keys may reconnect at once. */
export const HANDSHAKES_PER_MINUTE = 300;

interface Limits {
  readonly sockets: number;
  /** Per socket. */
  readonly subscriptions: number;
  readonly subscribesPerMinute: number;
}

const limits: Readonly<Record<Tier, Limits>> = {
  free: { sockets: 3, subscriptions: 20, subscribesPerMinute: 60 },
  pro: { sockets: 20, subscriptions: 200, subscribesPerMinute: 600 },
};
/** Without quotas only the limits that protect the process apply. */
const unlimited: Limits = {
  sockets: SOCKETS_MAX,
  subscriptions: 1_000,
  subscribesPerMinute: Number.MAX_SAFE_INTEGER,
};

/** The key or address whose limits a socket counts towards. */
export interface Account {
  readonly name: string;
  readonly tier: Tier;
}

/** Counts sockets and subscribe operations. */
export class ConnectionSlots {
  readonly #isLimited: boolean;
  /** Counts at other gateways, if there are several. */
  readonly #sharing: SlotSharing | undefined;
  readonly #subscribes: Quota;
  readonly #handshakes: Quota;
  readonly #taken = new CallerCounts();
  readonly #waiting = new CallerCounts();
  readonly #byNetwork = new CallerCounts();
  #open = 0;

  constructor(clock: Clock, quota: QuotaMode, shareQuota?: ShareQuota, sharing?: SlotSharing) {
    this.#sharing = sharing;
    this.#isLimited = quota !== 'off';
    this.#subscribes = new Quota(clock);
    shareQuota?.('subscribes', this.#subscribes);
    this.#handshakes = new Quota(clock);
  }

  /** Sockets that are open, with or without a slot. */
  get open(): number {
    return this.#open;
  }

  limitsOf({ tier }: Account): Limits {
    return this.#isLimited ? limits[tier] : unlimited;
  }

  /** Counts a handshake. Returns the seconds to wait if it is over the limit. */
  countHandshake(caller: string): number | undefined {
    if (!this.#isLimited) return undefined;
    const { isOver, resetSeconds } = this.#handshakes.take(caller, HANDSHAKES_PER_MINUTE);
    return isOver ? resetSeconds : undefined;
  }

  /** Registers a new socket. False if there are too many. */
  enter(caller: string): boolean {
    const network = networkOf(caller);
    if (this.#open >= SOCKETS_MAX) return false;
    if (this.#isLimited && this.#waiting.of(caller) >= WAITING_PER_CALLER_MAX) return false;
    if (this.#isLimited && this.#byNetwork.of(network) >= SOCKETS_PER_NETWORK) return false;
    this.#open += 1;
    this.#waiting.add(caller);
    this.#byNetwork.add(network);
    return true;
  }

  /** Fetches the counts of other gateways, if available. */
  async learn({ name }: Account): Promise<void> {
    await this.#sharing?.learn(name);
  }

  /** Assigns the socket to its account. False if the account has no free socket. */
  take(caller: string, account: Account): boolean {
    if (!this.#take(account)) return false;
    this.#waiting.remove(caller);
    return true;
  }

  /** Moves a socket to another account. False, and without effect, if that account has none left. */
  change(from: Account, to: Account): boolean {
    if (!this.#take(to)) return false;
    this.#release(from);
    return true;
  }

  leave(caller: string, account: Account | undefined): void {
    this.#open -= 1;
    this.#byNetwork.remove(networkOf(caller));
    if (account) this.#release(account);
    else this.#waiting.remove(caller);
  }

  /** Counts a subscribe operation. Returns the seconds to wait if it is over the limit. */
  countSubscribe(account: Account): number | undefined {
    const { subscribesPerMinute } = this.limitsOf(account);
    if (!this.#isLimited) return undefined;
    const { isOver, resetSeconds } = this.#subscribes.take(account.name, subscribesPerMinute);
    return isOver ? resetSeconds : undefined;
  }

  #take(account: Account): boolean {
    const { name } = account;
    const own = this.#taken.of(name);
    if (own + (this.#sharing?.elsewhere(name) ?? 0) >= this.limitsOf(account).sockets) {
      // The counts of other gateways may be outdated: a retry uses newer ones.
      this.#sharing?.publish(name, own);
      return false;
    }
    this.#taken.add(name);
    this.#sharing?.publish(name, own + 1);
    return true;
  }

  #release({ name }: Account): void {
    this.#taken.remove(name);
    this.#sharing?.publish(name, this.#taken.of(name));
  }
}
