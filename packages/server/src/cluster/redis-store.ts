import { sleep } from '@crosstape/core';
import { Failure } from '../platform/errors.ts';
import {
  checkFence,
  closingsOf,
  disconnect,
  isAway,
  keysLike,
  type RedisLink,
  runFenced,
  Script,
} from './redis.ts';
import { systemSecretBytes } from '../platform/random.ts';
import { systemClock } from '../platform/system-clock.ts';
import { decodeKey, encodeKey } from './redis-key.ts';
import { PRIMARY_GROUP } from './group-name.ts';
import { decodeRow } from '../store/bad-row.ts';
import type { Change, Entry, Key, Range, Store, Table } from '../store/store.ts';

/** The key size limit of lmdb, so that both stores accept the same keys. */
const KEY_BYTES_MAX = 1_900;
/** Rows read per command; the server does nothing else meanwhile. */
const PAGE_ROWS = 1_000;
const PROBE_TABLE = 'probe';
/** For a server that is unreachable. */
const RETRY_AFTER_SECONDS = 5;
/** Attempts to detect a lost connection after a pause. */
const WAKE_TURNS = 20;
/** Time between them. */
const WAKE_TURN_MS = 25;

const WIPED = 'WIPED';

/**
 * Start of every writing script. `KEYS`: fence, eras. `ARGV`: token, writer, its era, number of its confirmed writes. A
 * server that knows of fewer has lost writes: it was wiped or restored to an older state. A write that arrives late
 * over an abandoned connection, after its writer has written over a newer one, is refused, because it would undo later
 * writes; so is a write that the library resends after that. Only eras of the newest token are kept.
 */
const checkTurn = `${checkFence}
if ARGV[1] ~= '' then
  if not fence or tonumber(fence) < tonumber(ARGV[1]) then redis.call('DEL', KEYS[2]) end
  local era = tonumber(redis.call('HGET', KEYS[2], ARGV[2]) or '0')
  if era > tonumber(ARGV[3]) then return redis.error_reply('LATE by ' .. (era - tonumber(ARGV[3]))) end
  if era < tonumber(ARGV[3]) then redis.call('HSET', KEYS[2], ARGV[2], ARGV[3]) end
  local writes = 'writes:' .. ARGV[2]
  local known = tonumber(redis.call('HGET', KEYS[2], writes) or '0')
  if known < tonumber(ARGV[4]) then return redis.error_reply('${WIPED}: ' .. ARGV[4] .. ' writes, ' .. known .. ' left') end
  redis.call('HSET', KEYS[2], writes, known + 1)
end
`;

/** More `KEYS`: index and values of each table. More `ARGV`: whether to add only missing rows, then the changes. */
const commitText = `${checkTurn}
local put = ARGV[5] == '1' and 'HSETNX' or 'HSET'
local at = 6
while ARGV[at] do
  local index, values = KEYS[tonumber(ARGV[at]) * 2 + 1], KEYS[tonumber(ARGV[at]) * 2 + 2]
  local removes, puts, appends = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), ARGV[at + 3] == '1'
  at = at + 4
  for i = 1, removes do
    redis.call('ZREM', index, ARGV[at])
    redis.call('HDEL', values, ARGV[at])
    at = at + 1
  end
  for i = 1, puts do
    redis.call('ZADD', index, 0, ARGV[at])
    if appends then
      redis.call('HSET', values, ARGV[at], (redis.call('HGET', values, ARGV[at]) or '') .. ARGV[at + 1])
    else
      redis.call(put, values, ARGV[at], ARGV[at + 1])
    end
    at = at + 2
  end
end
return 1
`;
const commitScript = new Script(commitText);
/** The same for changes that only remove, which a full server must accept to free memory. */
const removeScript = new Script(commitText, { flags: 'allow-oom' });

/** `KEYS`: index, values. `ARGV`: from, to, 1 for descending, limit, 1 to include values. */
const rangeScript = new Script(
  `
local keys
if ARGV[3] == '1' then
  keys = redis.call('ZRANGE', KEYS[1], ARGV[2], ARGV[1], 'BYLEX', 'REV', 'LIMIT', 0, ARGV[4])
else
  keys = redis.call('ZRANGE', KEYS[1], ARGV[1], ARGV[2], 'BYLEX', 'LIMIT', 0, ARGV[4])
end
if ARGV[5] ~= '1' or #keys == 0 then return {keys, {}} end
return {keys, redis.call('HMGET', KEYS[2], unpack(keys))}
`,
  { flags: 'no-writes,allow-oom' },
);

/** More `KEYS`: those to delete. */
const clearScript = new Script(
  `${checkTurn}
return redis.call('UNLINK', unpack(KEYS, 3))
`,
  { flags: 'allow-oom' },
);

export interface RedisStoreOptions {
  readonly link: RedisLink;
  /** Prefix of every key. What is committed together is in one slot, so it must contain a hash tag. */
  readonly prefix: string;
  /** A writer with an older token than an earlier writer is refused; without a token none is. */
  readonly token?: () => number | undefined;
  /** The server has lost confirmed writes, so assumptions about the store's content no longer hold. */
  readonly onWiped?: () => void;
  /** The group of ingesters that the tokens are from; each group has its own fence. */
  readonly group?: string | undefined;
  /** Whether the store owns the connection and closes it. */
  readonly ownsLink?: boolean;
}

/** The shared store: per table a sorted set of keys and a hash of values. A commit is atomic. */
export class RedisStore implements Store {
  readonly #options: RedisStoreOptions;
  readonly #turnKeys: readonly string[];
  /** Number of confirmed writes under the current token. */
  #confirmed: { readonly token: number | undefined; readonly writes: number } = {
    token: undefined,
    writes: 0,
  };
  readonly #tables = new Set<string>();
  /** Distinguishes it from other writers under the same token, each with its own connection. */
  readonly #writer = systemSecretBytes(8).toString('hex');

  constructor(options: RedisStoreOptions) {
    const { prefix, group } = options;
    if (!/\{.+\}/.test(prefix)) throw new Error(`${prefix} holds no hash tag`);
    this.#options = options;
    this.#turnKeys = [fenceOf(prefix, group), ofGroup(`${prefix}:eras`, group)];
  }

  table<Value>(name: string, encoding: 'json' | 'binary'): Table<Value> {
    this.#tables.add(name);
    const { link, prefix } = this.#options;
    const [index, values] = this.#keysOf(name) as [string, string];
    const decode = (key: Key, bytes: Buffer): Value =>
      decodeRow(bytes, encoding, { file: prefix, table: name, key });
    const read = { link, keys: [index, values] };
    return {
      puts: (put) => ({ table: name, put, remove: [] }),
      appends: (put) => ({ table: name, put, remove: [], isAppending: true }),
      removes: (remove) => ({ table: name, put: [], remove }),
      async get(key) {
        const bytes = await readable(link.hgetBuffer(values, encodeKey(key)));
        return bytes === null ? undefined : decode(key, bytes);
      },
      async range(range) {
        const rows = await readRange({ ...read, range, withValues: true });
        return rows.flatMap(({ key: bytes, value }): Entry<Value>[] => {
          const key = decodeKey(bytes);
          return value === null ? [] : [{ key, value: decode(key, value) }];
        });
      },
      async keys(range) {
        return (await readRange({ ...read, range, withValues: false })).map(({ key }) => decodeKey(key));
      },
    };
  }

  commit(changes: readonly Change[]): Promise<void> {
    return this.#write(changes, false);
  }

  /** Puts rows that do not exist yet and leaves the others unchanged; appends are always added. */
  commitNew(changes: readonly Change[]): Promise<void> {
    return this.#write(changes, true);
  }

  /** Throws for changes that can never be written. */
  check(changes: readonly Change[]): void {
    for (const { table, put, remove } of changes) {
      if (!this.#tables.has(table)) throw new Error(`no table ${table} is open`);
      for (const key of remove) bytesOfKey(key);
      for (const { key } of put) bytesOfKey(key);
    }
  }

  async #write(changes: readonly Change[], isNewOnly: boolean): Promise<void> {
    const names: string[] = [];
    const args: (string | Buffer | number)[] = [isNewOnly ? 1 : 0];
    for (const { table, put, remove, isAppending } of changes) {
      if (!this.#tables.has(table)) throw new Error(`no table ${table} is open`);
      if (!names.includes(table)) names.push(table);
      args.push(names.indexOf(table) + 1, remove.length, put.length, isAppending ? 1 : 0);
      args.push(...remove.map(bytesOfKey));
      for (const { key, value } of put) args.push(bytesOfKey(key), bytesOf(value));
    }
    const keys = names.flatMap((name) => this.#keysOf(name));
    const script = changes.some(({ put }) => put.length > 0) ? commitScript : removeScript;
    await this.#run(script, keys, args);
  }

  /** Runs a script that begins with `checkTurn`. */
  async #run(
    script: Script,
    keys: readonly string[],
    args: readonly (string | Buffer | number)[] = [],
  ): Promise<void> {
    // An era lasts from one connection to the next. Within one connection, commands arrive in order.
    const { link, onWiped } = this.#options;
    const era = closingsOf(link);
    const token = this.#options.token?.();
    const confirmed = (): number => (this.#confirmed.token === token ? this.#confirmed.writes : 0);
    const turn = [token ?? '', this.#writer, era, confirmed()];
    try {
      await runFenced(script, link, [...this.#turnKeys, ...keys], [...turn, ...args]);
      if (token !== undefined) this.#confirmed = { token, writes: confirmed() + 1 };
    } catch (error) {
      if (error instanceof Error && error.message.includes(WIPED)) onWiped?.();
      // In a cluster the library resends pending commands with the previous era, and a newer one came first.
      if (!isLate(error) || closingsOf(link) === era) throw error;
      await this.#run(script, keys, args);
    }
  }

  /** Removes everything that was committed. Writers of other groups detect it too. */
  async clear(): Promise<void> {
    const { link, prefix } = this.#options;
    const isKept = (key: string): boolean => this.#turnKeys.includes(key) || key.startsWith(fenceOf(prefix));
    for await (const found of keysLike(link, `${prefix}:*`)) {
      const keys = found.filter((key) => !isKept(key));
      if (keys.length > 0) await this.#run(clearScript, keys);
    }
  }

  async probe(): Promise<void> {
    await this.commit([this.table<number>(PROBE_TABLE, 'json').puts([{ key: ['probe'], value: 1 }])]);
  }

  /**
   * For a thread that blocks between tasks and so neither detects a lost connection nor reconnects: gives it time for
   * both.
   */
  async wake(): Promise<void> {
    await sleep(systemClock, 0);
    const { link } = this.#options;
    for (let n = 0; n < WAKE_TURNS && link.status !== 'ready'; n += 1) await sleep(systemClock, WAKE_TURN_MS);
  }

  async close(): Promise<void> {
    const { link, ownsLink = false } = this.#options;
    if (ownsLink) disconnect(link);
  }

  #keysOf(table: string): readonly string[] {
    const { prefix } = this.#options;
    return [`${prefix}:index:${table}`, `${prefix}:values:${table}`];
  }
}

/** Key of the newest token that has written, for a group of ingesters or the primary one. */
export function fenceOf(prefix: string, group?: string): string {
  return ofGroup(`${prefix}:fence`, group);
}

function ofGroup(key: string, group: string | undefined): string {
  return group === undefined || group === PRIMARY_GROUP ? key : `${key}:${group}`;
}

interface Row {
  readonly key: Buffer;
  /** `null` if it was removed meanwhile or not requested. */
  readonly value: Buffer | null;
}

async function readRange({
  link,
  keys,
  range: { from, to, reverse = false, limit },
  withValues,
}: {
  readonly link: RedisLink;
  readonly keys: readonly string[];
  readonly range: Range;
  readonly withValues: boolean;
}): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let min = from ? bound('[', encodeKey(from)) : Buffer.from('-');
  let max = to ? bound('(', encodeKey(to)) : Buffer.from('+');
  while (rows.length < limit) {
    const count = Math.min(PAGE_ROWS, limit - rows.length);
    const args = [min, max, reverse ? 1 : 0, count, withValues ? 1 : 0];
    const [found, values] = (await readable(rangeScript.run(link, keys, args))) as [
      Buffer[],
      (Buffer | null)[],
    ];
    rows.push(...found.map((key, i) => ({ key, value: values[i] ?? null })));
    const last = found.at(-1);
    if (!last || found.length < count) break;
    if (reverse) max = bound('(', last);
    else min = bound('(', last);
  }
  return rows;
}

/** An unreachable server is not the caller's fault: the failure says to retry. */
export async function readable<Result>(reading: Promise<Result>): Promise<Result> {
  try {
    return await reading;
  } catch (error) {
    if (!isAway(error)) throw error;
    throw new Failure('upstream_unavailable', 'The record cannot be read at the moment.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause: error,
    });
  }
}

function isLate(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('LATE');
}

function bound(kind: '[' | '(', key: Buffer): Buffer {
  return Buffer.concat([Buffer.from(kind), key]);
}

function bytesOfKey(key: Key): Buffer {
  const bytes = encodeKey(key);
  if (bytes.length > KEY_BYTES_MAX + 2 * key.length)
    throw new RangeError(`a key of ${bytes.length} bytes; at most ${KEY_BYTES_MAX} are allowed`);
  return bytes;
}

function bytesOf(value: unknown): Buffer {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return Buffer.from(JSON.stringify(value));
}
