import type { SourceTerms } from '@crosstape/core';
import { attributionOf } from '../http/attribution.ts';
import type { SocketCaller } from '../http/gate.ts';
import { allowed, clip } from '../http/read-query.ts';
import {
  type FrameId,
  type RawFrame,
  readFrame,
  subscribeFrame,
  symbolField,
  unsubscribeFrame,
} from './client-frames.ts';
import {
  type TopicRequest,
  type ChannelContext,
  type GatewayChannel,
  marketOf,
  type MarketScope,
  paramsOf,
  type TopicName,
} from './gateway-channel.ts';
import { GatewayError } from './gateway-error.ts';
import { type Hub, topicKey } from './hub.ts';
import type { Backfill, PreparedBackfill } from './backfill.ts';
import type { Outbox } from './outbox.ts';
import type { ServerFrame } from './server-frames.ts';
import { Subscription } from './subscription.ts';
import type { Topic } from './topic.ts';

/** Looks up a symbol in any spelling. */
export interface SymbolIndex {
  find(text: string): string | undefined;
}

/** Shared by the subscriptions of all sockets. */
export interface SubscribeContext {
  readonly hub: Hub;
  readonly channels: ChannelOffers;
  /** By channel: those whose frames have a field `since`. */
  readonly backfills: Readonly<Record<string, Backfill>>;
  readonly channelContext: ChannelContext;
  /** Publishers with their terms of use. */
  readonly sources: readonly SourceTerms[];
  /** The symbols of channels that do not list their own; rejects with a `Failure` while they are unknown. */
  readonly knownSymbols: () => Promise<SymbolIndex>;
  /** Resolves the field `market`; rejects with a `Failure` if the market is not recorded. */
  readonly knownMarket: (text: string, scope: MarketScope) => Promise<TopicName>;
}

export interface SubscriptionsOptions {
  /** The client, as far as it is known. */
  readonly caller: () => SocketCaller;
  readonly context: SubscribeContext;
  readonly outbox: Outbox;
  readonly send: (frame: ServerFrame) => void;
  /** Called with an error that occurs after a subscription was accepted. */
  readonly onFailure: (error: unknown, id: FrameId | undefined) => void;
  readonly onStall: () => void;
}

type ChannelOffers = ReturnType<typeof offersOf>;

/** Channels by name, each with its subscribe and unsubscribe frames. */
export function offersOf(channels: readonly GatewayChannel[]) {
  return new Map(
    channels.map((channel) => [
      channel.name,
      { channel, subscribe: subscribeFrame(channel), unsubscribe: unsubscribeFrame(channel) },
    ]),
  );
}

/** The topics that one socket follows. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #byTopic = new Map<string, Subscription>();
  /** The caller at the time of the subscription. */
  readonly #callers = new WeakMap<Subscription, SocketCaller>();
  #isClosed = false;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#byTopic.size;
  }

  followsAny(topics: ReadonlySet<Topic>): boolean {
    return [...this.#byTopic.values()].some(({ topic }) => topics.has(topic));
  }

  async subscribe(frame: RawFrame, id: FrameId | undefined, subscriptionsMax: number): Promise<void> {
    const { context, outbox } = this.#options;
    const { channel, subscribe } = this.#offerOf(frame);
    const { op: _op, id: _id, channel: _channel, since, ...given } = readFrame(subscribe, frame) as Asked;
    const request = { ...given, ...(await this.#named(channel, given)) };
    if (this.#isClosed) return;
    const key = topicKey(channel, request);
    const known = this.#byTopic.get(key);
    if (known) {
      if (since !== undefined) {
        const text = 'Field `since`: this socket follows the topic already.';
        throw new GatewayError('bad_request', text, {
          details: { symbol: request.symbol, ...marketOf(request) },
        });
      }
      this.#ack('subscribe', known, id, this.#attribution(known));
      known.announceState();
      return;
    }
    if (this.#byTopic.size >= subscriptionsMax) {
      throw new GatewayError('rate_limited', `One socket may have ${subscriptionsMax} subscriptions.`);
    }
    const caller = this.#options.caller();
    const topic = context.hub.hold(channel, request, caller);
    const subscription = new Subscription(topic, outbox);
    this.#callers.set(subscription, caller);
    this.#byTopic.set(key, subscription);
    try {
      const backfill = context.backfills[channel.name];
      const { noticed } = topic;
      const past = since === undefined ? undefined : await backfill?.prepare(request, since, caller.address);
      const cursorNow = past ? undefined : await backfill?.cursor?.(request);
      if (subscription.isOver) {
        past?.release();
        return;
      }
      const cursor = cursorNow?.();
      this.#ack('subscribe', subscription, id, {
        ...(cursor && { cursor }),
        ...this.#attribution(subscription),
      });
      subscription.announceStatus();
      if (past) void this.#replay(past, noticed, subscription, id);
      else if (topic.source?.ready) void this.#joinWhen(topic.source.ready, subscription, id);
      else subscription.join();
    } catch (error) {
      this.#end(subscription);
      throw error;
    }
  }

  async unsubscribe(frame: RawFrame, id: FrameId | undefined): Promise<void> {
    const { channel, unsubscribe } = this.#offerOf(frame);
    const { op: _op, id: _id, channel: _channel, ...given } = readFrame(unsubscribe, frame) as Asked;
    const request = { ...given, ...(await this.#named(channel, given)) };
    const alike = [...this.#byTopic.values()].filter(
      ({ topic }) =>
        topic.channel === channel &&
        topic.request.symbol === request.symbol &&
        topic.request.market === request.market,
    );
    // Without parameters: the default topic, or the only subscription of the channel.
    const isNamed = Object.keys(channel.params).some((name) => frame[name] !== undefined);
    const only = !isNamed && alike.length === 1 ? alike[0] : undefined;
    const subscription = this.#byTopic.get(topicKey(channel, request)) ?? only;
    if (!subscription) {
      const what = [
        `${channel.name} of ${request.market ?? request.symbol}`,
        ...paramWords(channel, request),
      ].join(', ');
      const others = alike.map(({ topic }) => paramWords(channel, topic.request).join(' and '));
      const rest = others.length > 0 ? `; there are: ${others.join(', ')}` : '';
      throw new GatewayError('bad_request', `There is no subscription to ${what}${rest}.`);
    }
    this.#end(subscription);
    this.#ack('unsubscribe', subscription, id);
  }

  /** The socket is gone. */
  close(): void {
    this.#isClosed = true;
    for (const subscription of this.#byTopic.values()) this.#end(subscription);
  }

  #end(subscription: Subscription): void {
    if (subscription.isOver) return;
    const { topic } = subscription;
    subscription.end();
    this.#byTopic.delete(topicKey(topic.channel, topic.request));
    const caller = this.#callers.get(subscription);
    if (caller) this.#options.context.hub.release(topic, caller);
  }

  #ack(
    op: 'subscribe' | 'unsubscribe',
    { topic }: Subscription,
    id: FrameId | undefined,
    extras: Pick<Extract<ServerFrame, { type: 'ack' }>, 'cursor' | 'attribution'> = {},
  ): void {
    const { channel, request } = topic;
    this.#options.send({
      type: 'ack',
      ...(id === undefined ? {} : { id }),
      op,
      channel: channel.name,
      symbol: request.symbol,
      ...paramsOf(channel, request),
      ...extras,
    });
  }

  /** The sources of a topic whose terms require attribution. */
  #attribution({ topic }: Subscription): {
    readonly attribution?: NonNullable<ReturnType<typeof attributionOf>>;
  } {
    const { sources, channelContext } = this.#options.context;
    const groups = topic.channel.sources(topic.request, channelContext);
    const attribution = attributionOf(sources, new Set(groups.flat().map(({ publisher }) => publisher)));
    return attribution ? { attribution } : {};
  }

  /** The topic that a frame names, in canonical spelling. */
  async #named(channel: GatewayChannel, { symbol, market }: Partial<TopicName>): Promise<TopicName> {
    if (symbol !== undefined && market !== undefined)
      throw new GatewayError('bad_request', 'Fields `symbol` and `market` exclude each other.');
    if (market !== undefined && channel.markets) {
      const named = await this.#options.context.knownMarket(market, channel.markets);
      return { symbol: named.symbol, market: named.market };
    }
    if (symbol === undefined)
      throw new GatewayError(
        'bad_request',
        `Field \`symbol\` is missing; it must be ${allowed(symbolField)}.`,
      );
    return { symbol: await this.#symbol(channel, symbol) };
  }

  async #symbol(channel: GatewayChannel, text: string): Promise<string> {
    const { context } = this.#options;
    const symbols = channel.symbols?.(context.channelContext);
    const symbol = symbols
      ? symbols.find((one) => one.toLowerCase() === text.toLowerCase())
      : (await context.knownSymbols()).find(text);
    if (symbol !== undefined) return symbol;
    const known = symbols
      ? `it must be one of ${symbols.join(', ')}`
      : 'no such coin is known on the primary venue';
    throw new GatewayError('unknown_symbol', `Field \`symbol\`, \`${clip(text)}\`: ${known}.`);
  }

  async #replay(
    past: PreparedBackfill,
    noticed: number,
    subscription: Subscription,
    id: FrameId | undefined,
  ): Promise<void> {
    const { outbox, onStall } = this.#options;
    try {
      await past.replay({ outbox, subscription, noticed, onStall });
    } catch (error) {
      this.#fail(subscription, error, id);
    } finally {
      past.release();
    }
  }

  async #joinWhen(ready: Promise<void>, subscription: Subscription, id: FrameId | undefined): Promise<void> {
    try {
      await ready;
      subscription.join();
    } catch (error) {
      this.#fail(subscription, error, id);
    }
  }

  #offerOf(frame: RawFrame) {
    const { channel: name } = frame;
    const { channels } = this.#options.context;
    const offer = typeof name === 'string' ? channels.get(name) : undefined;
    if (offer) return offer;
    const names = [...channels.keys()].join(', ');
    if (typeof name === 'string') {
      throw new GatewayError(
        'unknown_channel',
        `There is no channel \`${clip(name)}\`; there are: ${names}.`,
      );
    }
    throw new GatewayError('bad_request', `Field \`channel\` must be one of ${names}.`);
  }

  #fail(subscription: Subscription, error: unknown, id: FrameId | undefined): void {
    if (subscription.isOver) return;
    this.#end(subscription);
    this.#options.onFailure(error, id);
  }
}

type Asked = Partial<TopicName> & { op: string; channel: string; id?: FrameId; since?: unknown };

function paramWords(channel: GatewayChannel, request: TopicRequest): readonly string[] {
  const { market: _, ...own } = paramsOf(channel, request);
  return Object.entries(own).map(([name, value]) => `\`${name}\` ${String(value)}`);
}
