import type { Timer } from '@crosstape/core';
import type { Asked, Following } from './following.ts';
import type { AckFrame, Cursor, ServerFrame, SocketItem } from './frame-types.ts';

type TopicFrame = Extract<ServerFrame, { readonly type: 'data' | 'lagged' | 'caughtUp' | 'gap' }>;

/** Channels that tell nothing on joining: who comes later need not be told anew. */
const withoutState = new Set(['trades', 'liquidations', 'flowSignals']);

/** A topic has one name, however many read it and wherever they stand. */
export function topicOf({ channel, symbol, params }: Asked): string {
  const own = Object.entries(params).filter(([name]) => name !== 'since');
  return [
    channel,
    symbol.toLowerCase(),
    ...own.map(([name, value]) => `${name}=${String(value)}`).toSorted(),
  ].join(' ');
}

/** One topic on the wire, and everybody here who reads it. */
export class Subscription {
  readonly readers = new Set<Following>();
  /** Of the frame that asked for it last; frames that come before its answer are of an earlier try, and come again. */
  id = 0;
  /** A reader is being brought forward: until then it is not asked for. */
  isRefilling = false;
  readonly #asked: Asked;
  /** The symbol as the service spells it; known from the first answer on. */
  #symbol: string | undefined;
  #isJoined = false;
  /** The past of some reader is still to come. */
  #isCatchingUp = false;
  /** Until it is asked for again. */
  #waiting: Timer | undefined;
  #seq: number | undefined;

  constructor(asked: Asked) {
    this.#asked = asked;
  }

  /** Where the reader stands who is furthest back. */
  get oldest(): Following | undefined {
    const standing = [...this.readers].filter(({ cursor }) => cursor !== undefined);
    return standing.reduce<Following | undefined>(
      (oldest, one) => (oldest && isBefore(oldest.cursor, one.cursor) ? oldest : one),
      undefined,
    );
  }

  /** Takes one more reader in. False: the topic must be asked for anew, for what this one has not been told. */
  add(reader: Following, nowMs: number): boolean {
    this.readers.add(reader);
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

  subscribeFrame(id: number): object {
    this.wait(undefined);
    this.id = id;
    this.#isJoined = false;
    const { channel, symbol, params } = this.#asked;
    const { since: _, ...rest } = params;
    const since = channel === 'trades' ? this.oldest?.cursor : undefined;
    this.#isCatchingUp = since !== undefined;
    for (const reader of this.readers) reader.beginAt(since);
    return { op: 'subscribe', id, channel, symbol, ...rest, ...(since && { since }) };
  }

  unsubscribeFrame(id: number): object {
    const { channel, symbol, params } = this.#asked;
    const { since: _, ...rest } = params;
    return { op: 'unsubscribe', id, channel, symbol, ...rest };
  }

  joined({ symbol, cursor }: AckFrame, nowMs: number): void {
    if (symbol !== undefined) this.#symbol = symbol;
    this.#seq = undefined;
    this.#isJoined = true;
    for (const reader of this.readers) {
      if (cursor) reader.readAlong(cursor, false);
      reader.joined(nowMs);
    }
  }

  /** Whether a frame is of this topic. Intervals and modes are told by the payload, and by `lagged` itself. */
  isOf(frame: TopicFrame): boolean {
    const { channel, params } = this.#asked;
    if (frame.channel !== channel || frame.symbol !== this.#symbol || !this.#isJoined) return false;
    const told = (frame.type === 'data' ? frame.payload : frame) as Told;
    if (told.interval !== undefined) return told.interval === (params.interval ?? '1m');
    if (channel !== 'orderbook') return true;
    const isDelta = frame.type === 'data' ? told.kind !== undefined : told.mode === 'delta';
    return isDelta === (params.mode === 'delta');
  }

  /** Takes a frame of its topic. False: a frame is missing before it, and the topic must be asked for anew. */
  take(frame: TopicFrame, nowMs: number): boolean {
    let item: SocketItem;
    if (frame.type === 'lagged') {
      this.#seq = undefined;
      item = { type: 'lagged', skipped: frame.skipped };
    } else if (frame.type === 'caughtUp') {
      item = { type: 'caughtUp', gaps: frame.gaps };
    } else if (frame.type === 'gap') {
      const { type, from, to, state, reason } = frame;
      item = { type, from, to, state, reason };
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
}

/** What tells apart the topics of a channel and a symbol. */
interface Told {
  readonly interval?: string;
  readonly mode?: string;
  readonly kind?: string;
}

function isBefore(a: Cursor | undefined, b: Cursor | undefined): boolean {
  if (!a || !b) return a !== undefined;
  return a.ts < b.ts || (a.ts === b.ts && a.count < b.count);
}
