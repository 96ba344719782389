import { type Clock, HOUR_MS, type Timer } from '@crosstape/core';
import { type Log, warnOnce, type WarnOnce } from '../../platform/log.ts';
import type { KeyTable } from './key-table.ts';
import type { KeyUsage } from './key-usage.ts';

/** A caller's key must be used within this time. Including the sweep, it is removed within a day. */
export const USE_WITHIN_MS = 23 * HOUR_MS;
const SWEEP_EVERY_MS = HOUR_MS;
/** A caller's key that was last used this long ago is removed when there is no room for new ones. */
const IDLE_MS = 90 * 24 * HOUR_MS;
const MAKE_ROOM_EVERY_MS = HOUR_MS;
const ROWS_AT_A_TIME = 500;

export interface KeyExpiryOptions {
  readonly clock: Clock;
  readonly table: KeyTable;
  readonly usage: KeyUsage;
  readonly log: Log;
}

/** Removes keys that callers made and do not use. Keys of the operator stay. */
export class KeyExpiry {
  readonly #options: KeyExpiryOptions;
  readonly #warn: WarnOnce;
  readonly #timer: Timer;
  #madeRoomAtMs: number | undefined;
  /** Both sweeps read all rows they may remove: one at a time. */
  #sweeping: Promise<void> = Promise.resolve();
  #makingRoom: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: KeyExpiryOptions) {
    this.#options = options;
    this.#warn = warnOnce(options.log);
    this.#timer = options.clock.every(SWEEP_EVERY_MS, () => void this.expireUnused());
  }

  /** Removes keys that were not used in time. */
  expireUnused(): Promise<void> {
    const swept = this.#sweeping
      .then(() => this.#expireUnused())
      .catch((error: unknown) => this.#warn('expire', { err: error }, 'unused keys cannot be removed'));
    this.#sweeping = swept;
    return swept;
  }

  /** Removes idle keys. At most once an hour; concurrent callers wait for the same sweep. */
  makeRoom(): Promise<void> {
    const nowMs = this.#options.clock.now();
    if (this.#makingRoom) return this.#makingRoom;
    if (this.#madeRoomAtMs !== undefined && nowMs - this.#madeRoomAtMs < MAKE_ROOM_EVERY_MS)
      return Promise.resolve();
    this.#madeRoomAtMs = nowMs;
    const making = this.#sweeping
      .then(() => this.#removeIdle(nowMs))
      .catch((error: unknown) => {
        // The next caller tries again.
        this.#madeRoomAtMs = undefined;
        this.#warn('room', { err: error }, 'idle keys cannot be removed');
      })
      .finally(() => {
        this.#makingRoom = undefined;
      });
    this.#makingRoom = making;
    this.#sweeping = making;
    return making;
  }

  /** Before the store is closed. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer.cancel();
    await this.#sweeping;
  }

  async #expireUnused(): Promise<void> {
    const { clock, table } = this.#options;
    const beforeMs = clock.now() - USE_WITHIN_MS;
    while (!this.#isStopped) {
      const trials = await table.onTrialBefore(beforeMs, ROWS_AT_A_TIME);
      if (trials.length === 0) return;
      const ids = trials.map(({ id }) => id);
      await table.endTrial(trials, await this.#whichOf(ids, (lastUsedAtMs) => lastUsedAtMs === undefined));
      await yieldToEventLoop();
    }
  }

  async #removeIdle(nowMs: number): Promise<void> {
    const { table } = this.#options;
    let to: string | undefined;
    do {
      const madeBeforeMs = nowMs - USE_WITHIN_MS;
      const { ids, next } = await table.selfMadeBefore(madeBeforeMs, { to, limit: ROWS_AT_A_TIME });
      const idle = await this.#whichOf(ids, (lastUsedAtMs) => (lastUsedAtMs ?? 0) < nowMs - IDLE_MS);
      if (idle.length > 0) await table.forget(idle);
      to = next;
      await yieldToEventLoop();
    } while (to !== undefined && !this.#isStopped);
  }

  async #whichOf(
    ids: readonly string[],
    isDue: (lastUsedAtMs: number | undefined) => boolean,
  ): Promise<readonly string[]> {
    const due: string[] = [];
    for (const id of ids) if (isDue((await this.#options.usage.of(id)).lastUsedAtMs)) due.push(id);
    return due;
  }
}

function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
