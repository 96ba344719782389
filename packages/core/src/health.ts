/**
 * How a source is doing. `blocked`: geography, a bot wall or a key that is refused (HTTP 401, 403, 451); `limited`: rate
 * limit (418, 429); `changed`: it answers, but in a form no longer understood; `stale`: its newest value is old; `down`:
 * no answer.
 */
export type SourceStatus = 'ok' | 'stale' | 'down' | 'blocked' | 'limited' | 'changed';

/** From good to bad. */
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
  /** What of `gives` the status is about, when not all: the rest is ok. */
  readonly concerns?: readonly string[];
  /** What a reader of its figures should know though its status is `ok`: footnotes of the source, a table that shrank. */
  readonly notes?: readonly string[];
  /** When the status last became what it is. */
  readonly sinceMs: number;
  /** When it stopped being ok, however its status changed since; absent while it is ok or idle. */
  readonly failingSinceMs?: number;
  /** When the source last said something good; absent when it never did. */
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
