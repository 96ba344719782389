import { hash } from 'node:crypto';
import { checkFence, Script } from './redis.ts';

/** Streams among which the topics are shared out: what is busy on one does not hold up the others. Part of the format. */
const SHARDS = 8;
/** Publications of newest messages that a reader may be behind before it reads them all anew. */
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
    const tag = `{${prefix}:${i}}`;
    return {
      fence: `${tag}:fence`,
      done: `${tag}:done`,
      log: `${tag}:log`,
      news: `${tag}:news`,
      latest: `${tag}:latest`,
    };
  });
}

/** Which shard a topic is on, the same in every process. */
export function shardNumber(topic: string): number {
  return Number.parseInt(hash('sha1', topic).slice(0, 8), 16) % SHARDS;
}

/**
 * `KEYS`: those of the shard, in order. `ARGV`: token, number of the batch, how long logs are kept, the log's part of the
 * batch or nothing, then names and messages of newest ones. A batch that is sent again, because nobody knows whether it
 * came through, changes nothing.
 */
export const publishScript = new Script(`${checkFence}
local number = ARGV[1] .. ':' .. ARGV[2]
if redis.call('GET', KEYS[2]) == number then return 0 end
redis.call('SET', KEYS[2], number)
if ARGV[4] ~= '' then
  local oldest = tonumber(redis.call('TIME')[1]) * 1000 - tonumber(ARGV[3])
  redis.call('XADD', KEYS[3], 'MINID', '~', string.format('%.0f', oldest), '*', 'b', ARGV[4])
end
if ARGV[5] then
  local fields = {}
  for i = 5, #ARGV do fields[#fields + 1] = ARGV[i] end
  local before = redis.call('XREVRANGE', KEYS[4], '+', '-', 'COUNT', 1)[1]
  redis.call('XADD', KEYS[4], 'MAXLEN', '=', ${NEWS_ENTRIES}, '*', '<', before and before[1] or '0-0', unpack(fields))
  redis.call('HSET', KEYS[5], unpack(fields))
end
return 1
`);

/** Makes a newer token known to a shard, so that whoever has an older one is refused from here on. */
export const fenceScript = new Script(`${checkFence}
return 1
`);

/** Messages of one topic, in order of publication. */
export interface LogPart {
  readonly name: string;
  readonly keepMs: number;
  readonly entriesMax: number;
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
  const rows = parts.map(({ name, keepMs, entriesMax, messages }) => [name, keepMs, entriesMax, messages]);
  return JSON.stringify([atMs, isAfterLoss ? 1 : 0, rows]);
}

export function readBatch(text: string): LogBatch {
  type Row = [name: string, keepMs: number, entriesMax: number, messages: unknown[]];
  const [atMs, lossMark, rows] = JSON.parse(text) as [number, number, Row[]];
  const parts = rows.map(([name, keepMs, entriesMax, messages]) => ({ name, keepMs, entriesMax, messages }));
  return { atMs, isAfterLoss: lossMark === 1, parts };
}

/** Of two ids of a stream, which are a time and a number, or of two publications, which are a token and a number. */
export function isBefore(a: string, b: string): boolean {
  const [aFirst = 0, aNumber = 0] = a.split(/[-:]/).map(Number);
  const [bFirst = 0, bNumber = 0] = b.split(/[-:]/).map(Number);
  return aFirst < bFirst || (aFirst === bFirst && aNumber < bNumber);
}
