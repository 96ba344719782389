import { sleep } from '@crosstape/core';
import { createParser } from 'eventsource-parser';
import type { Query } from './address.ts';
import type { Schemas, StreamPath, WireEventOf } from './api-types.ts';
import { backoffMs } from './backoff.ts';
import type { FollowOptions } from './client.ts';
import { type Connection, requestOnce } from './connection.ts';
import { ApiError } from './errors.ts';
import type { FeedStatus } from './socket/frame-types.ts';

/** After a resume the service repeats events with the time of the last one, and later ones. */
const REMEMBERED_MAX = 20_000;

/** Recognises the newest events of a stream. */
class Seen {
  readonly #names = new Set<string>();

  isNew(event: object): boolean {
    const { coin, ts, tid } = event as { coin?: string; ts?: number; tid?: number };
    const name = `${coin} ${ts} ${tid}`;
    if (this.#names.has(name)) return false;
    this.#names.add(name);
    if (this.#names.size > REMEMBERED_MAX) {
      const [oldest] = this.#names;
      if (oldest !== undefined) this.#names.delete(oldest);
    }
    return true;
  }
}

/** Heartbeats come every 15 s: a stream without a message for this long is dead. */
const SILENT_MAX_MS = 45_000;

/** Events that could not be recovered, from `from` to `to`. */
export interface Gap {
  readonly event: 'gap';
  readonly data: { readonly from: number; readonly to: number };
}

type Named<Event> = Event extends { readonly event: 'heartbeat' | 'bye' }
  ? never
  : Event extends { readonly event: infer Name; readonly data: infer Data }
    ? { readonly event: Name; readonly data: Data }
    : never;

export type StreamItem<Path extends StreamPath> = Named<WireEventOf<Path>> | Gap;

interface WireEvent {
  readonly event: string | undefined;
  readonly id: string | undefined;
  readonly data: unknown;
}

/** Follows a stream across reconnections. Ends only when aborted, or when the service refuses the request. */
export async function* streamEvents<Path extends StreamPath>(
  connection: Connection,
  path: Path,
  query: Query | undefined,
  { signal, onStatus }: FollowOptions = {},
): AsyncGenerator<StreamItem<Path>, void, undefined> {
  const { clock, random } = connection;
  let state: FeedStatus['state'] = 'live';
  const report = (status: FeedStatus): void => {
    if (status.state !== state) onStatus?.(status);
    state = status.state;
  };
  const seen = new Seen();
  let lastId: string | undefined;
  for (let failures = 0; ; ) {
    let beats = 0;
    let isGood = false;
    try {
      for await (const { event, id, data } of eventsOf(connection, path, query, lastId, signal)) {
        if (event === 'heartbeat') beats += 1;
        const isReported = event !== 'heartbeat' && event !== 'bye' && seen.isNew(data as object);
        // The first heartbeat, repeated events and the final event do not show that a connection is stable.
        isGood ||= isReported || beats > 1;
        if (isGood) failures = 0;
        if (id !== undefined) lastId = id;
        if (event === 'heartbeat') report(statusOf(data as Schemas['Heartbeat'], clock.now()));
        const gap = event === 'heartbeat' ? gapOf(data as Schemas['Heartbeat']) : undefined;
        if (gap) yield gap;
        else if (isReported) yield { event, data } as StreamItem<Path>;
      }
      // A stream that ended in an orderly way is reopened at once, unless it delivered nothing.
      if (isGood) continue;
      failures += 1;
      await sleep(clock, backoffMs(failures, random), signal);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof ApiError && error.status < 500 && error.status !== 429) throw error;
      const waitMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
      failures += 1;
      await sleep(clock, Math.max(waitMs, backoffMs(failures, random)), signal);
    }
  }
}

/** A heartbeat reports failing sources; without any, they deliver. */
function statusOf({ state, sinceTs, reason }: Schemas['Heartbeat'], nowMs: number): FeedStatus {
  if (state === undefined) return { state: 'live', sinceTs: nowMs, reason: 'All sources deliver.' };
  return { state, sinceTs: sinceTs ?? nowMs, reason: reason ?? `The source is ${state}.` };
}

/** After a resume the service reports whether all events since then follow. */
function gapOf({ resumed, lostFrom, lostTo, ts }: Schemas['Heartbeat']): Gap | undefined {
  if (resumed !== false && lostFrom === undefined) return undefined;
  return { event: 'gap', data: { from: lostFrom ?? ts, to: lostTo ?? ts } };
}

/** The events of one connection until it ends in an orderly way. Throws when it breaks. */
async function* eventsOf(
  connection: Connection,
  path: StreamPath,
  query: Query | undefined,
  lastId: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<WireEvent, void, undefined> {
  const { clock } = connection;
  const ending = new AbortController();
  const onAbort = (): void => ending.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort);
  const isSilent = (): void => ending.abort(new Error(`The stream was silent for ${SILENT_MAX_MS} ms.`));
  let silence = clock.after(SILENT_MAX_MS, isSilent);
  const events: WireEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, id, data }) => {
      events.push({ event, id, data: JSON.parse(data) });
    },
  });
  try {
    const headers = {
      Accept: 'text/event-stream',
      ...(lastId !== undefined && { 'Last-Event-ID': lastId }),
    };
    const request = { path, query, signal: ending.signal, headers };
    const text = await requestOnce(connection, request, async ({ body }) =>
      body?.pipeThrough(new TextDecoderStream()),
    );
    if (!text) return;
    // Not every browser can iterate over a stream.
    const reader = text.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      silence.cancel();
      silence = clock.after(SILENT_MAX_MS, isSilent);
      parser.feed(part.value);
      yield* events.splice(0);
    }
  } finally {
    silence.cancel();
    signal?.removeEventListener('abort', onAbort);
    ending.abort();
  }
}
