import { type Timer, sleep } from '@crosstape/core';
import { backoffMs } from '../backoff.ts';
import type { Connection } from '../connection.ts';
import { GatewayError, Unreachable } from '../errors.ts';
import { Building } from './building.ts';
import { type FollowCallbacks, Following, type TopicRequest } from './following.ts';
import type { AckFrame, BuildErrorFrame, BuildItem, ErrorFrame, ServerFrame } from './frame-types.ts';
import { plainNumbers } from './plain-numbers.ts';
import { refill } from './refill.ts';
import type { SocketClass, SocketLike } from './socket-like.ts';
import { isTopicFrame, Subscription, topicOf } from './subscription.ts';

/** Heartbeats come every 15 s: a connection without a message for this long is dead. */
const SILENT_MAX_MS = 45_000;
const UNAUTHORIZED = 4_401;
const CROWDED = 4_429;
/**
 * A lost socket keeps its slot until the gateway notices: a client that had one waits this long for it, and this often.
 */
const SLOT_WAIT_MS = 20_000;
const SLOT_WAITS_MAX = 4;
/** How often in a row reading from the record may fail to reach the gateway's history. */
const REFILLS_MAX = 5;

export interface LineOptions {
  readonly WebSocket?: SocketClass | undefined;
  /** Decodes msgpack; if present, frames are requested in that format. */
  readonly msgpack?: ((bytes: Uint8Array) => unknown) | undefined;
}

/**
 * One socket for all subscriptions and builds of a client: open while there are any, and reopened whenever it breaks.
 * Readers of the same topic share one subscription, whatever their position and spelling: subscriptions that the
 * gateway's answers show to be one topic are merged.
 */
export class GatewayConnection {
  readonly #connection: Connection;
  readonly #options: LineOptions;
  readonly #subscriptions = new Set<Subscription>();
  readonly #builds = new Set<Building>();
  #socket: SocketLike | undefined;
  #silence: Timer | undefined;
  #receivedMs = 0;
  #lastId = 0;
  #failures = 0;
  /** Whether the gateway has ever accepted a subscription. */
  #hasJoined = false;
  #slotWaits = 0;
  /** The last error about the socket as a whole. */
  #complaint: string | undefined;

  constructor(connection: Connection, options: LineOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === 1;
  }

  follow(asked: TopicRequest, callbacks?: FollowCallbacks): Following {
    const following = new Following(asked, callbacks);
    if (!this.#socket) this.#open();
    const known = this.#named(topicOf(asked));
    const subscription = known ?? new Subscription(asked);
    this.#subscriptions.add(subscription);
    if (subscription.add(following, this.#connection.clock.now())) return following;
    if (known && !known.isRefilling) this.#resubscribe(known);
    else this.#subscribeAgain(subscription);
    return following;
  }

  leave(following: Following): void {
    const subscription = [...this.#subscriptions].find(({ readers }) => readers.has(following));
    if (subscription?.readers.delete(following) && subscription.readers.size === 0) {
      this.#subscriptions.delete(subscription);
      subscription.reset();
      if (this.#socket?.readyState === 1) this.#send(subscription.unsubscribeFrame((this.#lastId += 1)));
    }
    following.mailbox.end();
    if (this.#isIdle) this.#close();
  }

  build(spec: object): Building {
    const building = new Building(spec);
    if (!this.#socket) this.#open();
    this.#builds.add(building);
    this.#askBuild(building);
    return building;
  }

  /** The build has no reader any more; the service continues it. */
  leaveBuild(building: Building): void {
    this.#builds.delete(building);
    building.mailbox.end();
    if (this.#isIdle) this.#close();
  }

  get #isIdle(): boolean {
    return this.#subscriptions.size === 0 && this.#builds.size === 0;
  }

  /** Sent again after a reconnection: the service does not build the same thing twice. */
  #askBuild(building: Building): void {
    if (!this.isOpen) return;
    building.id = this.#lastId += 1;
    this.#send({ op: 'build', id: building.id, ...building.spec });
  }

  #endBuild(building: Building, error: unknown): void {
    building.mailbox.end(error);
    this.leaveBuild(building);
  }

  #named(name: string, except?: Subscription): Subscription | undefined {
    return [...this.#subscriptions].find((one) => one !== except && one.names.has(name));
  }

  #subscribe(subscription: Subscription): void {
    this.#send(subscription.subscribeFrame((this.#lastId += 1)));
  }

  #open(): void {
    const { root, apiKey, clock } = this.#connection;
    const Socket: SocketClass | undefined = this.#options.WebSocket ?? globalThis.WebSocket;
    if (!Socket)
      throw new Error('This runtime has no WebSocket: give the client one, such as that of the package ws.');
    const socket = new Socket(`${root.replace(/^http/, 'ws')}/ws/v1`);
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', () => {
      const format = this.#options.msgpack ? { format: 'msgpack' } : {};
      this.#send({ op: 'auth', ...(apiKey !== undefined && { apiKey }), ...format });
      for (const subscription of this.#subscriptions) this.#subscribeAgain(subscription);
      for (const building of this.#builds) this.#askBuild(building);
    });
    socket.addEventListener('message', ({ data }) => {
      if (this.#socket !== socket) return;
      this.#received(socket);
      this.#receive(this.#read(data));
    });
    // The close frame follows, with more detail.
    socket.addEventListener('error', () => {});
    socket.addEventListener('close', ({ code }) => {
      if (this.#socket === socket) this.#lost(code);
    });
    this.#receivedMs = clock.now();
    this.#received(socket);
  }

  #received(socket: SocketLike): void {
    const { clock } = this.#connection;
    this.#receivedMs = clock.now();
    this.#silence?.cancel();
    this.#silence = clock.after(SILENT_MAX_MS, () => {
      if (this.#socket === socket) this.#lost();
    });
  }

  #read(data: unknown): ServerFrame {
    if (typeof data === 'string') return JSON.parse(data) as ServerFrame;
    return plainNumbers(this.#options.msgpack?.(new Uint8Array(data as ArrayBuffer))) as ServerFrame;
  }

  #send(frame: object): void {
    this.#socket?.send(JSON.stringify(frame));
  }

  #receive(frame: ServerFrame): void {
    if (frame.type === 'ack') {
      // An error frame may precede the close of the socket; only this frame shows success.
      this.#failures = 0;
      if (frame.op === 'subscribe') this.#taken(frame);
      if (frame.op === 'unsubscribe') this.#left(frame);
    } else if (frame.type === 'error') {
      if (frame.id === undefined) this.#complaint = frame.message;
      // The key could not be looked up, so other limits apply: try again.
      if (frame.code === 'validator_unavailable') return this.#lost();
      const subscription = this.#asked(frame.id);
      if (subscription) this.#refused(subscription, frame);
      const building = this.#built(frame.id);
      if (building) this.#endBuild(building, new GatewayError(frame.code, frame.message));
    } else if (isOfBuild(frame)) {
      const building = this.#built(frame.id);
      if (building) this.#takeBuild(building, frame);
    } else if (isTopicFrame(frame)) {
      for (const subscription of this.#subscriptions) {
        if (!subscription.isOf(frame) || subscription.take(frame, this.#connection.clock.now())) continue;
        // Cannot happen unless the gateway breaks its contract; requesting again loses nothing.
        this.#resubscribe(subscription);
      }
    }
  }

  #built(id: unknown): Building | undefined {
    return [...this.#builds].find((building) => building.id === id);
  }

  #takeBuild(building: Building, frame: BuildItem | BuildErrorFrame): void {
    // Only an answer shows that the connection works.
    this.#failures = 0;
    if (frame.type === 'build:error')
      return this.#endBuild(building, new GatewayError(frame.code, frame.message));
    building.mailbox.put(frame);
    if (frame.type === 'build:done') this.leaveBuild(building);
  }

  /** The subscription that a frame requested; none if it was requested again since. */
  #asked(id: unknown): Subscription | undefined {
    return [...this.#subscriptions].find((subscription) => subscription.id === id);
  }

  #taken(frame: AckFrame): void {
    this.#hasJoined = true;
    this.#slotWaits = 0;
    const subscription = this.#asked(frame.id);
    if (!subscription) return;
    const same = this.#named(subscription.spell(frame), subscription);
    if (same) this.#join(subscription, same);
    else subscription.joined(frame, this.#connection.clock);
  }

  /** A topic was left that another reader, with a different spelling, was assigned meanwhile: it has ended for both. */
  #left({ id, channel, symbol, market, interval, mode }: AckFrame): void {
    if (channel === undefined || symbol === undefined) return;
    const subscription = this.#named(topicOf({ channel, symbol, params: { market, interval, mode } }));
    if (subscription?.isJoined && subscription.id < Number(id)) this.#subscribeAgain(subscription);
  }

  /** Merges readers of the topic under another name into this subscription. */
  #join(other: Subscription, subscription: Subscription): void {
    this.#subscriptions.delete(other);
    for (const name of other.names) subscription.names.add(name);
    const nowMs = this.#connection.clock.now();
    const unserved = [...other.readers].filter((reader) => !subscription.add(reader, nowMs));
    if (unserved.length > 0) this.#resubscribe(subscription);
  }

  #refused(subscription: Subscription, frame: ErrorFrame): void {
    const { code, message, retryAfterMs, symbol } = frame;
    const { oldest } = subscription;
    if (symbol !== undefined) {
      // The socket already has this topic.
      const same = this.#named(subscription.spell(frame), subscription);
      if (same) this.#join(subscription, same);
      else this.#resubscribe(subscription);
    } else if (retryAfterMs !== undefined) {
      const { clock } = this.#connection;
      subscription.wait(clock.after(retryAfterMs, () => this.#subscribeAgain(subscription)));
      for (const one of subscription.readers) one.limited(clock.now() + retryAfterMs);
    } else if (code === 'bad_request' && oldest) void this.#bringForward(subscription, oldest, message);
    else for (const one of subscription.readers) this.#fail(one, new GatewayError(code, message));
  }

  #subscribeAgain(subscription: Subscription): void {
    const { readers, isRefilling } = subscription;
    if (readers.size > 0 && !isRefilling && this.#socket?.readyState === 1) this.#subscribe(subscription);
  }

  /** Subscribes again to a topic that the gateway already carries, because a reader has missed part of it. */
  #resubscribe(subscription: Subscription): void {
    if (this.#socket?.readyState !== 1) return;
    this.#send(subscription.unsubscribeFrame((this.#lastId += 1)));
    this.#subscribeAgain(subscription);
  }

  /** Advances a cursor that the gateway refuses by reading recorded history. */
  async #bringForward(subscription: Subscription, oldest: Following, message: string): Promise<void> {
    subscription.isRefilling = true;
    try {
      oldest.refills += 1;
      const isForward = oldest.refills <= REFILLS_MAX && (await refill(this.#connection, oldest));
      if (!isForward) this.#fail(oldest, new GatewayError('bad_request', message));
    } catch (error) {
      this.#fail(oldest, error);
    }
    subscription.isRefilling = false;
    this.#subscribeAgain(subscription);
  }

  #fail(following: Following, error: unknown): void {
    following.mailbox.end(error);
    this.leave(following);
  }

  #lost(code?: number): void {
    this.#close();
    for (const subscription of this.#subscriptions) subscription.reset();
    for (const following of this.#followings()) following.lostMs ??= this.#receivedMs;
    const reason = this.#complaint;
    this.#complaint = undefined;
    if (code === UNAUTHORIZED)
      this.#failAll(new GatewayError('unauthorized', reason ?? 'The key is not valid.'));
    if (code === CROWDED) {
      this.#slotWaits += 1;
      if (!this.#hasJoined || this.#slotWaits > SLOT_WAITS_MAX)
        this.#failAll(new GatewayError('rate_limited', reason ?? 'Too many sockets are open.'));
    }
    if (!this.#isIdle) void this.#openLater(code === CROWDED ? SLOT_WAIT_MS : 0);
  }

  async #openLater(atLeastMs: number): Promise<void> {
    const { clock, random } = this.#connection;
    this.#failures += 1;
    await sleep(clock, Math.max(atLeastMs, backoffMs(this.#failures, random)));
    if (this.#socket || this.#isIdle) return;
    try {
      this.#open();
    } catch (error) {
      this.#failAll(new Unreachable('The gateway cannot be reached.', { cause: error }));
    }
  }

  #failAll(error: Error): void {
    for (const following of this.#followings()) this.#fail(following, error);
    for (const building of this.#builds) this.#endBuild(building, error);
  }

  #followings(): readonly Following[] {
    return [...this.#subscriptions].flatMap(({ readers }) => [...readers]);
  }

  #close(): void {
    this.#silence?.cancel();
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }
}

function isOfBuild(frame: ServerFrame): frame is BuildItem | BuildErrorFrame {
  return frame.type.startsWith('build:');
}
