import type { Clock, Timer } from '@crosstape/core';
import type { Log } from '../platform/log.ts';
import { type RedisLink, Script } from './redis.ts';
import { systemClock } from '../platform/system-clock.ts';

/** Without a word of its holder a lease is free after this. */
const LEASE_MS = 3_000;
/** How often the holder says so, and others ask. */
const ASK_EVERY_MS = 250;

/** Also where there is no room: without a leader nothing makes room, and it is two small keys. */
const flags = 'allow-oom';

/**
 * `KEYS`: the holder, the newest token. `ARGV`: the caller, the duration, its token or 0. Returns the holder's token if
 * the caller is the holder, else 0. A token is larger than all before it: it also follows the server's time, so that
 * one which was lost in a failover is not given twice.
 */
const askScript = new Script(
  `
local holder = redis.call('GET', KEYS[1])
local newest = tonumber(redis.call('GET', KEYS[2]) or '0')
if holder and holder ~= ARGV[1] then return '0' end
local token = newest
if not holder and (ARGV[3] == '0' or newest ~= tonumber(ARGV[3])) then
  if ARGV[3] ~= '0' then return '0' end
  local time = redis.call('TIME')
  token = math.max(newest + 1, tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000))
  redis.call('SET', KEYS[2], string.format('%.0f', token))
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return string.format('%.0f', token)
`,
  { flags },
);

const releaseScript = new Script(
  `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`,
  { flags },
);

export interface LeaseOptions {
  readonly link: RedisLink;
  /** Before its keys; holds a hash tag. */
  readonly prefix: string;
  /** Names this holder and no other, nor itself at another time. */
  readonly holder: string;
  readonly log: Log;
  readonly onGained: (token: number) => void;
  /** Somebody else has it now. It is not asked for again. */
  readonly onLost: () => void;
  readonly leaseMs?: number;
  /** Leases are about real time, whatever else a test does. */
  readonly clock?: Clock;
}

/**
 * A lease that only one process may hold at a time. Time alone does not prevent two from believing that they do, so its
 * token grows with every holder, and a writer with a smaller token is refused. While the server cannot be reached the
 * holder keeps it: no other process can have taken it without the holder finding out.
 */
export class Lease {
  readonly #options: LeaseOptions;
  readonly #timer: Timer;
  #token = 0;
  /** Since when the server has answered without a break. */
  #answersSinceMs = Number.NEGATIVE_INFINITY;
  #isOver = false;
  #asking: Promise<void> | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#timer = (options.clock ?? systemClock).every(ASK_EVERY_MS, () => this.#askOnce());
    this.#askOnce();
  }

  /** Lets it go, so that the next need not wait. */
  async stop(): Promise<void> {
    this.#end();
    await this.#asking;
    if (this.#token === 0) return;
    const { link, holder, log } = this.#options;
    await releaseScript
      .run(link, this.#keys, [holder])
      .catch((error: unknown) => log.debug({ err: error }, 'a lease is left to run out'));
  }

  /** Subscribers were notified that it is over. */
  lose(): void {
    if (this.#isOver) return;
    this.#end();
    this.#options.onLost();
  }

  get #keys(): readonly string[] {
    const { prefix } = this.#options;
    return [`${prefix}:holder`, `${prefix}:token`];
  }

  #end(): void {
    this.#isOver = true;
    this.#timer.cancel();
  }

  #askOnce(): void {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
  }

  async #ask(): Promise<void> {
    const { link, holder, log, onGained, leaseMs = LEASE_MS, clock = systemClock } = this.#options;
    let token: number;
    try {
      // It may have expired while the server was away: the holder has as long to renew it.
      if (this.#token === 0 && clock.now() < this.#answersSinceMs + leaseMs) {
        await link.exists(this.#keys[0] as string);
        this.#answersSinceMs = Math.min(this.#answersSinceMs, clock.now());
        return;
      }
      token = Number(String(await askScript.run(link, this.#keys, [holder, leaseMs, this.#token])));
    } catch (error) {
      this.#answersSinceMs = Number.POSITIVE_INFINITY;
      log.debug({ err: error }, 'the lease cannot be asked for');
      return;
    }
    if (this.#isOver) return;
    if (this.#token !== 0 && token !== this.#token) return this.lose();
    if (this.#token !== 0 || token === 0) return;
    this.#token = token;
    onGained(token);
  }
}
