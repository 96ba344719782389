import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock, SourceTerms } from '@crosstape/core';
import { WebSocketServer } from 'ws';
import type { Bus } from '../platform/bus.ts';
import { callerBehind, type TrustProxy } from '../platform/client-address.ts';
import { Failure } from '../platform/errors.ts';
import type { KeyStore } from '../platform/key-store.ts';
import type { Log } from '../platform/log.ts';
import type { QuotaMode, ShareQuota } from '../platform/quota.ts';
import { FeedStates } from '../health/feed-states.ts';
import { WriteScheduler } from '../platform/write-scheduler.ts';
import type { Unread } from '../http/unread-budget.ts';
import type { Backfill } from './backfill.ts';
import type { ChannelContext, GatewayChannel } from './gateway-channel.ts';
import { Hub } from './hub.ts';
import type { Operation } from './operation.ts';
import { Writer } from './outbox.ts';
import { HANDSHAKES_PER_MINUTE, ConnectionSlots, type SlotSharing } from './connection-slots.ts';
import { closeCodes } from './server-frames.ts';
import { Session } from './session.ts';
import { offersOf, type SubscribeContext, type SymbolIndex } from './subscriptions.ts';
import { encodeMessage, wireFrame } from './wire-frame.ts';

/** The longest frame that a client may send; a subscription takes about a hundred bytes. */
const FRAME_BYTES_MAX = 16_384;
/** A frame of that length needs few fragments. */
const FRAGMENTS_MAX = 16;
const CHUNKS_MAX = 1_024;
const HEARTBEAT_EVERY_MS = 15_000;
const RETRY_AFTER_SECONDS = 5;

export interface GatewayOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly log: Log;
  readonly channels: readonly GatewayChannel[];
  /** Passed to each channel's `open`. */
  readonly channelContext: ChannelContext;
  /** Publishers with their terms of use. */
  readonly sources: readonly SourceTerms[];
  readonly operations: readonly Operation[];
  readonly backfills: Readonly<Record<string, Backfill>>;
  /** The symbols of channels that do not list their own; rejects with a `Failure` while they are unknown. */
  readonly knownSymbols: () => Promise<SymbolIndex>;
  readonly knownMarket: SubscribeContext['knownMarket'];
  readonly keys: KeyStore;
  /** Called for the connection of a client that sends too much, which is closed. */
  readonly onAbuse: (socket: Socket) => void;
  readonly settings: {
    readonly quota: QuotaMode;
    readonly trustProxy: TrustProxy;
    /** Whether sockets without a key are refused; default: no. */
    readonly wsRequireKey?: boolean;
  };
  readonly shareQuota?: ShareQuota | undefined;
  readonly shareSlots?: SlotSharing | undefined;
}

export interface Gateway {
  /** Upgrades a connection to a WebSocket. Throws a `Failure` when it may not. */
  open(request: IncomingMessage, socket: Socket, head: Buffer): void;
  /** Unread bytes of clients. */
  unread(): Iterable<Unread>;
  /** Values for the metrics, by name. */
  counts(): Readonly<Record<string, number>>;
  /** Sends every socket a close frame; resolves when all are closed. */
  close(): Promise<void>;
}

/** The WebSocket gateway: sessions, subscriptions to channels, operations, and limits per caller. */
export function openGateway(options: GatewayOptions): Gateway {
  const { clock, bus, log, keys, onAbuse, settings, operations, channelContext } = options;
  const scheduler = new WriteScheduler();
  const writer = new Writer(scheduler);
  const hub = new Hub(scheduler, channelContext, new FeedStates(bus, clock));
  const channels = offersOf(options.channels);
  const slots = new ConnectionSlots(clock, settings.quota, options.shareQuota, options.shareSlots);
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

  const context = {
    clock,
    keys,
    operations,
    slots,
    writer,
    totals,
    report,
    onAbuse,
    requireKey: settings.wsRequireKey ?? false,
    subscribing: { ...options, hub, channels },
  };

  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false,
    // Each socket delivers one frame per turn of the event loop, however many were read at once.
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

  const unwatch = bus.onMissed((isMissed) => {
    const closed = hub.renew(isMissed);
    for (const session of sessions) {
      if (session.followsAny(closed))
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
      const waitSeconds = slots.countHandshake(caller);
      if (waitSeconds !== undefined)
        throw new Failure('rate_limited', `More than ${HANDSHAKES_PER_MINUTE} sockets in a minute.`, {
          retryAfterSeconds: waitSeconds,
        });
      if (!slots.enter(caller))
        throw new Failure('rate_limited', 'Too many sockets are open.', { retryAfterSeconds });
      let hasSession = false;
      // Before there is a session, nothing else detects that the connection is gone.
      const onGone = (): void => {
        if (!hasSession) slots.leave(caller, undefined);
      };
      socket.once('close', onGone);
      server.handleUpgrade(request, socket, head, (ws) => {
        hasSession = true;
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
        open: slots.open,
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
