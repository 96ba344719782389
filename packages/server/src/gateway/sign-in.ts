import { type Clock, sleep, type Timer } from '@crosstape/core';
import type { Static } from 'typebox';
import { type KeyOwner, type KeyStore, REVOCATION_MS, type Tier } from '../platform/key-store.ts';
import type { SocketCaller } from '../http/gate.ts';
import type { AuthFrame } from './client-frames.ts';
import { GatewayError } from './gateway-error.ts';
import type { Account, ConnectionSlots } from './connection-slots.ts';
import { closeCodes } from './server-frames.ts';

/** How long a socket may stay open before it authenticates or sends another frame. */
const FIRST_FRAME_MS_MAX = 10_000;
/** How long the key store may take. */
const KEY_MS_MAX = 5_000;
/** How often a socket's key is checked again. */
const RECHECK_EVERY_MS = REVOCATION_MS / 2;

export interface SignInOptions {
  readonly clock: Clock;
  readonly keys: KeyStore;
  readonly slots: ConnectionSlots;
  /** Whether every client needs a key. */
  readonly requireKey: boolean;
  /** The address of the client. */
  readonly caller: string;
  /** Called when the first frame did not arrive in time, and clients without a key get no slot. */
  readonly onRefused: (error: unknown) => void;
}

/** The client of a socket, and its slot. */
export class SignIn {
  readonly #options: SignInOptions;
  #deadline: Timer;
  #account: Account | undefined;
  #isKeyed = false;
  #isOver = false;
  #recheck: Timer | undefined;

  constructor(options: SignInOptions) {
    this.#options = options;
    this.#deadline = this.#awaitFirstFrame();
  }

  /** The caller whose limits and quota its builds count towards, as with requests. */
  get caller(): SocketCaller {
    const address = this.#options.caller;
    if (!this.#isKeyed || !this.#account) return { caller: address, address };
    return { caller: this.#account.name, address, tier: this.#account.tier };
  }

  /** The account whose limits apply. A socket that has not authenticated becomes anonymous, if allowed. */
  async account(): Promise<Account> {
    const { requireKey, caller, slots } = this.#options;
    if (this.#account) return this.#account;
    if (requireKey) {
      const text = 'A key is needed: the first frame must be {"op":"auth","apiKey":…}.';
      throw new GatewayError('unauthorized', text, { closeWith: closeCodes.unauthorized });
    }
    const account = { name: `address ${caller}`, tier: 'free' } as const;
    await slots.learn(account);
    // A concurrent call may have set it.
    return this.#account ?? this.#takeSlot(account);
  }

  async auth({ apiKey }: Static<typeof AuthFrame>): Promise<Tier> {
    if (apiKey === undefined) return (await this.account()).tier;
    // The socket has authenticated, however long the key store takes.
    this.#deadline.cancel();
    try {
      return await this.#authWith(apiKey);
    } finally {
      if (!this.#account && !this.#isOver) this.#deadline = this.#awaitFirstFrame();
    }
  }

  async #authWith(apiKey: string): Promise<Tier> {
    if (this.#isKeyed) throw new GatewayError('bad_request', 'This socket has already sent a key.');
    const owner = await this.#owner(apiKey);
    if (!owner) {
      throw new GatewayError('unauthorized', 'The key is not known.', { closeWith: closeCodes.unauthorized });
    }
    const account = { name: accountName(owner), tier: owner.tier };
    await this.#options.slots.learn(account);
    const { tier } = this.#takeSlot(account);
    this.#isKeyed = true;
    this.#options.keys.count(owner);
    this.#recheck = this.#options.clock.every(RECHECK_EVERY_MS, () => void this.#checkAgain(apiKey));
    return tier;
  }

  /** The socket is gone. */
  end(): void {
    this.#isOver = true;
    const { slots, caller } = this.#options;
    this.#deadline.cancel();
    this.#recheck?.cancel();
    slots.leave(caller, this.#account);
  }

  #awaitFirstFrame(): Timer {
    const { clock, onRefused } = this.#options;
    return clock.after(FIRST_FRAME_MS_MAX, () => {
      this.account().catch(onRefused);
    });
  }

  /**
   * A key may be revoked or change its tier while its socket is open. It stays valid while the key store is
   * unavailable.
   */
  async #checkAgain(apiKey: string): Promise<void> {
    const { keys, onRefused } = this.#options;
    const found = await keys.find(apiKey).then(
      (owner) => ({ owner }),
      () => undefined,
    );
    if (!found) return;
    if (found.owner) this.#account = { name: accountName(found.owner), tier: found.owner.tier };
    else
      onRefused(
        new GatewayError('unauthorized', 'The key holds no longer.', { closeWith: closeCodes.unauthorized }),
      );
  }

  async #owner(apiKey: string): Promise<KeyOwner | undefined> {
    const { clock, keys, requireKey } = this.#options;
    const late = new AbortController();
    try {
      return await Promise.race([
        keys.find(apiKey),
        sleep(clock, KEY_MS_MAX, late.signal).then(() => Promise.reject(new Error('it takes too long'))),
      ]);
    } catch {
      if (!requireKey) await this.account();
      const rest = requireKey ? 'try again' : 'the socket stays anonymous';
      throw new GatewayError('validator_unavailable', `Keys cannot be checked at the moment; ${rest}.`);
    } finally {
      late.abort();
    }
  }

  #takeSlot(account: Account): Account {
    // The socket closed while its key was looked up: the slot would never be freed.
    if (this.#isOver) throw new GatewayError('bad_request', 'The socket is closed.');
    const { slots, caller } = this.#options;
    const before = this.#account;
    const hasSlot = before ? slots.change(before, account) : slots.take(caller, account);
    if (!hasSlot) {
      const { sockets } = slots.limitsOf(account);
      const text = `${account.tier === 'pro' ? 'A pro key' : 'A free key or an address'} may have ${sockets} sockets open at a time.`;
      throw new GatewayError('rate_limited', text, { closeWith: closeCodes.rateLimited });
    }
    this.#deadline.cancel();
    this.#account = account;
    return account;
  }
}

function accountName({ id }: KeyOwner): string {
  return `key ${id}`;
}
