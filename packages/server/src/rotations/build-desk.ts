import type { Clock } from '@crosstape/core';
import { type RedisLink, Script } from '../platform/redis.ts';
import { systemClock } from '../platform/system-clock.ts';

/** A gateway that says nothing for so long is gone, and whatever it was waiting for with it. */
const ALIVE_MS = 10_000;
const SAY_EVERY_MS = 3_000;

/** Somebody wants to build. */
export interface BuildClaim {
  readonly id: string;
  readonly specHash: string;
  readonly caller: string;
}

/** It may, or it is being built under another id, or there are too many: of this caller, or at all. */
export type Claimed = { readonly verdict: 'yours' | 'caller' | 'full' } | { readonly knownId: string };

/** Where gateways agree on who builds what. */
export interface BuildDesk {
  /** Who this is, among all that share the desk. */
  readonly owner: string;
  claim(claim: BuildClaim): Promise<Claimed>;
  /** A build is over; one that failed is not used again. */
  end(build: Omit<BuildClaim, 'caller'>, isFailed: boolean): Promise<void>;
  isAlive(owner: string): Promise<boolean>;
  stop(): void;
}

/** `KEYS`: the spec's build, those that are live. `ARGV`: id, caller, reuse ms, live until, now, most of a caller, most. */
const claimScript = new Script(`
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[5])
local known = redis.call('GET', KEYS[1])
if known then return {'known', known} end
local live = redis.call('ZRANGE', KEYS[2], 0, -1)
local own = 0
for _, member in ipairs(live) do
  if string.sub(member, 1, #ARGV[2] + 1) == ARGV[2] .. ' ' then own = own + 1 end
end
if own >= tonumber(ARGV[6]) then return {'caller', ''} end
if #live >= tonumber(ARGV[7]) then return {'full', ''} end
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[2] .. ' ' .. ARGV[1])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
return {'yours', ''}
`);

/** `KEYS` as above. `ARGV`: id, 1 if it failed. Whoever ends a build of another gateway does not know whose it was. */
const endScript = new Script(
  `
for _, member in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  if string.sub(member, -#ARGV[1] - 1) == ' ' .. ARGV[1] then redis.call('ZREM', KEYS[2], member) end
end
if ARGV[2] == '1' and redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
`,
  { flags: 'allow-oom' },
);

/** Also while the server is full: else the builds of a gateway that is there are taken for lost. */
const sayScript = new Script(`return redis.call('SET', KEYS[1], 1, 'PX', ARGV[1])`, { flags: 'allow-oom' });

export interface SharedDeskOptions {
  readonly link: RedisLink;
  /** Before every key; holds a hash tag. */
  readonly prefix: string;
  readonly owner: string;
  readonly reuseMs: number;
  /** A build is over after this, whatever became of it. */
  readonly liveMs: number;
  readonly perCallerMax: number;
  readonly liveMax: number;
  /** Who is there is about real time, whatever else a test does. */
  readonly clock?: Clock;
}

/** A desk on a shared server. */
export function openSharedDesk(options: SharedDeskOptions): BuildDesk {
  const { link, prefix, owner, reuseMs, liveMs, perCallerMax, liveMax, clock = systemClock } = options;
  const keys = (specHash: string): readonly string[] => [`${prefix}:spec:${specHash}`, `${prefix}:live`];
  const aliveKey = (name: string): string => `${prefix}:owner:${name}`;
  /** Since when the server has answered without a break, as far as is known. */
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
    async claim({ id, specHash, caller }) {
      await say();
      const nowMs = clock.now();
      const args = [id, caller, reuseMs, nowMs + liveMs, nowMs, perCallerMax, liveMax];
      const [verdict, known] = (await claimScript.run(link, keys(specHash), args)) as [Buffer, Buffer];
      if (verdict.toString() === 'known') return { knownId: known.toString() };
      return { verdict: verdict.toString() as 'yours' | 'caller' | 'full' };
    },
    async end({ id, specHash }, isFailed) {
      await endScript.run(link, keys(specHash), [id, isFailed ? 1 : 0]);
    },
    async isAlive(name) {
      if ((await noting(link.exists(aliveKey(name)))) === 1) return true;
      // Its word may have run out while the server was away: it has as long to say it again.
      return clock.now() < answersSinceMs + ALIVE_MS;
    },
    stop: () => timer.cancel(),
  };
}
