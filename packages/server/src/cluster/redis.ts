import { createHash } from 'node:crypto';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { Log } from '../platform/log.ts';
import { systemClock } from '../platform/system-clock.ts';

/** A connection to Redis or Valkey: one server, or a cluster of them. */
export type RedisLink = Redis | Cluster;

const COMMAND_MS_MAX = 5_000;
const CONNECT_MS_MAX = 5_000;
/** Sentinels answer from memory; a failover waits for each one that hangs. */
const SENTINEL_MS_MAX = 2_000;
/** A server that stays silent for this much longer than the command timeout hangs, and is reconnected. */
const HANG_MS = 2_000;
/** Timeout of blocking commands: longer than any that the queue library sends. */
const PATIENT_HANG_MS = 30_000;
/** Keys scanned per command. */
const KEYS_PER_SCAN = 1_000;
const RETRY_STEP_MS = 50;
const RETRY_MS_MAX = 1_000;

export interface RedisLinkOptions {
  readonly log?: Log;
  /** A command without an answer for this long has failed. */
  readonly commandMsMax?: number;
  /** Whether commands wait for the server instead of failing, as the queue library requires. */
  readonly isPatient?: boolean;
}

/**
 * Connects, and reconnects whenever the connection breaks. A command fails at once while there is no connection and is
 * never sent twice: the caller decides. (In a cluster the library resends it when a node's connection closes.) The
 * address is `redis://` or `rediss://`; `?cluster=1` means a node of a cluster, `?sentinel=NAME` a sentinel of the
 * master of that name (its own password: `&sentinelPassword=`), and `&hosts=A:1,B:2` adds more of either.
 */
export function connectRedis(
  address: string,
  { log, commandMsMax = COMMAND_MS_MAX, isPatient = false }: RedisLinkOptions = {},
): RedisLink {
  const url = new URL(address);
  const name = url.searchParams.get('sentinel');
  const hosts = [url.host, ...(url.searchParams.get('hosts')?.split(',') ?? [])].map(hostOf);
  const options: RedisOptions = {
    ...accessOf(url),
    connectTimeout: CONNECT_MS_MAX,
    ...(isPatient
      ? { maxRetriesPerRequest: null, socketTimeout: PATIENT_HANG_MS }
      : {
          commandTimeout: commandMsMax,
          // Without it the connection to a hanging master would stay open, and its successor would never be found.
          socketTimeout: commandMsMax + HANG_MS,
          enableOfflineQueue: false,
          autoResendUnfulfilledCommands: false,
          maxRetriesPerRequest: 0,
        }),
    retryStrategy: backoffMs,
    // Leaves a server that a failover has made a replica.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  };
  const link = url.searchParams.has('cluster')
    ? new Cluster(hosts, {
        redisOptions: options,
        enableOfflineQueue: isPatient,
        clusterRetryStrategy: backoffMs,
        slotsRefreshTimeout: CONNECT_MS_MAX,
        ...(url.protocol === 'rediss:' && { dnsLookup: (host, found) => found(null, host) }),
      })
    : new Redis(
        name === null
          ? { ...options, ...hosts[0] }
          : { ...options, ...sentinelAccess(url), name, sentinels: hosts, sentinelRetryStrategy: backoffMs },
      );
  const watch = (one: Redis): void => {
    forgetOnClose(one);
    one.on('close', () => closings.set(link, closingsOf(link) + 1));
  };
  if (link instanceof Cluster) link.on('+node', watch);
  else watch(link);
  // Without a listener Node would crash. The sender of a command gets the error.
  link.on('error', (error: Error) => log?.debug({ err: error }, 'Redis connection error'));
  return link;
}

const closings = new WeakMap<RedisLink, number>();

/** How often the connection, or one of its nodes', was closed: a command sent before may arrive after later ones. */
export function closingsOf(link: RedisLink): number {
  return closings.get(link) ?? 0;
}

/**
 * Clears the library's pending timeout when a connection closes. Otherwise the timeout applies to the next connection
 * and cuts it, and until then that connection is not monitored.
 */
function forgetOnClose(link: Redis): void {
  link.on('close', () => {
    clearTimeout(link['socketTimeoutTimer'] as NodeJS.Timeout | undefined);
    link['socketTimeoutTimer'] = undefined;
  });
}

function backoffMs(times: number): number {
  return Math.min(times * RETRY_STEP_MS, RETRY_MS_MAX);
}

function hostOf(text: string): { host: string; port: number } {
  const { hostname, port } = new URL(`redis://${text}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) };
}

function accessOf({ username, password, pathname, protocol }: URL): RedisOptions {
  const db = Number(pathname.slice(1) || 0);
  return {
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(db > 0 && { db }),
    ...(protocol === 'rediss:' && { tls: {} }),
  };
}

/** If one of several sentinels hangs, the next is used. Sentinels use TLS if the master does. */
function sentinelAccess({ protocol, searchParams }: URL): RedisOptions {
  const sentinelPassword = searchParams.get('sentinelPassword');
  return {
    ...(sentinelPassword !== null && { sentinelPassword }),
    sentinelCommandTimeout: SENTINEL_MS_MAX,
    ...(protocol === 'rediss:' && { sentinelTLS: {}, enableTLSForSentinelMode: true }),
  };
}

/** Closes a connection for good. Between two connection attempts the library itself emits no event. */
export function disconnect(link: RedisLink): void {
  const isBetweenTries = link.status === 'reconnecting';
  link.disconnect();
  if (!isBetweenTries) return;
  link.status = 'end';
  link.emit('end');
}

/** Resolves once commands can be sent; rejects when the connection is abandoned. */
export function isConnected(link: RedisLink): Promise<void> {
  if (link.status === 'ready') return Promise.resolve();
  return new Promise((resolve, reject) => {
    const ready = (): void => {
      link.off('end', end);
      resolve();
    };
    const end = (): void => {
      link.off('ready', ready);
      reject(new Error('the connection is over'));
    };
    if (link.status === 'end') return end();
    link.once('ready', ready);
    link.once('end', end);
  });
}

/** The same with a time limit; a connection that does not come up is abandoned. */
export async function connectedWithin(link: RedisLink, limitMs: number, problem: string): Promise<void> {
  const late = systemClock.after(limitMs, () => disconnect(link));
  try {
    await isConnected(link);
  } catch (error) {
    throw new Error(problem, { cause: error });
  } finally {
    late.cancel();
  }
}

/** Replies of a server that is not ready, or no longer the master. */
const NOT_READY = /^(LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|READONLY)/;

/** Whether a command failed because no server was available, rather than by its reply. */
export function isAway(error: unknown): boolean {
  return error instanceof Error && (error.name !== 'ReplyError' || NOT_READY.test(error.message));
}

/** The library's messages for a command without a reply. */
const UNANSWERED = /^(Command timed out|Connection is closed|Stream isn't writeable|Reached the max retries)/;

/** Whether a command got no reply, directly or as the cause of another error. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && (UNANSWERED.test(error.message) || isUnanswered(error.cause));
}

/** Whether the server refused it for lack of memory. */
export function isFull(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('OOM');
}

/** The keys that match a pattern, on all nodes, in pages. */
export async function* keysLike(link: RedisLink, pattern: string): AsyncGenerator<readonly string[]> {
  for (const node of link instanceof Cluster ? link.nodes('master') : [link]) {
    let cursor = '0';
    do {
      const [next, keys] = await node.scan(cursor, 'MATCH', pattern, 'COUNT', KEYS_PER_SCAN);
      yield keys;
      cursor = next;
    } while (cursor !== '0');
  }
}

/**
 * A Lua script, which the server runs atomically. All keys must be named and in one slot. Its first line makes a full
 * server refuse the whole script instead of failing half way; scripts that only remove are exempt.
 */
export class Script {
  readonly #text: string;
  readonly #hash: string;

  /** A full server runs only scripts with a flag: those that free memory or add little, and read-only ones. */
  constructor(text: string, { flags }: { readonly flags?: 'allow-oom' | 'no-writes,allow-oom' } = {}) {
    this.#text = `#!lua${flags ? ` flags=${flags}` : ''}\n${text}`;
    this.#hash = createHash('sha1').update(this.#text).digest('hex');
  }

  /** Strings are returned as bytes. */
  async run(
    link: RedisLink,
    keys: readonly string[],
    args: readonly (string | Buffer | number)[],
  ): Promise<unknown> {
    const rest = [keys.length, ...keys, ...args];
    try {
      return await link.callBuffer('EVALSHA', this.#hash, ...rest);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return link.callBuffer('EVAL', this.#text, ...rest);
    }
  }
}

/** Another process has taken over; writes of this one are refused. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
}

const FENCED = 'FENCED';

/** Start of a script that refuses tokens older than the newest seen: `KEYS[1]`, `ARGV[1]`. */
export const checkFence = `
local fence = redis.call('GET', KEYS[1])
if ARGV[1] ~= '' then
  if fence and tonumber(fence) > tonumber(ARGV[1]) then return redis.error_reply('${FENCED} by ' .. fence) end
  if not fence or tonumber(fence) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1]) end
end
`;

/** Runs a script that begins with `checkFence`. */
export async function runFenced(
  script: Script,
  link: RedisLink,
  keys: readonly string[],
  args: readonly (string | Buffer | number)[],
): Promise<unknown> {
  try {
    return await script.run(link, keys, args);
  } catch (error) {
    if (error instanceof Error && error.message.includes(FENCED))
      throw new Fenced(error.message, { cause: error });
    throw error;
  }
}
