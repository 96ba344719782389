import { hash } from 'node:crypto';
import type { Log } from '../platform/log.ts';
import { warnOnce } from '../platform/log.ts';
import type { SlotSharing } from '../gateway/connection-slots.ts';
import { type RedisLink, Script } from './redis.ts';
import { systemClock } from '../platform/system-clock.ts';

/** How often changed counts are shared. */
const SHARE_EVERY_MS = 500;
/** How often the others are refreshed; otherwise they expire, because a failed process has no sockets. */
const REFRESH_EVERY_MS = 5_000;
const KEPT_MS = 15_000;
/** Accounts per command. */
const ACCOUNTS_PER_STEP = 500;
/** Slots that share the accounts. */
const SLOTS = 4;
/** Accounts whose counts on other gateways are cached; beyond this the oldest is dropped. */
const KNOWN_MAX = 20_000;

/**
 * `KEYS`: accounts, each a hash from gateway to its count and expiry. `ARGV`: the gateway, the lifetime of its counts,
 * then its count per account. Returns the count on other gateways per account.
 */
const slotScript = new Script(`
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local sums = {}
for i, key in ipairs(KEYS) do
  if ARGV[i + 2] == '0' then redis.call('HDEL', key, ARGV[1])
  else redis.call('HSET', key, ARGV[1], ARGV[i + 2] .. ' ' .. string.format('%.0f', now + ARGV[2])) end
  local all, sum = redis.call('HGETALL', key), 0
  for at = 1, #all, 2 do
    local count, ends = string.match(all[at + 1], '^(%d+) (%d+)$')
    if tonumber(ends) < now then redis.call('HDEL', key, all[at])
    elseif all[at] ~= ARGV[1] then sum = sum + tonumber(count) end
  end
  redis.call('PEXPIRE', key, ARGV[2])
  sums[i] = sum
end
return sums
`);

export interface SharedSlotsOptions {
  readonly link: RedisLink;
  readonly log: Log;
  /** Unique name of this gateway. */
  readonly gateway: string;
}

/** Counts the sockets of an account over all gateways. */
export class SharedSlots implements SlotSharing {
  readonly #options: SharedSlotsOptions;
  readonly #warn;
  readonly #here = new Map<string, number>();
  readonly #elsewhere = new Map<string, { readonly count: number; readonly untilMs: number }>();
  readonly #changed = new Set<string>();
  readonly #timers;
  #sharing: Promise<void> | undefined;

  constructor(options: SharedSlotsOptions) {
    this.#options = options;
    this.#warn = warnOnce(options.log);
    this.#timers = [
      systemClock.every(SHARE_EVERY_MS, () => this.#shareOnce()),
      systemClock.every(REFRESH_EVERY_MS, () => {
        for (const account of this.#here.keys()) this.#changed.add(account);
      }),
    ];
  }

  elsewhere(account: string): number {
    const known = this.#elsewhere.get(account);
    const leftMs = (known?.untilMs ?? 0) - systemClock.now();
    // More than the whole time is left after the clock was set back.
    return known && leftMs > 0 && leftMs <= KEPT_MS ? known.count : 0;
  }

  learn(account: string): Promise<void> {
    return this.#share([account]);
  }

  publish(account: string, here: number): void {
    if (here > 0) this.#here.set(account, here);
    else this.#here.delete(account);
    this.#changed.add(account);
  }

  /** Frees every slot taken by this gateway. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) timer.cancel();
    for (const account of this.#here.keys()) this.#changed.add(account);
    this.#here.clear();
    await this.#sharing;
    this.#shareOnce();
    await this.#sharing;
  }

  #shareOnce(): void {
    if (this.#sharing || this.#changed.size === 0) return;
    const accounts = [...this.#changed];
    this.#changed.clear();
    this.#sharing = this.#share(accounts).finally(() => {
      this.#sharing = undefined;
    });
  }

  async #share(accounts: readonly string[]): Promise<void> {
    const { link, gateway } = this.#options;
    const slots = groupBySlot(accounts);
    try {
      for (const [slot, some] of slots) {
        for (let at = 0; at < some.length; at += ACCOUNTS_PER_STEP) {
          const step = some.slice(at, at + ACCOUNTS_PER_STEP);
          // Addresses are never stored.
          const keys = step.map((account) => `{crosstape:seats:${slot}}:${hash('sha256', account)}`);
          const counts = step.map((account) => this.#here.get(account) ?? 0);
          const sums = (await slotScript.run(link, keys, [gateway, KEPT_MS, ...counts])) as number[];
          for (const [i, account] of step.entries()) this.#note(account, sums[i] as number);
        }
      }
    } catch (error) {
      this.#elsewhere.clear();
      this.#warn('slots', { err: error }, 'sockets are counted by each gateway alone');
    }
  }

  /** Valid as long as the counts of the other gateways. */
  #note(account: string, elsewhere: number): void {
    this.#elsewhere.delete(account);
    if (elsewhere === 0) return;
    const [oldest] = this.#elsewhere.keys();
    if (this.#elsewhere.size >= KNOWN_MAX && oldest !== undefined) this.#elsewhere.delete(oldest);
    this.#elsewhere.set(account, { count: elsewhere, untilMs: systemClock.now() + KEPT_MS });
  }
}

function slotOf(account: string): number {
  return Number.parseInt(hash('sha1', account).slice(0, 4), 16) % SLOTS;
}

function groupBySlot(accounts: readonly string[]): ReadonlyMap<number, readonly string[]> {
  const slots = new Map<number, string[]>();
  for (const account of accounts) {
    const slot = slotOf(account);
    const some = slots.get(slot);
    if (some) some.push(account);
    else slots.set(slot, [account]);
  }
  return slots;
}
