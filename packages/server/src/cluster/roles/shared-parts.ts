import { hostname } from 'node:os';
import { type Clock, type Random, sleep } from '@crosstape/core';
import type { Log } from '../../platform/log.ts';
import { connectedWithin, connectRedis, disconnect, type RedisLink, Script } from '../redis.ts';
import { systemSecretBytes } from '../../platform/random.ts';
import { systemClock } from '../../platform/system-clock.ts';
import type { UpstreamMode } from '../../platform/upstream-mode.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Stops } from '../../roles/role-dependencies.ts';

/** How long a start waits for a server. */
const CONNECT_MS_MAX = 15_000;
/** How long a stop waits for the server. */
const STOP_MS_MAX = 5_000;
const UPSTREAM_KEY = '{crosstape}:upstream';
const LOOK_AGAIN_MS = 500;

/** Dependencies that all roles of one process on a shared server use. */
export interface SharedParts {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly url: string;
  readonly link: RedisLink;
  /** Opens another connection. */
  readonly connect: () => RedisLink;
  /** Opens a connection whose commands wait for the server. */
  readonly connectPatiently: () => RedisLink;
  /** Makes pending and later commands of the start fail. */
  readonly giveUp: () => void;
}

/** The market that the server has. */
export interface SharedUpstream {
  readonly mode: UpstreamMode;
  readonly tenant: string;
  /** Ids of the available sources, if not all. */
  readonly sources?: readonly string[];
}

/** The caller must stop `giveUp` from following the signal once the start is over. */
export async function connectParts(
  options: { settings: Settings; clock: Clock; random: Random; log: Log; url: string; signal?: AbortSignal },
  stops: Stops,
): Promise<SharedParts> {
  const { url, log, signal } = options;
  const links = new Set<RedisLink>();
  let isGivenUp = false;
  const kept = (link: RedisLink): RedisLink => {
    links.add(link);
    link.once('end', () => links.delete(link));
    if (isGivenUp) disconnect(link);
    return link;
  };
  const release = (): void => {
    for (const link of links) disconnect(link);
  };
  const connect = (): RedisLink => kept(connectRedis(url, { log }));
  const link = connect();
  stops.add(release);
  stops.limit(STOP_MS_MAX, () => {
    log.warn({}, 'Redis does not respond; dropping pending writes');
    release();
  });
  const giveUp = (): void => {
    isGivenUp = true;
    release();
  };
  signal?.throwIfAborted();
  signal?.addEventListener('abort', giveUp);
  await connectedWithin(link, CONNECT_MS_MAX, `no answer from ${new URL(url).host}`);
  const connectPatiently = (): RedisLink => kept(connectRedis(url, { log, isPatient: true }));
  return { ...options, link, connect, connectPatiently, giveUp };
}

/** A unique name for this process. */
export function processName(): string {
  return `${hostname()}:${process.pid}:${systemSecretBytes(4).toString('hex')}`;
}

/** Runs on a full server as well: otherwise no ingester could start there and free memory. */
const upstreamScript = new Script(`return redis.call('SET', KEYS[1], ARGV[1])`, { flags: 'allow-oom' });

/** Publishes the market to gateways. */
export async function publishUpstream(
  { link }: SharedParts,
  { mode, tenant, sources }: SharedUpstream,
): Promise<void> {
  await upstreamScript.run(link, [UPSTREAM_KEY], [JSON.stringify({ mode, tenant, sources })]);
}

/** The market: from the settings, or the ingesters' as soon as one has started. */
export async function fetchUpstream(
  { settings, link, log }: SharedParts,
  signal?: AbortSignal,
): Promise<SharedUpstream> {
  if (settings.upstream === 'live') return { mode: 'live', tenant: 'live' };
  for (let isLogged = false; ; isLogged = true) {
    const text = await link.get(UPSTREAM_KEY);
    const published = text === null ? undefined : (JSON.parse(text) as SharedUpstream);
    if (published && (settings.upstream === 'auto' || published.mode === settings.upstream)) return published;
    if (!isLogged) log.info({}, 'no ingester has started yet; waiting for one');
    await sleep(systemClock, LOOK_AGAIN_MS, signal);
  }
}

/** Prefix of the bus of a market. */
export function busPrefix({ tenant }: SharedUpstream): string {
  return `crosstape:${tenant}`;
}

/** Prefix of the store of a market, all in one slot because commits are atomic. */
export function storePrefix({ tenant }: SharedUpstream): string {
  return `{crosstape:${tenant}:store}`;
}

/** Prefix of the leases of a market's ingesters. */
export function leasePrefix({ tenant }: SharedUpstream): string {
  return `{crosstape:${tenant}:lease}`;
}

/** Prefix of the jobs of a market, their queue and their results. */
export function buildsPrefix({ tenant }: SharedUpstream): string {
  return `{crosstape:${tenant}:builds}`;
}
