import type { Clock, Timer } from '@crosstape/core';
import type { Log } from '../platform/log.ts';
import { PRIMARY_GROUP } from './group-name.ts';
import { type RedisLink, Script } from './redis.ts';
import { systemClock } from '../platform/system-clock.ts';
import {
  ALL_VENUES,
  GROUP_KEPT_MS,
  leaseKeys,
  readTime,
  takenText,
  type VenueGroup,
  wholeGroup,
} from './venue-groups.ts';

/** A lease that is not renewed expires after this. */
const LEASE_MS = 3_000;
/** How often the holder renews the lease, and others try to take it. */
const ASK_EVERY_MS = 250;

/** Runs on a full server as well: without a leader nothing would free memory, and the keys are small. */
const flags = 'allow-oom';

/**
 * `KEYS`: as `leaseKeys`. `ARGV`: the caller, the duration, its token or 0, its group, the venues of the group, how
 * long other groups keep their venues. Returns the holder's token if the caller is the holder, else 0; then the
 * conflicting group and its venues (the caller's own group, if its leader has other venues), or the groups that had one
 * of the venues and are gone. A token is larger than all earlier ones of any group: it also follows the server's time,
 * so that a token lost in a failover is not issued twice.
 */
const askScript = new Script(
  `${readTime}
local holder = redis.call('GET', KEYS[1])
local newest = tonumber(redis.call('GET', KEYS[2]) or '0')
local venues = cjson.decode(ARGV[5])
if holder and holder ~= ARGV[1] then
  local leader = redis.call('HGET', KEYS[3], ARGV[4])
  local led = leader and cjson.decode(leader).venues or venues
  if table.concat(led, ',') == table.concat(venues, ',') then return {'0'} end
  return {'0', ARGV[4], cjson.encode(led)}
end
local token = newest
local isMine = {}
for _, venue in ipairs(venues) do isMine[venue] = true end
local answer = {}
if not holder then
  local primary = redis.call('HGET', KEYS[3], '${PRIMARY_GROUP}')
  if ARGV[4] ~= '${PRIMARY_GROUP}' and redis.call('EXISTS', KEYS[4]) == 1
    and (not primary or cjson.decode(primary).untilMs <= now) then return {'0', '${PRIMARY_GROUP}', '["${ALL_VENUES}"]'} end
  local groups = redis.call('HGETALL', KEYS[3])
  for i = 1, #groups, 2 do
    local other = cjson.decode(groups[i + 1])
    local isShared = isMine['${ALL_VENUES}'] or false
    for _, venue in ipairs(other.venues) do
      isShared = isShared or isMine[venue] or venue == '${ALL_VENUES}'
    end
    newest = math.max(newest, other.token)
    if groups[i] ~= ARGV[4] and isShared then
      if other.untilMs + tonumber(ARGV[6]) > now then return {'0', groups[i], cjson.encode(other.venues)} end
      answer[#answer + 1] = groups[i]
    end
  end
  if ARGV[3] == '0' then
    token = math.max(newest + 1, now)
    redis.call('SET', KEYS[2], string.format('%.0f', token))
  elseif token ~= tonumber(ARGV[3]) then
    return {'0'}
  end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
local entry = {venues = venues, untilMs = now + tonumber(ARGV[2]), token = token}
redis.call('HSET', KEYS[3], ARGV[4], cjson.encode(entry))
table.insert(answer, 1, string.format('%.0f', token))
return answer
`,
  { flags },
);

/** `KEYS`: the same. `ARGV`: the caller, its group. */
const releaseScript = new Script(
  `${readTime}
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local text = redis.call('HGET', KEYS[3], ARGV[2])
if text then
  local entry = cjson.decode(text)
  entry.untilMs = now
  redis.call('HSET', KEYS[3], ARGV[2], cjson.encode(entry))
end
return redis.call('DEL', KEYS[1])
`,
  { flags },
);

export interface LeaseOptions {
  readonly link: RedisLink;
  /** Prefix of its keys; contains a hash tag. */
  readonly prefix: string;
  /** Unique for each start of a process. */
  readonly holder: string;
  readonly log: Log;
  /** The group that the lease is for; default: the group with every venue. */
  readonly group?: VenueGroup;
  /** `replaced`: groups that had one of the venues and are gone. Their last leaders must be fenced off. */
  readonly onGained: (token: number, replaced: readonly string[]) => void;
  /** Another process holds it now. No further attempt is made. */
  readonly onLost: () => void;
  readonly leaseMs?: number;
  /** How long a group keeps its venues after its lease expired. */
  readonly keptMs?: number;
  /** Leases use real time, even in tests with a virtual clock. */
  readonly clock?: Clock;
}

/**
 * A lease that one process may hold at a time. Because two processes can both believe that they hold it, its token
 * grows with every holder, and writes with a smaller token are refused. While the server is unreachable the holder
 * keeps the lease: no other process can take it unnoticed.
 */
export class Lease {
  readonly #options: LeaseOptions;
  readonly #timer: Timer;
  #token = 0;
  /** Since when every command has been answered. */
  #answersSinceMs = Number.NEGATIVE_INFINITY;
  #isOver = false;
  /** The last conflicting group and its venues. */
  #takenBy = '';
  #asking: Promise<void> | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#timer = (options.clock ?? systemClock).every(ASK_EVERY_MS, () => this.#askOnce());
    this.#askOnce();
  }

  /** Releases the lease, so that the next holder need not wait for it to expire. */
  async stop(): Promise<void> {
    this.#end();
    await this.#asking;
    if (this.#token === 0) return;
    const { link, holder, log, group = wholeGroup } = this.#options;
    await releaseScript
      .run(link, this.#keys, [holder, group.name])
      .catch((error: unknown) => log.debug({ err: error }, 'cannot release the lease; it will expire'));
  }

  /** Ends the lease after its loss was reported. */
  lose(): void {
    if (this.#isOver) return;
    this.#end();
    this.#options.onLost();
  }

  get #keys(): readonly string[] {
    const { prefix, group = wholeGroup } = this.#options;
    return leaseKeys(prefix, group);
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
    const { group = wholeGroup, keptMs = GROUP_KEPT_MS } = this.#options;
    let token: number;
    let others: readonly string[];
    try {
      // The lease may have expired while the server was away: its holder gets the same time to renew it.
      if (this.#token === 0 && clock.now() < this.#answersSinceMs + leaseMs) {
        await link.exists(this.#keys[0] as string);
        this.#answersSinceMs = Math.min(this.#answersSinceMs, clock.now());
        return;
      }
      const venues = JSON.stringify(group.venues);
      const args = [holder, leaseMs, this.#token, group.name, venues, keptMs];
      const answer = (await askScript.run(link, this.#keys, args)) as readonly Buffer[];
      [token, others] = [Number(String(answer[0])), answer.slice(1).map(String)];
    } catch (error) {
      this.#answersSinceMs = Number.POSITIVE_INFINITY;
      log.debug({ err: error }, 'cannot request the lease');
      return;
    }
    if (this.#isOver) return;
    this.#noteTaken(group, token === 0 ? others : []);
    if (this.#token !== 0 && token !== this.#token) return this.lose();
    if (this.#token !== 0 || token === 0) return;
    this.#token = token;
    onGained(token, others);
  }

  /** Detects two groups that start at the same moment, and a standby with other venues than its leader. */
  #noteTaken(group: VenueGroup, [name = '', venues = '[]']: readonly string[]): void {
    const takenBy = name && `${name} ${venues}`;
    if (name !== '' && takenBy !== this.#takenBy)
      this.#options.log.error({}, takenText(group, { name, venues: JSON.parse(venues) as string[] }));
    this.#takenBy = takenBy;
  }
}
