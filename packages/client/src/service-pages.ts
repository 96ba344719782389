import { sendRequest, type RequestSpec, type Connection } from './connection.ts';

/** A venue or site whose data are old or missing. */
export interface FailingSource {
  readonly source: string;
  readonly name: string;
  readonly status: 'stale' | 'down' | 'blocked' | 'limited' | 'changed';
  /** Since when, and for how long on the service's clock. */
  readonly sinceTs: number;
  readonly forMs: number;
  readonly error: string;
  /** The failing feeds, as named by `/sources`. */
  readonly feeds: readonly string[];
  /** Other feeds and tables of it have delivered since. */
  readonly partial?: true;
}

/** Answer of `/healthz`: whether the process lives, the state of recording, and sources with old or missing data. */
export interface Health {
  readonly status: string;
  readonly upstream: 'live' | 'sim' | 'replay';
  readonly version: string;
  readonly uptimeMs: number;
  /** Absent until something has been recorded. */
  readonly recording?: {
    readonly status: 'ok' | 'failing';
    /** Trades waiting to be written, and dropped ones. */
    readonly unwritten: number;
    readonly lost: number;
    readonly error?: string;
    readonly sinceMs?: number;
  };
  /** Progress of the back-fill of the venues' own candles, open interest and funding. Absent without a back-fill. */
  readonly backfill?: {
    readonly isDone: boolean;
    readonly marketsLeft: number;
    readonly requests: number;
    /** For open interest and funding; absent from earlier services. */
    readonly histories?: { readonly isDone: boolean; readonly seriesLeft: number };
  };
  /** Absent without an archive. */
  readonly archive?: {
    readonly status: 'ok' | 'failing';
    /** Past days that are not in the archive yet; the store keeps them. */
    readonly waitingDays: number;
    readonly newestDay?: string;
    readonly error?: string;
    readonly sinceMs?: number;
  };
  /** Absent from a process that receives no data. */
  readonly failing?: readonly FailingSource[];
}

/** Answer of `/readyz`: whether the service is ready, and if not, why. */
export interface Readiness {
  /** `ready`; `starting` while nothing has failed but something is not available yet; else `not ready`. */
  readonly status: string;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly reason?: string }[];
}

/** A new key. Its text is returned only here. */
export interface NewKey {
  readonly key: string;
  readonly id: string;
  readonly tier: string;
  readonly createdAt: number;
  /** When it expires if it is never used. */
  readonly useBefore: number;
  readonly requestsPerMinute: number;
}

/** Usage of a key. */
export interface KeyUsage extends Omit<NewKey, 'key' | 'useBefore'> {
  readonly label?: string;
  readonly requestsToday: number;
  readonly requestsTotal: number;
  readonly lastUsedAt: number | null;
}

const NOT_READY = 503;

/** Pages of the service outside its API. They are not retried: callers poll them. */
async function read<Body>(connection: Connection, request: Omit<RequestSpec, 'isPage'>): Promise<Body> {
  const once = { ...connection, retries: 0 };
  return sendRequest(once, { ...request, isPage: true }, async (response) => (await response.json()) as Body);
}

export function readHealth(connection: Connection, signal?: AbortSignal): Promise<Health> {
  return read(connection, { path: '/healthz', signal });
}

export function readReadiness(connection: Connection, signal?: AbortSignal): Promise<Readiness> {
  return read(connection, { path: '/readyz', alsoGood: NOT_READY, signal });
}

export async function createKey(connection: Connection, signal?: AbortSignal): Promise<NewKey> {
  const request = { method: 'POST', path: '/profile/keys', signal } as const;
  return (await read<{ data: NewKey }>(connection, request)).data;
}

export async function readKeyUsage(connection: Connection, signal?: AbortSignal): Promise<KeyUsage> {
  return (await read<{ data: KeyUsage }>(connection, { path: '/profile/key', signal })).data;
}

export async function revokeKey(connection: Connection, signal?: AbortSignal): Promise<void> {
  await read(connection, { method: 'DELETE', path: '/profile/key', signal });
}
