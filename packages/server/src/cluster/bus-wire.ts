import { hash } from 'node:crypto';
import { PRIMARY_GROUP } from './group-name.ts';
import { checkFence, Script } from './redis.ts';

/** Hash slots of a cluster, divided among its masters. */
export const SLOTS = 16_384;

/** The Redis slot of all keys with this hash tag: CRC16 (XMODEM) of its bytes. */
export function hashSlot(tag: string): number {
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1)
      crc = ((crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021) & 0xffff;
  }
  return crc % SLOTS;
}

/** Number of streams that share the topics: a busy one does not delay the others. Part of the format. */
const SHARDS = 8;
/** A reader that is further behind than this many publications reads all newest messages again. */
const NEWS_ENTRIES = 64;

/** The keys of a shard, all in one slot. */
export interface Shard {
  readonly fence: string;
  readonly done: string;
  /** Stream of log messages. */
  readonly log: string;
  /** Stream of publications of newest messages. */
  readonly news: string;
  /** Hash of all newest messages. */
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

/** Prefix of the bus of a group of ingesters; the primary group has none of its own. */
export function groupPrefix(prefix: string, group: string): string {
  return group === PRIMARY_GROUP ? prefix : `${prefix}:group:${group}`;
}

/** More than needed: one in eight fits. */
const TAGS_MAX = 1_000;

/**
 * The first tag that hashes into the shard's range of slots, so that two, four or eight masters with equal ranges get
 * equally many shards. Part of the format.
 */
function tagOf(prefix: string, shard: number): string {
  for (let n = 0; n < TAGS_MAX; n += 1) {
    const tag = `${prefix}:${shard}:${n}`;
    if (Math.floor((hashSlot(tag) * SHARDS) / SLOTS) === shard) return tag;
  }
  throw new Error(`no tag of ${prefix} lies in share ${shard} of the slots`);
}

/** The shard of a topic, the same in every process. */
export function shardNumber(topic: string): number {
  return Number.parseInt(hash('sha1', topic).slice(0, 8), 16) % SHARDS;
}

/** A heartbeat topic per shard, because shards may be on different servers. */
export const pulseNames: readonly string[] = Array.from({ length: SHARDS }, (_, shard) => {
  let n = 0;
  while (shardNumber(`pulse:${shard}:${n}`) !== shard) n += 1;
  return `pulse:${shard}:${n}`;
});

/**
 * `KEYS`: those of the shard, in order. `ARGV`: token, batch number, retention of logs, the previous log entry or an
 * empty string, the log part of the batch or an empty string, then names and messages of newest messages. Returns the
 * newest log entry. A batch that is sent again because its reply was lost changes nothing; nor does one that arrives
 * late over an abandoned connection.
 *
 * Each entry names the previous one, as the publisher knows it, so that a reader detects entries that were trimmed or
 * lost in a failover. If the publisher knows a later time than the server's, ids continue from there.
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

/** Registers a newer token in a shard, so that older ones are refused. Runs on a full server as well. */
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

/** Log messages that were published to a shard together. */
export interface LogBatch {
  readonly atMs: number;
  /** Whether earlier messages were dropped because too many waited. */
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

/** The newest log entry, from the script's record of the last batch (batch number and entry). */
export function newestEntry(done: string | null): string {
  return done?.split(' ')[1] ?? '';
}

/** The fields of an entry: `b` is the batch, `<` the previous entry or an empty string. */
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

/** Compares two stream ids (time and number) or two publications (token and number). */
export function isBefore(a: string, b: string): boolean {
  const [aFirst = 0, aNumber = 0] = a.split(/[-:]/).map(Number);
  const [bFirst = 0, bNumber = 0] = b.split(/[-:]/).map(Number);
  return aFirst < bFirst || (aFirst === bFirst && aNumber < bNumber);
}
