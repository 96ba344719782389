import type { FeedStates } from '../health/feed-states.ts';
import type { SocketCaller } from '../http/gate.ts';
import type { WriteScheduler } from '../platform/write-scheduler.ts';
import type { ChannelContext, GatewayChannel, TopicRequest } from './gateway-channel.ts';
import { Topic } from './topic.ts';
import type { Bus } from '../platform/bus.ts';

/**
 * Topics whose last `seq` is remembered after the last subscriber left; more than coins, channels and intervals
 * combined.
 */
const SEQS_MAX = 65_536;

interface Holder {
  readonly caller: SocketCaller;
  subscriptions: number;
}

interface OpenTopic {
  readonly topic: Topic;
  /** Subscriptions by caller, including those that have not joined yet. The source was opened for the first. */
  readonly holders: Map<string, Holder>;
  /** The bus topics that its source subscribed to. */
  readonly followed: ReadonlySet<string>;
}

/** The topics with subscribers. A topic without subscribers costs nothing: its source is closed. */
export class Hub {
  readonly #scheduler: WriteScheduler;
  readonly #context: ChannelContext;
  readonly #states: FeedStates;
  readonly #topics = new Map<string, OpenTopic>();
  readonly #seqs = new Map<string, number>();

  constructor(scheduler: WriteScheduler, context: ChannelContext, states: FeedStates) {
    this.#scheduler = scheduler;
    this.#context = context;
    this.#states = states;
  }

  get topics(): number {
    return this.#topics.size;
  }

  /** Returns the topic, opening it if needed; call `release` afterwards. */
  hold(channel: GatewayChannel, request: TopicRequest, caller: SocketCaller): Topic {
    const key = topicKey(channel, request);
    let open = this.#topics.get(key);
    if (!open) {
      const seq = this.#seqs.get(key);
      const topic = new Topic({
        channel,
        request,
        scheduler: this.#scheduler,
        ...(seq === undefined ? {} : { seq }),
      });
      const { bus, followed } = trackSubscriptions(this.#context.bus);
      topic.begin(
        channel.open(request, (update) => topic.publish(update), { ...this.#context, bus, caller }),
      );
      topic.watch((onChange) => this.#states.watch(channel.sources(request, this.#context), onChange));
      open = { topic, holders: new Map(), followed };
      this.#topics.set(key, open);
    }
    const holder = open.holders.get(caller.caller) ?? { caller, subscriptions: 0 };
    holder.subscriptions += 1;
    open.holders.set(caller.caller, holder);
    return open.topic;
  }

  /** Closes the topics whose sources missed messages, so that new subscribers get new ones. */
  renew(isMissed: (topic: string) => boolean): ReadonlySet<Topic> {
    const closed = new Set<Topic>();
    for (const [key, { topic, followed }] of this.#topics) {
      if (![...followed].some(isMissed)) continue;
      this.#topics.delete(key);
      topic.close();
      this.#remember(key, topic.seq);
      closed.add(topic);
    }
    return closed;
  }

  release(topic: Topic, { caller }: SocketCaller): void {
    const key = topicKey(topic.channel, topic.request);
    const open = this.#topics.get(key);
    if (open?.topic !== topic) return;
    const { holders } = open;
    const [first] = holders.values();
    const holder = holders.get(caller);
    if (holder) holder.subscriptions -= 1;
    if (holder && holder.subscriptions > 0) return;
    holders.delete(caller);
    const [next] = holders.values();
    if (next) {
      if (next !== first) topic.source?.passTo?.(next.caller);
      return;
    }
    this.#topics.delete(key);
    topic.close();
    this.#remember(key, topic.seq);
  }

  #remember(key: string, seq: number): void {
    this.#seqs.delete(key);
    const [oldest] = this.#seqs.keys();
    if (this.#seqs.size >= SEQS_MAX && oldest !== undefined) this.#seqs.delete(oldest);
    this.#seqs.set(key, seq);
  }
}

/** A topic is a channel, a symbol or market, and the channel's own parameters. */
export function topicKey({ name, params }: GatewayChannel, request: TopicRequest): string {
  const given = request as Readonly<Record<string, unknown>>;
  return JSON.stringify([
    name,
    request.symbol,
    request.market,
    ...Object.keys(params).map((param) => given[param]),
  ]);
}

/** Wraps a bus and records the topics that are subscribed to or read as a log. */
function trackSubscriptions(bus: Bus): { readonly bus: Bus; readonly followed: ReadonlySet<string> } {
  const followed = new Set<string>();
  return {
    followed,
    bus: {
      publish: (topic, message) => bus.publish(topic, message),
      subscribe(topic, listener) {
        followed.add(topic.name);
        return bus.subscribe(topic, listener);
      },
      latest: (topic) => bus.latest(topic),
      log(topic) {
        followed.add(topic.name);
        return bus.log(topic);
      },
      onMissed: (listener) => bus.onMissed(listener),
      settled: (topic) => bus.settled(topic),
    },
  };
}
