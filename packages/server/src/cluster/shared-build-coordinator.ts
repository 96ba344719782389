import type { Clock } from '@crosstape/core';
import { networkOf } from '../platform/client-address.ts';
import type { BuildCoordinator, LiveMax } from '../features/rotations/build-coordinator.ts';
import { type RedisLink, Script } from './redis.ts';
import { systemClock } from '../platform/system-clock.ts';

/** A gateway without a heartbeat for this long has failed, and its pending builds with it. */
const ALIVE_MS = 10_000;
const SAY_EVERY_MS = 3_000;

/**
 * `KEYS`: the spec's build, the live builds. `ARGV`: id, caller, reuse ms, live until, now, then the limits of a
 * caller, an address, a network and in total, then address and network. A live build is `network|address|caller id`.
 */
const claimScript = new Script(`
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[5])
local known = redis.call('GET', KEYS[1])
if known then return {'known', known} end
local live = redis.call('ZRANGE', KEYS[2], 0, -1)
local function count(part)
  local found = 0
  for _, member in ipairs(live) do
    if string.find('|' .. member, part, 1, true) then found = found + 1 end
  end
  return found
end
if count('|' .. ARGV[2] .. ' ') >= tonumber(ARGV[6]) then return {'caller', ''} end
if count('|' .. ARGV[10] .. '|') >= tonumber(ARGV[7]) then return {'address', ''} end
if count('|' .. ARGV[11] .. '|') >= tonumber(ARGV[8]) then return {'network', ''} end
if #live >= tonumber(ARGV[9]) then return {'all', ''} end
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[11] .. '|' .. ARGV[10] .. '|' .. ARGV[2] .. ' ' .. ARGV[1])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
return {'yours', ''}
`);

/**
 * `KEYS` as above. `ARGV`: id, 1 if identical requests may reuse it. A gateway that ends another's build does not know
 * its owner.
 */
const endScript = new Script(
  `
for _, member in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  if string.sub(member, -#ARGV[1] - 1) == ' ' .. ARGV[1] then redis.call('ZREM', KEYS[2], member) end
end
if ARGV[2] ~= '1' and redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
`,
  { flags: 'allow-oom' },
);

/** Runs on a full server as well: otherwise the builds of a live gateway would be considered lost. */
const sayScript = new Script(`return redis.call('SET', KEYS[1], 1, 'PX', ARGV[1])`, { flags: 'allow-oom' });

export interface SharedCoordinatorOptions {
  readonly link: RedisLink;
  /** Prefix of every key; contains a hash tag. */
  readonly prefix: string;
  readonly owner: string;
  readonly reuseMs: number;
  /** A build counts as over after this. */
  readonly liveMs: number;
  readonly liveMax: LiveMax;
  /** Heartbeats use real time, even in tests with a virtual clock. */
  readonly clock?: Clock;
}

/** A coordinator on a shared server. */
export function openSharedCoordinator(options: SharedCoordinatorOptions): BuildCoordinator {
  const { link, prefix, owner, reuseMs, liveMs, liveMax, clock = systemClock } = options;
  const keys = (specHash: string): readonly string[] => [`${prefix}:spec:${specHash}`, `${prefix}:live`];
  const aliveKey = (name: string): string => `${prefix}:owner:${name}`;
  /** Since when every command has been answered. */
  let answersSinceMs = Number.POSITIVE_INFINITY;
  const noting = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    try {
      const answered = await answer;
      answersSinceMs = Math.min(answersSinceMs, clock.now());
      return answered;
    } catch (error) {
      answersSinceMs = Number.POSITIVE_INFINITY;
      throw error;
    }
  };
  const say = async (): Promise<void> => {
    await noting(sayScript.run(link, [aliveKey(owner)], [ALIVE_MS])).catch(() => undefined);
  };
  void say();
  const timer = clock.every(SAY_EVERY_MS, () => void say());
  return {
    owner,
    async claim({ id, specHash, caller, address }) {
      await say();
      const nowMs = clock.now();
      const { caller: ofCaller, address: ofAddress, network: ofNetwork, all } = liveMax;
      const bounds = [ofCaller, ofAddress, ofNetwork, all];
      const origin = [address, networkOf(address)];
      const args = [id, caller, reuseMs, nowMs + liveMs, nowMs, ...bounds, ...origin];
      const [verdict, known] = (await claimScript.run(link, keys(specHash), args)) as [Buffer, Buffer];
      if (verdict.toString() === 'known') return { knownId: known.toString() };
      return { verdict: verdict.toString() as 'yours' | keyof LiveMax };
    },
    async end({ id, specHash }, isReusable) {
      await endScript.run(link, keys(specHash), [id, isReusable ? 1 : 0]);
    },
    async isAlive(name) {
      if ((await noting(link.exists(aliveKey(name)))) === 1) return true;
      // Heartbeats may have expired while the server was away: gateways get the same time to renew them.
      return clock.now() < answersSinceMs + ALIVE_MS;
    },
    stop: () => timer.cancel(),
  };
}
