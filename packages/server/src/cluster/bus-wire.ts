import { hash } from 'node:crypto';
import { PRIMARY_GROUP } from './group-name.ts';
import { hashSlot, SLOTS } from './hash-slot.ts';
import { checkFence, Script } from './redis.ts';

/** Streams among which the topics are shared out: what is busy on one does not hold up the others. Part of the format. */
const SHARDS = 8;
/** Publications of newest messages that a reader may be behind before it reads all of them again. */
const NEWS_ENTRIES = 64;

/** The keys of a shard, which lie in one slot. */
export interface Shard {
  readonly fence: string;
  readonly done: string;
  /** What is kept for a while, in order. */
  readonly log: string;
  /** That newest messages were published, and what they are … */
  readonly news: string;
  /** … and all of them. */
  readonly latest: string;
}

export function shardsOf(prefix: string): readonly Shard[] {
  return Array.from({ length: SHARDS }, (_, i) => {
    const tag = `{${tagOf(prefix, i)}}`;
    return {
      fence: `${tag}:fence`,
      done: `${tag}:done`,
      log: `${tag}:log`,
      news: `${tag}:news`,
      latest: `${tag}:latest`,
    };
  });
}

/** Prefix of the bus of a group of ingesters; that of the primary group is without a name. */
export function groupPrefix(prefix: string, group: string): string {
  return group === PRIMARY_GROUP ? prefix : `${prefix}:group:${group}`;
}

/** More than are ever looked at: one in eight fits. */
const TAGS_MAX = 1_000;

/**
 * The first name that lies in the shard's own share of the slots: masters with even ranges of them, be they two, four or
 * eight, get equally many shards. Part of the format.
 */
function tagOf(prefix: string, shard: number): string {
  for (let n = 0; n < TAGS_MAX; n += 1) {
    const tag = `${prefix}:${shard}:${n}`;
    if (Math.floor((hashSlot(tag) * SHARDS) / SLOTS) === shard) return tag;
  }
  throw new Error(`no tag of ${prefix} lies in share ${shard} of the slots`);
}

/** Which shard a topic is on, the same in every process. */
export function shardNumber(topic: string): number {
  return Number.parseInt(hash('sha1', topic).slice(0, 8), 16) % SHARDS;
}

/** On each shard the name of a topic of its own, which says that somebody publishes there: each may lie on another server. */
export const pulseNames: readonly string[] = Array.from({ length: SHARDS }, (_, shard) => {
  let n = 0;
  while (shardNumber(`pulse:${shard}:${n}`) !== shard) n += 1;
  return `pulse:${shard}:${n}`;
});

/**
 * `KEYS`: those of the shard, in order. `ARGV`: token, number of the batch, how long logs are kept, the entry of the log
 * before this one or nothing, the log's part of the batch or nothing, then names and messages of newest ones. Gives the
 * newest entry of the log. A batch that is sent again, because its reply was lost, changes nothing; nor
 * does one that comes late, over a connection that was given up, after later ones.
 *
 * Each entry names the one before, as the publisher knows it: a reader sees what was removed before it could be read,
 * and what a failover lost. Where the publisher knows a later time than the server has, ids go on from there.
 */
export const publishScript = new Script(`${checkFence}
local number = ARGV[1] .. ':' .. ARGV[2]
local token, count, last = string.match(redis.call('GET', KEYS[2]) or '', '^(%d+):(%d+) ?(%S*)$')
if token and tonumber(token) == tonumber(ARGV[1]) and tonumber(count) >= tonumber(ARGV[2]) then return last end
local before = ARGV[4] ~= '' and ARGV[4] or last or ''
last = before
if ARGV[5] ~= '' then
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  local ms, n = string.match(before, '^(%d+)-(%d+)$')
  local id = ms and tonumber(ms) >= now and ms .. '-' .. string.format('%.0f', tonumber(n) + 1) or '*'
  local oldest = string.format('%.0f', now - tonumber(ARGV[3]))
  last = redis.call('XADD', KEYS[3], 'MINID', '~', oldest, id, 'b', ARGV[5], '<', before)
end
redis.call('SET', KEYS[2], number .. ' ' .. last)
if ARGV[6] then
  local fields = {}
  for i = 6, #ARGV do fields[#fields + 1] = ARGV[i] end
  local before = redis.call('XREVRANGE', KEYS[4], '+', '-', 'COUNT', 1)[1]
  redis.call('XADD', KEYS[4], 'MAXLEN', '=', ${NEWS_ENTRIES}, '*', '<', before and before[1] or '0-0', unpack(fields))
  redis.call('HSET', KEYS[5], unpack(fields))
end
return last
`);

/** Registers a newer token in a shard, so that older ones are refused from here on. Full or not. */
export const fenceScript = new Script(
  `${checkFence}
return 1
`,
  { flags: 'allow-oom' },
);

/** Messages of one topic, in order of publication. */
export interface LogPart {
  readonly name: string;
  readonly keepMs: number;
  readonly entriesMax: number;
  readonly isPacked?: boolean;
  readonly messages: readonly unknown[];
}

/** What was published on the logs of a shard within a moment. */
export interface LogBatch {
  readonly atMs: number;
  /** Whether messages before it are missing, because too many waited. */
  readonly isAfterLoss: boolean;
  readonly parts: readonly LogPart[];
}

export function printBatch({ atMs, isAfterLoss, parts }: LogBatch): string {
  const rows = parts.map(({ name, keepMs, entriesMax, messages, isPacked }) => [
    name,
    keepMs,
    entriesMax,
    messages,
    ...(isPacked ? [1] : []),
  ]);
  return JSON.stringify([atMs, isAfterLoss ? 1 : 0, rows]);
}

/** The newest entry of the log, by what the script notes as done: the number of the batch, and it. */
export function newestEntry(done: string | null): string {
  return done?.split(' ')[1] ?? '';
}

/** The fields of an entry: `b`, the batch, `<`, the entry before it or nothing. */
export function readEntry(fields: readonly string[]): LogBatch & { readonly before: string } {
  return { ...readBatch(fields[1] as string), before: fields[3] ?? '' };
}

function readBatch(text: string): LogBatch {
  type Row = [name: string, keepMs: number, entriesMax: number, messages: unknown[], isPacked?: number];
  const [atMs, lossMark, rows] = JSON.parse(text) as [number, number, Row[]];
  const parts = rows.map(([name, keepMs, entriesMax, messages, isPacked = 0]) => ({
    name,
    keepMs,
    entriesMax,
    messages,
    isPacked: isPacked === 1,
  }));
  return { atMs, isAfterLoss: lossMark === 1, parts };
}

/** Of two ids of a stream, which are a time and a number, or of two publications, which are a token and a number. */
export function isBefore(a: string, b: string): boolean {
  const [aFirst = 0, aNumber = 0] = a.split(/[-:]/).map(Number);
  const [bFirst = 0, bNumber = 0] = b.split(/[-:]/).map(Number);
  return aFirst < bFirst || (aFirst === bFirst && aNumber < bNumber);
}
