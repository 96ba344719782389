/**
 * Status of a source. `blocked`: geography, a bot wall or a refused key (HTTP 401, 403, 451); `limited`: rate limit
 * (418, 429); `changed`: it answers in an unknown format; `stale`: its newest value is old; `down`: no answer.
 */
export type SourceStatus = 'ok' | 'stale' | 'down' | 'blocked' | 'limited' | 'changed';

/** From best to worst. */
const ranking: readonly SourceStatus[] = ['ok', 'changed', 'stale', 'limited', 'blocked', 'down'];

export function isWorse(
  one: { readonly status: SourceStatus },
  than: { readonly status: SourceStatus },
): boolean {
  return ranking.indexOf(one.status) > ranking.indexOf(than.status);
}

export interface SourceHealth {
  /** `<venue>:<resource or feed>`, for example `hyperliquid:trades`. */
  readonly source: string;
  readonly venue: string;
  /** What it supplies: names of tables, or `trades`. */
  readonly gives: readonly string[];
  readonly status: SourceStatus;
  /** One sentence when the status is not `ok`. */
  readonly error?: string;
  /** The part of `gives` that the status applies to, if not all: the rest is ok. */
  readonly concerns?: readonly string[];
  /** Notes for readers of its figures even though its status is `ok`: footnotes of the source, a table that shrank. */
  readonly notes?: readonly string[];
  /** When the status last changed. */
  readonly sinceMs: number;
  /** When it stopped being ok, even if its status changed since; absent while it is ok or idle. */
  readonly failingSinceMs?: number;
  /** Time of its last good answer; absent if there was none. */
  readonly lastGoodMs?: number;
  /** Counters since the start of the process. */
  readonly messages: number;
  readonly refused: number;
  /** Why the last of them was refused. */
  readonly lastRefusal?: string;
  readonly reconnects: number;
  /** Messages of the last minute; absent until one has passed. */
  readonly messagesLastMinute?: number;
}
