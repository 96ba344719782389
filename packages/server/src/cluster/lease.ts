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

/** Without a word of its holder a lease is free after this. */
const LEASE_MS = 3_000;
/** How often the holder renews the lease, and others try to take it. */
const ASK_EVERY_MS = 250;

/** Also where there is no room: without a leader nothing makes room, and it is a few small keys. */
const flags = 'allow-oom';

/**
 * `KEYS`: as `leaseKeys`. `ARGV`: the caller, the duration, its token or 0, its group, the venues of that, how long the
 * venues of others are theirs. Returns the holder's token if the caller is the holder, else 0; then the group that has one
 * of the venues and what it has (the own one, if its leader has other venues), or the groups that had one and are gone. A token is larger than all before it, of any
 * group: it also follows the server's time, so that one which was lost in a failover is not given twice.
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
  /** Before its keys; holds a hash tag. */
  readonly prefix: string;
  /** Names this holder and no other, nor itself at another time. */
  readonly holder: string;
  readonly log: Log;
  /** Whose lease it is; default: of the group that has every venue. */
  readonly group?: VenueGroup;
  /** `replaced`: groups that had one of the venues and are gone. Their last leaders are to be refused. */
  readonly onGained: (token: number, replaced: readonly string[]) => void;
  /** Somebody else has it now. It is not asked for again. */
  readonly onLost: () => void;
  readonly leaseMs?: number;
  /** How long after its lease a group keeps its venues. */
  readonly keptMs?: number;
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
  /** The group that was last found to have one of the venues, and what it has. */
  #takenBy = '';
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
    const { link, holder, log, group = wholeGroup } = this.#options;
    await releaseScript
      .run(link, this.#keys, [holder, group.name])
      .catch((error: unknown) => log.debug({ err: error }, 'cannot release the lease; it will expire'));
  }

  /** Subscribers were notified that it is over. */
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
      // It may have expired while the server was away: the holder has as long to renew it.
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

  /** Two groups that start at the same moment find out here, and a standby with other venues than its leader. */
  #noteTaken(group: VenueGroup, [name = '', venues = '[]']: readonly string[]): void {
    const takenBy = name && `${name} ${venues}`;
    if (name !== '' && takenBy !== this.#takenBy)
      this.#options.log.error({}, takenText(group, { name, venues: JSON.parse(venues) as string[] }));
    this.#takenBy = takenBy;
  }
}
