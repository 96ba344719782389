import type { Clock, Timer } from '@crosstape/core';
import type { TopicRequest, Following } from './following.ts';
import type { AckFrame, Cursor, FeedStatus, ServerFrame, SocketItem } from './frame-types.ts';

type TopicFrame = Extract<ServerFrame, { readonly type: 'data' | 'lagged' | 'caughtUp' | 'gap' | 'status' }>;

const topicTypes: readonly string[] = ['data', 'lagged', 'caughtUp', 'gap', 'status'];

/** Whether a frame is about a topic. Frames of unknown types are ignored. */
export function isTopicFrame(frame: ServerFrame): frame is TopicFrame {
  return topicTypes.includes(frame.type);
}

/** The gateway reports a topic that is not live right after it accepted a subscription. */
const STATUS_WAIT_MS = 1_000;

/** Channels that send nothing on joining: a later reader needs no new subscription. */
const withoutState = new Set(['trades', 'liquidations', 'flowSignals']);

/** The name of a topic, whatever the reader's position. Two names may turn out to be one topic. */
export function topicOf({ channel, symbol, params }: TopicRequest): string {
  const own = Object.entries(params).filter(([name, value]) => name !== 'since' && value !== undefined);
  return [
    channel,
    symbol.toLowerCase(),
    ...own.map(([name, value]) => `${name}=${String(value)}`).toSorted(),
  ].join(' ');
}

/** One topic on the wire, and its readers. */
export class Subscription {
  readonly readers = new Set<Following>();
  /** Its names: with and without defaults, and in every spelling of its symbol. */
  readonly names: Set<string>;
  /**
   * Id of the last frame that requested it; frames before its answer belong to an earlier attempt, and are sent again.
   */
  id = 0;
  /** A reader is being advanced from the record: the topic is not requested meanwhile. */
  isRefilling = false;
  /** Symbol and parameters, spelled like the service once it has answered. */
  #asked: TopicRequest;
  #isJoined = false;
  /** Whether the history of some reader is still to come. */
  #isCatchingUp = false;
  /** Pending until it is requested again. */
  #waiting: Timer | undefined;
  #seq: number | undefined;
  /** The last reported status; absent while the topic is live. */
  #status: FeedStatus | undefined;
  /** After a reconnection: pending until a topic that was not live counts as recovered. */
  #recovering: Timer | undefined;

  constructor(asked: TopicRequest) {
    this.#asked = asked;
    this.names = new Set([topicOf(asked)]);
  }

  /** Whether the gateway carries it, as far as known. */
  get isJoined(): boolean {
    return this.#isJoined;
  }

  /** The reader that is furthest behind. */
  get oldest(): Following | undefined {
    const standing = [...this.readers].filter(({ cursor }) => cursor !== undefined);
    return standing.reduce<Following | undefined>(
      (oldest, one) => (oldest && isBefore(oldest.cursor, one.cursor) ? oldest : one),
      undefined,
    );
  }

  /** Adds a reader. False if the topic must be requested again, because this reader lacks data. */
  add(reader: Following, nowMs: number): boolean {
    this.readers.add(reader);
    if (this.#status) reader.report(this.#status);
    if (!this.#isJoined || reader.cursor || !withoutState.has(this.#asked.channel)) return false;
    reader.readAlong(this.oldest?.cursor, this.#isCatchingUp);
    reader.joined(nowMs);
    return true;
  }

  /** Replaces the pending retry. */
  wait(timer: Timer | undefined): void {
    this.#waiting?.cancel();
    this.#waiting = timer;
  }

  /** The connection was lost, or the topic is requested again: cancels pending timers. */
  reset(): void {
    this.wait(undefined);
    this.#recovering?.cancel();
    this.#recovering = undefined;
  }

  subscribeFrame(id: number): object {
    this.reset();
    this.id = id;
    this.#isJoined = false;
    const since = this.#asked.channel === 'trades' ? this.oldest?.cursor : undefined;
    this.#isCatchingUp = since !== undefined;
    for (const reader of this.readers) reader.beginAt(since);
    return { op: 'subscribe', id, ...this.#name(), ...(since && { since }) };
  }

  unsubscribeFrame(id: number): object {
    return { op: 'unsubscribe', id, ...this.#name() };
  }

  /** The fields that name the topic: either a market or a symbol. */
  #name(): object {
    const { channel, symbol, params } = this.#asked;
    const { since: _, ...rest } = params;
    return { channel, ...(rest.market === undefined && { symbol }), ...rest };
  }

  /** Adopts the service's spelling. */
  spell(reported: Spelling): string {
    this.#asked = spelled(this.#asked, reported);
    const name = topicOf(this.#asked);
    this.names.add(name);
    return name;
  }

  joined({ cursor }: AckFrame, clock: Clock): void {
    const nowMs = clock.now();
    this.#seq = undefined;
    this.#isJoined = true;
    if (this.#status) {
      this.#recovering ??= clock.after(STATUS_WAIT_MS, () =>
        this.#report({ state: 'live', sinceTs: clock.now(), reason: 'All sources deliver.' }),
      );
    }
    for (const reader of this.readers) {
      if (cursor) reader.readAlong(cursor, false);
      reader.joined(nowMs);
    }
  }

  /** Whether a frame belongs to this topic. Payloads, and `lagged` itself, carry interval and mode. */
  isOf(frame: TopicFrame): boolean {
    const { channel, symbol, params } = this.#asked;
    if (frame.channel !== channel || frame.symbol !== symbol || !this.#isJoined) return false;
    if (('market' in frame ? frame.market : undefined) !== params.market) return false;
    const reported = (frame.type === 'data' ? frame.payload : frame) as ParamsOfFrame;
    if (reported.interval !== undefined) return reported.interval === params.interval;
    if (channel !== 'orderbook') return true;
    const isDelta = frame.type === 'data' ? reported.kind !== undefined : reported.mode === 'delta';
    return isDelta === (params.mode === 'delta');
  }

  /** Handles a frame of its topic. False if a frame before it is missing and the topic must be requested again. */
  take(frame: TopicFrame, nowMs: number): boolean {
    if (frame.type === 'status') {
      const { state, sinceTs, reason, partial } = frame;
      this.#report({ state, sinceTs, reason, ...(partial && { partial }) });
      return true;
    }
    let item: SocketItem;
    if (frame.type === 'lagged') {
      this.#seq = undefined;
      item = { type: 'lagged', skipped: frame.skipped };
    } else if (frame.type === 'caughtUp') {
      item = { type: 'caughtUp', gaps: frame.gaps };
    } else if (frame.type === 'gap') {
      const { type, from, to, state, reason, late } = frame;
      item = { type, from, to, state, reason, ...(late && { late }) };
    } else {
      const { seq, ts, payload } = frame;
      if (this.#seq !== undefined && seq !== this.#seq + 1) return false;
      this.#seq = seq;
      item = { type: 'data', ts, payload };
    }
    for (const reader of this.readers) reader.take(item);
    if (item.type === 'caughtUp') {
      this.#isCatchingUp = false;
      // All readers are level with the tape now, including those that waited for live data.
      for (const reader of [...this.readers].filter(({ isEarly }) => isEarly)) {
        reader.readAlong(this.oldest?.cursor, false);
        reader.joined(nowMs);
      }
    }
    return true;
  }

  #report(status: FeedStatus): void {
    this.#recovering?.cancel();
    this.#recovering = undefined;
    this.#status = status.state === 'live' ? undefined : status;
    for (const reader of this.readers) reader.report(status);
  }
}

/** The service's name of a topic. */
type Spelling = Pick<AckFrame, 'symbol' | 'market' | 'interval' | 'mode'>;

function spelled({ channel, symbol, params }: TopicRequest, reported: Spelling): TopicRequest {
  const { market, interval, mode } = reported;
  // A market of the primary venue is its coin.
  const { market: _, ...rest } = params;
  const own = {
    ...(market !== undefined && { market }),
    ...(interval !== undefined && { interval }),
    ...(mode !== undefined && { mode }),
  };
  return { channel, symbol: reported.symbol ?? symbol, params: { ...rest, ...own } };
}

/** Fields that distinguish the topics of a channel and symbol. */
interface ParamsOfFrame {
  readonly interval?: string;
  readonly mode?: string;
  readonly kind?: string;
}

function isBefore(a: Cursor | undefined, b: Cursor | undefined): boolean {
  if (!a || !b) return a !== undefined;
  return a.ts < b.ts || (a.ts === b.ts && a.count < b.count);
}
