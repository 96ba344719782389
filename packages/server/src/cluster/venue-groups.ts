import { sleep } from '@crosstape/core';
import { fenceScript, groupPrefix, shardsOf } from './bus-wire.ts';
import { PRIMARY_GROUP } from './group-name.ts';
import type { Log } from '../platform/log.ts';
import { systemClock } from '../platform/system-clock.ts';
import { type RedisLink, runFenced, Script } from './redis.ts';
import { fenceOf } from './redis-store.ts';

/** Ingesters that record the same venues; one of them leads. */
export interface VenueGroup {
  readonly name: string;
  /** As named in market ids, or only `ALL_VENUES`. */
  readonly venues: readonly string[];
}

export const ALL_VENUES = '*';
export const wholeGroup: VenueGroup = { name: PRIMARY_GROUP, venues: [ALL_VENUES] };

/** How long after the lease of a group expired its standby may take it before other groups may take its venues. */
export const GROUP_KEPT_MS = 12_000;
const LOOK_AGAIN_MS = 500;

/**
 * The keys of a group's lease, all in one slot: the holder, the newest token, all groups, the holder of the primary
 * group.
 */
export function leaseKeys(prefix: string, { name }: Pick<VenueGroup, 'name'>): readonly string[] {
  const own = name === PRIMARY_GROUP ? prefix : `${prefix}:${name}`;
  return [`${own}:holder`, `${own}:token`, `${prefix}:groups`, `${prefix}:holder`];
}

/** Lua that reads the server's time into `now`. */
export const readTime = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
`;

/**
 * `KEYS`: all groups, the holder of the primary group. Returns the time, whether the primary group has a leader, names
 * and entries.
 */
const readScript = new Script(
  `${readTime}
return {tostring(now), redis.call('EXISTS', KEYS[2]), redis.call('HGETALL', KEYS[1])}
`,
  { flags: 'no-writes,allow-oom' },
);

/** `KEYS`: all groups. `ARGV`: the group to remove, how long a group is kept. Keeps a group that has a leader again. */
const forgetScript = new Script(
  `${readTime}
local text = redis.call('HGET', KEYS[1], ARGV[1])
if text and cjson.decode(text).untilMs + tonumber(ARGV[2]) <= now then redis.call('HDEL', KEYS[1], ARGV[1]) end
return 1
`,
  { flags: 'allow-oom' },
);

/** The stored state of a group; `untilMs` is when its lease expires. */
interface Entry {
  readonly venues: readonly string[];
  readonly untilMs: number;
}

interface KnownGroup extends VenueGroup {
  /** Whether one of its ingesters holds the lease. */
  readonly isLed: boolean;
  /** Whether its venues are not free for another group. */
  readonly isKept: boolean;
}

/** Present and former groups. */
export async function readGroups(
  link: RedisLink,
  prefix: string,
  keptMs = GROUP_KEPT_MS,
): Promise<readonly KnownGroup[]> {
  const [, , groups, primary] = leaseKeys(prefix, wholeGroup) as [string, string, string, string];
  const [now, primaryHolders, fields] = (await readScript.run(link, [groups, primary], [])) as [
    Buffer,
    number,
    Buffer[],
  ];
  const nowMs = Number(String(now));
  const known: KnownGroup[] = [];
  for (let i = 0; i < fields.length; i += 2) {
    const { venues, untilMs } = JSON.parse(String(fields[i + 1])) as Entry;
    const isLed = untilMs > nowMs;
    known.push({ name: String(fields[i]), venues, isLed, isKept: untilMs + keptMs > nowMs });
  }
  // An ingester of an earlier release holds the lease and records every venue.
  if (primaryHolders === 1 && !known.some(({ name, isLed }) => name === PRIMARY_GROUP && isLed)) {
    const others = known.filter(({ name }) => name !== PRIMARY_GROUP);
    return [...others, { ...wholeGroup, isLed: true, isKept: true }];
  }
  return known;
}

/** Two groups have the same venue. */
class VenuesTaken extends Error {
  override readonly name = 'VenuesTaken';
}

/**
 * Resolves once no other group has any of these venues. Rejects when a group with a leader has one; waits for a group
 * that lost its leader a moment ago, because it may be gone for good.
 */
export async function venuesFree(
  group: VenueGroup,
  {
    link,
    prefix,
    log,
    signal,
    keptMs,
  }: {
    readonly link: RedisLink;
    readonly prefix: string;
    readonly log: Log;
    readonly signal?: AbortSignal | undefined;
    readonly keptMs?: number;
  },
): Promise<void> {
  for (let isLogged = false; ; isLogged = true) {
    const others = (await readGroups(link, prefix, keptMs)).filter(
      (other) => other.name !== group.name && other.isKept && areShared(group, other),
    );
    const [first] = others;
    if (!first) return;
    const led = others.find(({ isLed }) => isLed);
    if (led) throw new VenuesTaken(takenText(group, led));
    if (!isLogged)
      log.info({ group: describeGroup(first) }, 'waiting for a group with the same venues to stop');
    await sleep(systemClock, LOOK_AGAIN_MS, signal);
  }
}

export function takenText(group: VenueGroup, other: VenueGroup): string {
  if (group.name === other.name)
    return (
      `this standby is to record ${describeGroup(group)}, and its leader records ${describeGroup(other)}: ` +
      'when it takes over, other venues are recorded; give both the same --venues'
    );
  return (
    `this ingester is to record ${describeGroup(group)}, and another group records ${describeGroup(other)}: ` +
    'a venue can be in one group only (--venues)'
  );
}

export function describeGroup({ venues }: Pick<VenueGroup, 'venues'>): string {
  return venues.includes(ALL_VENUES) ? 'every venue' : venues.join(', ');
}

function areShared(a: VenueGroup, b: VenueGroup): boolean {
  const isAll = a.venues.includes(ALL_VENUES) || b.venues.includes(ALL_VENUES);
  return isAll || a.venues.some((venue) => b.venues.includes(venue));
}

/**
 * Ends a group whose venues this one has taken, and fences off its last leader. Removes what it published, except for
 * the primary group, which continues with fewer venues.
 */
export async function replaceGroup(
  name: string,
  {
    link,
    leasePrefix,
    busPrefix,
    storePrefix,
    token,
    keptMs = GROUP_KEPT_MS,
  }: {
    readonly link: RedisLink;
    readonly leasePrefix: string;
    readonly busPrefix: string;
    readonly storePrefix: string;
    readonly token: number;
    readonly keptMs?: number;
  },
): Promise<void> {
  const shards = shardsOf(groupPrefix(busPrefix, name));
  await Promise.all(shards.map(({ fence }) => runFenced(fenceScript, link, [fence], [token])));
  await runFenced(fenceScript, link, [fenceOf(storePrefix, name)], [token]);
  if (name !== PRIMARY_GROUP)
    await Promise.all(shards.map(({ done, log, news, latest }) => link.unlink(done, log, news, latest)));
  const [, , groups] = leaseKeys(leasePrefix, wholeGroup) as [string, string, string];
  await forgetScript.run(link, [groups], [name, keptMs]);
}
