import type { Clock, Timer } from '@crosstape/core';
import type { Asked, Following } from './following.ts';
import type { AckFrame, Cursor, FeedStatus, ServerFrame, SocketItem } from './frame-types.ts';

type TopicFrame = Extract<ServerFrame, { readonly type: 'data' | 'lagged' | 'caughtUp' | 'gap' | 'status' }>;

const topicTypes: readonly string[] = ['data', 'lagged', 'caughtUp', 'gap', 'status'];

/** Whether a frame is of a topic. Frames of a type that this client does not know are ignored. */
export function isTopicFrame(frame: ServerFrame): frame is TopicFrame {
  return topicTypes.includes(frame.type);
}

/** A gateway whose topic is not live says so right after it has taken a subscription. */
const STATUS_WAIT_MS = 1_000;

/** Channels that send nothing on joining: a later reader needs no new subscription. */
const withoutState = new Set(['trades', 'liquidations', 'flowSignals']);

/** The name of what is asked for, wherever on it a reader stands. Two of them may turn out to be one topic. */
export function topicOf({ channel, symbol, params }: Asked): string {
  const own = Object.entries(params).filter(([name, value]) => name !== 'since' && value !== undefined);
  return [
    channel,
    symbol.toLowerCase(),
    ...own.map(([name, value]) => `${name}=${String(value)}`).toSorted(),
  ].join(' ');
}

/** One topic on the wire, and everybody here who reads it. */
export class Subscription {
  readonly readers = new Set<Following>();
  /** What it is called here: with a default left out or not, and by every spelling of its symbol. */
  readonly names: Set<string>;
  /** Of the frame that asked for it last; frames that come before its answer are of an earlier try, and come again. */
  id = 0;
  /** A reader is being brought forward: until then it is not asked for. */
  isRefilling = false;
  /** From the first answer on, symbol and parameters are spelled as by the service. */
  #asked: Asked;
  #isJoined = false;
  /** The past of some reader is still to come. */
  #isCatchingUp = false;
  /** Until it is asked for again. */
  #waiting: Timer | undefined;
  #seq: number | undefined;
  /** As last reported; absent while the topic is live. */
  #status: FeedStatus | undefined;
  /** After another connection took it: until a topic that was not live is taken to have recovered. */
  #recovering: Timer | undefined;

  constructor(asked: Asked) {
    this.#asked = asked;
    this.names = new Set([topicOf(asked)]);
  }

  /** Whether the gateway carries it, as far as is known. */
  get isJoined(): boolean {
    return this.#isJoined;
  }

  /** Where the reader stands who is furthest back. */
  get oldest(): Following | undefined {
    const standing = [...this.readers].filter(({ cursor }) => cursor !== undefined);
    return standing.reduce<Following | undefined>(
      (oldest, one) => (oldest && isBefore(oldest.cursor, one.cursor) ? oldest : one),
      undefined,
    );
  }

  /** Adds a reader. False: the topic must be requested again, for what this reader has not received. */
  add(reader: Following, nowMs: number): boolean {
    this.readers.add(reader);
    if (this.#status) reader.report(this.#status);
    if (!this.#isJoined || reader.cursor || !withoutState.has(this.#asked.channel)) return false;
    reader.readAlong(this.oldest?.cursor, this.#isCatchingUp);
    reader.joined(nowMs);
    return true;
  }

  /** Another time to ask again, or none: one that was set before no longer counts. */
  wait(timer: Timer | undefined): void {
    this.#waiting?.cancel();
    this.#waiting = timer;
  }

  /** The connection that carried it is gone, or it is asked for again: nothing that was waited for counts. */
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

  /** The fields that name the topic: a market excludes a symbol. */
  #name(): object {
    const { channel, symbol, params } = this.#asked;
    const { since: _, ...rest } = params;
    return { channel, ...(rest.market === undefined && { symbol }), ...rest };
  }

  /** Takes the name that the service gives it. */
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

  /** Takes a frame of its topic. False: a frame is missing before it, and the topic must be requested again. */
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
      // Everybody is level with the tape now, those included who waited for the present.
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

/** How the service names a topic. */
type Spelling = Pick<AckFrame, 'symbol' | 'market' | 'interval' | 'mode'>;

function spelled({ channel, symbol, params }: Asked, reported: Spelling): Asked {
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

/** What distinguishes the topics of a channel and a symbol. */
interface ParamsOfFrame {
  readonly interval?: string;
  readonly mode?: string;
  readonly kind?: string;
}

function isBefore(a: Cursor | undefined, b: Cursor | undefined): boolean {
  if (!a || !b) return a !== undefined;
  return a.ts < b.ts || (a.ts === b.ts && a.count < b.count);
}
