import { hash } from 'node:crypto';
import type { Timer } from '@crosstape/core';
import type { Log } from '../platform/log.ts';
import { warnOnce } from '../platform/log.ts';
import type { Quota } from '../platform/quota.ts';
import { type RedisLink, Script } from './redis.ts';
import { systemClock } from '../platform/system-clock.ts';

/** How often counts are merged; in between each process counts for itself. */
const SHARE_EVERY_MS = 500;
/** Callers per command. */
const CALLERS_PER_STEP = 500;
/** Slots that share the callers. */
const SLOTS = 4;

/** `KEYS`: callers. `ARGV`: for each a count and its lifetime. Returns the total and its lifetime for each. */
const addScript = new Script(`
local sums = {}
for i, key in ipairs(KEYS) do
  local used = redis.call('INCRBY', key, ARGV[i * 2 - 1])
  if redis.call('PTTL', key) < 0 then redis.call('PEXPIRE', key, ARGV[i * 2]) end
  sums[#sums + 1] = {used, redis.call('PTTL', key)}
end
return sums
`);

export interface SharedQuotas {
  /** Counts a quota together with those of the same name in other processes. */
  share(name: string, quota: Quota): void;
  stop(): Promise<void>;
}

/** Combines the counts of several gateways. While Redis is unreachable each continues with its own. */
export function shareQuotas({ link, log }: { readonly link: RedisLink; readonly log: Log }): SharedQuotas {
  const quotas = new Map<string, Quota>();
  const warn = warnOnce(log);
  let sharing: Promise<void> | undefined;
  const shareAll = async (): Promise<void> => {
    for (const [name, quota] of quotas) await exchange(link, name, quota);
  };
  const shareOnce = (): Promise<void> => {
    sharing ??= shareAll()
      .catch((error: unknown) => warn('quota', { err: error }, 'quotas are counted by each gateway alone'))
      .finally(() => {
        sharing = undefined;
      });
    return sharing;
  };
  const timer: Timer = systemClock.every(SHARE_EVERY_MS, () => void shareOnce());
  return {
    share(name, quota) {
      quota.keepUnsent();
      quotas.set(name, quota);
    },
    async stop() {
      timer.cancel();
      await shareOnce();
    },
  };
}

async function exchange(link: RedisLink, name: string, quota: Quota): Promise<void> {
  const steps = stepsOf(quota);
  for (const [done, { slot, counts }] of steps.entries()) {
    // Addresses are never stored.
    const keys = counts.map(({ caller }) => `{crosstape:quota:${slot}}:${name}:${hash('sha256', caller)}`);
    const args = counts.flatMap(({ taken, leftMs }) => [taken, Math.max(1, leftMs)]);
    try {
      const sums = (await addScript.run(link, keys, args)) as [number, number][];
      for (const [i, { caller }] of counts.entries()) {
        const [used, leftMs] = sums[i] as [number, number];
        quota.adopt(caller, used, leftMs);
      }
    } catch (error) {
      // The later steps were not sent either.
      const unsent = steps.slice(done).flatMap((step) => step.counts);
      for (const count of unsent) quota.takeBack(count);
      throw error;
    }
  }
}

type Count = ReturnType<Quota['drain']>[number];

interface Step {
  readonly slot: number;
  readonly counts: readonly Count[];
}

/** All unsent counts, in steps of one slot each. */
function stepsOf(quota: Quota): readonly Step[] {
  const bySlot = Array.from({ length: SLOTS }, (): Count[] => []);
  for (const count of quota.drain()) {
    const slot = Number.parseInt(hash('sha1', count.caller).slice(0, 4), 16) % SLOTS;
    bySlot[slot]?.push(count);
  }
  return bySlot.flatMap((counts, slot) =>
    Array.from({ length: Math.ceil(counts.length / CALLERS_PER_STEP) }, (_, i) => ({
      slot,
      counts: counts.slice(i * CALLERS_PER_STEP, (i + 1) * CALLERS_PER_STEP),
    })),
  );
}
