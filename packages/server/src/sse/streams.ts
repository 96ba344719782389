import { type Clock, MINUTE_MS } from '@crosstape/core';
import { Type } from 'typebox';
import type { FeedState } from '../health/feed-state.ts';
import type { Bus, Dated } from '../platform/bus.ts';
import { Failure } from '../platform/errors.ts';
import type { Resumption } from '../platform/event-log.ts';
import { type Log, warnOnce } from '../platform/log.ts';
import type { EventStream, Recalled, Selection } from './event-stream.ts';
import { FeedStates, type FeedWatch } from '../health/feed-states.ts';
import { readQuery } from '../http/read-query.ts';
import type { StreamDefinition, StreamOpening, Streams } from '../http/stream-definition.ts';
import { SseFeed } from './feed.ts';
import { sseFrame } from './frame.ts';
import { type EndReason, SseReader } from './reader.ts';
import { recallSlots, sendRecalled } from './recalls.ts';
import { StreamSlots } from './stream-slots.ts';
import { SseSocket } from './socket.ts';
import { WriteScheduler } from '../platform/write-scheduler.ts';

/** Reconnection delay sent to clients. */
const RECONNECT_MS = 2_000;
/** Recorded events per write. */
const RECALL_SLICE_EVENTS = 1_024;

export interface StreamsOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly log: Log;
  readonly streams: readonly EventStream[];
  /** Passed to each stream's `select`. */
  readonly services: unknown;
  readonly primaryVenue: string;
  readonly settings: { readonly sseMaxMinutes: number; readonly streamsPerAddress?: number };
}

interface OpenFeed {
  readonly feed: SseFeed;
  readonly readers: Set<SseReader>;
  readonly watch: FeedWatch;
  close(): void;
}

const lastEventId = Type.Optional(
  Type.Integer({
    minimum: 0,
    description:
      'Id to resume from, for clients that cannot set the `Last-Event-ID` header. The header goes first.',
  }),
);

/** The definitions of streams, each with a query that can also carry the id to resume from. */
export function definitionsOf(streams: readonly EventStream[]): readonly StreamDefinition[] {
  return streams.map(({ definition }) => {
    const query = Type.Object({ ...definition.query.properties, lastEventId });
    return { ...definition, query };
  });
}

/** Serves every stream as Server-Sent Events. */
export function serveStreams(options: StreamsOptions): Streams {
  const { clock, bus, log, streams, services, primaryVenue, settings } = options;
  const definitions = definitionsOf(streams);
  const states = new FeedStates(bus, clock);
  const scheduler = new WriteScheduler();
  const slots = new StreamSlots(settings.streamsPerAddress);
  const feeds = new Map<string, OpenFeed>();
  const totals = { opened: 0, cut: 0, delivered: 0 };
  const warn = warnOnce(log);
  const recalls = recallSlots(clock);

  function openFeed(stream: EventStream, selection: Selection): OpenFeed {
    const { topic, sources = stream.sources(primaryVenue) } = selection;
    // Selections of one topic may depend on different sources for their state.
    const name = JSON.stringify([stream.definition.path, topic.name, sources]);
    const known = feeds.get(name);
    if (known) return known;
    const feed = new SseFeed({
      log: bus.log(topic),
      scheduler,
      encode: (event) => frameOf(stream, selection, event),
      onDelivered: (events) => {
        totals.delivered += events;
      },
    });
    const unsubscribe = bus.subscribe(topic, () => feed.wake());
    const readers = new Set<SseReader>();
    const watch = states.watch(sources, () => {
      for (const reader of readers) reader.beat();
    });
    const close = (): void => {
      unsubscribe();
      watch.stop();
      feeds.delete(name);
    };
    const opened = { feed, readers, watch, close };
    feeds.set(name, opened);
    return opened;
  }

  function begin(
    stream: EventStream,
    selection: Selection,
    opening: StreamOpening,
    id: number | undefined,
    recalled?: Recalled,
    onSent?: () => void,
  ): void {
    const { definition } = stream;
    const openedFeed = openFeed(stream, selection);
    const { feed, readers, watch } = openedFeed;
    const resumption = recalled
      ? { ...recalled, resumed: true }
      : id === undefined
        ? undefined
        : feed.log.resume(id);
    const onCut = (): void => {
      totals.cut += 1;
      warn(
        `cut ${definition.path}`,
        { path: definition.path },
        'a client too slow for its stream is cut off',
      );
    };
    const socket = new SseSocket({ clock, onCut, ...opening });
    const ts = id ?? feed.log.idAt(feed.position);
    const hello = {
      ts,
      now: clock.now(),
      ...verdict(resumption),
      ...unknownOf(selection),
      ...problem(watch.current),
    };
    socket.write(`retry: ${RECONNECT_MS}\n${sseFrame('heartbeat', ts, hello)}`);
    const reader = new SseReader({
      clock,
      scheduler,
      feed,
      selection,
      socket,
      // Includes what the feed has not delivered yet.
      position: Math.min(resumption?.position ?? feed.position, feed.position),
      maxDurationMs: settings.sseMaxMinutes * MINUTE_MS,
      sendsBye: 'bye' in definition.events,
      problem: () => problem(watch.current),
    });
    totals.opened += 1;
    readers.add(reader);
    opening.request.socket.once('close', () => {
      reader.close();
      readers.delete(reader);
      if (readers.size === 0) openedFeed.close();
    });
    const start = (): void => {
      onSent?.();
      reader.start();
    };
    if (recalled) sendRecalled(clock, socket, framesOf(stream, selection, recalled), start);
    else start();
  }

  /** Begins at once, or after reading from the record what the log no longer has. */
  function beginFrom(
    stream: EventStream,
    selection: Selection,
    opening: StreamOpening,
    id: number | undefined,
  ): void {
    const { topic, recall } = selection;
    const lost = id === undefined ? undefined : bus.log(topic).resume(id).lost;
    if (!recall || !lost) return begin(stream, selection, opening, id);
    const { path } = stream.definition;
    const { socket } = opening.request;
    const beginWithRecord = async (): Promise<void> => {
      const end = await recalls.take(opening.caller);
      if (end && socket.destroyed) return end();
      if (end) socket.once('close', end);
      const recalled = await (end && recall(lost.fromTs))?.catch((error: unknown): undefined => {
        warn(`recall ${path}`, { path, err: error }, 'a stream cannot be resumed from the record');
      });
      if (socket.destroyed || slots.isClosed) socket.destroy();
      else begin(stream, selection, opening, id, recalled, end);
    };
    void beginWithRecord();
  }

  return {
    definitions,

    open(opening) {
      const { definition, search, caller, request } = opening;
      const stream = streams.find((one) => one.definition.path === definition.path);
      if (!stream) throw new Failure('not_found', `There is no stream \`${definition.path}\`.`);
      const query = readQuery(Type.Object({ ...stream.definition.query.properties, lastEventId }), search);
      const id = headerId(request.headers['last-event-id']) ?? query.lastEventId;
      const selection = stream.select(query, services);
      // Closed before it was opened: no event would free the slot.
      if (request.socket.destroyed) return;
      slots.take(caller);
      request.socket.once('close', () => slots.giveBack(caller));
      beginFrom(stream, selection, opening, id);
    },

    counts() {
      const readers = [...feeds.values()].flatMap((one) => [...one.readers]);
      const catchingUp = readers.filter((reader) => !reader.isLive).length;
      return { open: slots.open, catchingUp, ...totals };
    },

    close(reason: EndReason) {
      const empty = slots.close();
      for (const { readers } of feeds.values()) for (const reader of readers) reader.leave(reason);
      return empty;
    },
  };
}

function frameOf(stream: EventStream, { data }: Selection, event: Dated): string {
  return sseFrame(stream.eventName, event.ts, data ? data(event) : stream.data(event));
}

/** The selected recorded events as frames, a slice at a time. */
function* framesOf(stream: EventStream, selection: Selection, { batches }: Recalled): Generator<string> {
  for (const batch of batches) {
    for (let at = 0; at < batch.length; at += RECALL_SLICE_EVENTS) {
      const slice = batch.slice(at, at + RECALL_SLICE_EVENTS).filter(selection.accepts);
      yield slice.map((event) => frameOf(stream, selection, event)).join('');
    }
  }
}

function verdict(resumption: Pick<Resumption, 'resumed' | 'lost'> | undefined): object {
  if (!resumption) return {};
  const { resumed, lost } = resumption;
  return { resumed, ...(lost && { lostFrom: lost.fromTs, lostTo: lost.toTs }) };
}

/** Failing sources in a heartbeat: empty while they deliver. */
function problem(feed: FeedState): object {
  return feed.state === 'live' ? {} : feed;
}

function unknownOf({ unknown }: Selection): object {
  return unknown ? { unknown } : {};
}

function headerId(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  const id = typeof header === 'string' && /^\d+$/.test(header) ? Number(header) : Number.NaN;
  if (Number.isSafeInteger(id)) return id;
  throw new Failure(
    'bad_request',
    'Header `Last-Event-ID` must be the id of an event: a time in milliseconds, an integer, at least 0.',
  );
}
