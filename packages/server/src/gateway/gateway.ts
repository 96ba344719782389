import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@crosstape/core';
import { WebSocketServer } from 'ws';
import type { TapeCoverage } from '../features/tape/tape-coverage.ts';
import type { TapeReader } from '../features/tape/tape-reader.ts';
import type { Bus } from '../platform/bus.ts';
import { callerBehind, type TrustProxy } from '../platform/client-address.ts';
import { Failure } from '../platform/errors.ts';
import type { KeyStore } from '../platform/key-store.ts';
import type { Log } from '../platform/log.ts';
import type { QuotaMode, ShareQuota } from '../platform/quota.ts';
import type { SeatSharing } from '../cluster/shared-slots.ts';
import type { Rotations } from '../features/rotations/rotations.ts';
import { snapshotTopic } from '../topics.ts';
import { type CoinIndex, indexCoins } from '../features/markets/coins.ts';
import { FeedStates } from '../features/sources/feed-states.ts';
import type { SocketCaller } from '../http/gate.ts';
import { Turns } from '../sse/write-scheduler.ts';
import type { Unread } from '../http/unread-budget.ts';
import { FollowedBooks } from '../features/orderbook/followed-books.ts';
import { Hub } from './hub.ts';
import { Writer } from './outbox.ts';
import { HeldPasts } from '../features/tape/trade-backfill.ts';
import { HANDSHAKES_PER_MINUTE, Seats } from './connection-slots.ts';
import { closeCodes } from './server-frames.ts';
import { Session } from './session.ts';
import { encodeMessage, wireFrame } from './wire-frame.ts';

/** The longest frame that a client may send; a subscription takes a hundred bytes. */
const FRAME_BYTES_MAX = 16_384;
/** A frame of that length fits into few fragments, and into few packets of the network. */
const FRAGMENTS_MAX = 16;
const CHUNKS_MAX = 1_024;
const HEARTBEAT_EVERY_MS = 15_000;
const RETRY_AFTER_SECONDS = 5;
/** How long a frame waits for the first list of coins. */
const COINS_MS_MAX = 3_000;

export interface GatewayOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly log: Log;
  readonly tape: TapeReader;
  readonly coverage: TapeCoverage;
  readonly rotations: Pick<Rotations, 'submit' | 'job' | 'watch'>;
  readonly keys: KeyStore;
  /** Counts a build towards the caller's quota; returns why it is refused. */
  readonly countBuild: (caller: SocketCaller) => Failure | undefined;
  readonly primaryVenue: string;
  /** The coins whose flows are followed. */
  readonly flowCoins: readonly string[];
  readonly settings: {
    readonly quota: QuotaMode;
    readonly trustProxy: TrustProxy;
    /** Whether sockets without a key are refused; they are not unless told. */
    readonly wsRequireKey?: boolean;
  };
  readonly shareQuota?: ShareQuota | undefined;
  readonly shareSeats?: SeatSharing | undefined;
}

export interface Gateway {
  /** Takes over a connection that asks to become a WebSocket. Throws a `Failure` when it may not. */
  open(request: IncomingMessage, socket: Socket, head: Buffer): void;
  /** What waits for clients that do not read. */
  unread(): Iterable<Unread>;
  /** Numbers for the metrics, by name. */
  counts(): Readonly<Record<string, number>>;
  /** Says goodbye to everybody; resolves when all are gone. */
  close(): Promise<void>;
}

/** The WebSocket gateway: every channel, builds, and who may have how much of them. */
export function createGateway(options: GatewayOptions): Gateway {
  const { clock, bus, log, keys, rotations, primaryVenue, settings } = options;
  const turns = new Turns();
  const writer = new Writer(turns);
  const books = new FollowedBooks({ clock, bus, venue: primaryVenue });
  const hub = new Hub(turns, { ...options, books }, new FeedStates(bus, clock));
  const seats = new Seats(clock, settings.quota, options.shareQuota, options.shareSeats);
  const callerOf = callerBehind(settings.trustProxy);
  const sessions = new Set<Session>();
  const totals = { errors: 0, tooSlow: 0, dead: 0, flooding: 0 };
  const startedAtMs = clock.now();
  let opened = 0;
  let faults = 0;
  let onEmpty: (() => void) | undefined;

  const report = (error: unknown): string => {
    faults += 1;
    const id = `ws-${startedAtMs.toString(36)}-${faults}`;
    log.error({ id, err: error }, 'a frame failed on our side');
    return id;
  };

  const knownCoins = async (): Promise<CoinIndex> => {
    const topic = snapshotTopic(primaryVenue, 'instruments');
    if (!bus.latest(topic)) await firstOf(bus, clock, topic);
    const rows = bus.latest(topic)?.message.rows;
    if (rows) return indexCoins(rows.map(({ coin }) => coin));
    throw new Failure('upstream_unavailable', `${primaryVenue} has not told yet which coins it lists.`);
  };

  const context = {
    clock,
    keys,
    rotations,
    countBuild: options.countBuild,
    seats,
    writer,
    totals,
    report,
    requireKey: settings.wsRequireKey ?? false,
    subscribing: { ...options, books, hub, held: new HeldPasts(), knownCoins },
  };

  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false,
    // Each socket hands over one frame in a turn of the event loop, however many a read brought.
    allowSynchronousEvents: false,
    maxPayload: FRAME_BYTES_MAX,
    maxFragments: FRAGMENTS_MAX,
    maxBufferedChunks: CHUNKS_MAX,
  });

  const heartbeat = clock.every(HEARTBEAT_EVERY_MS, () => {
    const nowMs = clock.now();
    const message = { type: 'heartbeat', ts: nowMs };
    const ping = wireFrame('ping', Buffer.alloc(0));
    const bytes = {
      json: Buffer.concat([encodeMessage(message, 'json'), ping]),
      msgpack: Buffer.concat([encodeMessage(message, 'msgpack'), ping]),
    };
    for (const session of sessions) session.beat(bytes, nowMs);
  });

  const unwatch = bus.onMissed(() => {
    hub.renew();
    for (const session of sessions) {
      if (session.subscriptions > 0)
        session.close(closeCodes.missed, 'something was missed on our side: connect again');
    }
  });

  return {
    open(request, socket, head) {
      const caller = callerOf(request);
      const retryAfterSeconds = RETRY_AFTER_SECONDS;
      if (onEmpty)
        throw new Failure('overloaded', 'The service is shutting down; connect again.', {
          retryAfterSeconds,
        });
      const waitSeconds = seats.countHandshake(caller);
      if (waitSeconds !== undefined)
        throw new Failure('rate_limited', `More than ${HANDSHAKES_PER_MINUTE} sockets in a minute.`, {
          retryAfterSeconds: waitSeconds,
        });
      if (!seats.enter(caller))
        throw new Failure('rate_limited', 'Too many sockets are open.', { retryAfterSeconds });
      let isSeated = false;
      // Until there is a session, nobody else notices that the connection is gone.
      const onGone = (): void => {
        if (!isSeated) seats.leave(caller, undefined);
      };
      socket.once('close', onGone);
      server.handleUpgrade(request, socket, head, (ws) => {
        isSeated = true;
        opened += 1;
        const onEnd = (): void => {
          sessions.delete(session);
          if (sessions.size === 0) onEmpty?.();
        };
        const session = new Session({ ws, socket, caller, context, onEnd });
        sessions.add(session);
      });
    },

    *unread() {
      for (const session of sessions) if (session.unreadBytes > 0) yield session.unread;
    },

    counts() {
      const subscriptions = [...sessions].reduce((sum, session) => sum + session.subscriptions, 0);
      return {
        open: seats.open,
        opened,
        subscriptions,
        topics: hub.topics,
        ...writer.totals,
        ...totals,
        faults,
      };
    },

    close() {
      heartbeat.cancel();
      unwatch();
      return new Promise((resolve) => {
        onEmpty = resolve;
        if (sessions.size === 0) resolve();
        for (const session of sessions) session.close(closeCodes.goingAway, 'the service is shutting down');
      });
    },
  };
}

/** Waits for the first message on a topic, but not for long. */
function firstOf(bus: Bus, clock: Clock, topic: Parameters<Bus['subscribe']>[0]): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      timer.cancel();
      leave();
      resolve();
    };
    const timer = clock.after(COINS_MS_MAX, finish);
    const leave = bus.subscribe(topic, finish);
  });
}
