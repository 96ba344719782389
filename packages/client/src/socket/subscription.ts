import type { Asked, Following } from './following.ts';
import type { Cursor, ServerFrame, SocketItem } from './frame-types.ts';

type TopicFrame = Extract<ServerFrame, { readonly type: 'data' | 'lagged' | 'caughtUp' }>;

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
  readonly #asked: Asked;
  /** The symbol as the service spells it; known from the first answer on. */
  #symbol: string | undefined;
  #isJoined = false;
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
    reader.joined(nowMs);
    return true;
  }

  subscribeFrame(id: number): object {
    this.id = id;
    this.#isJoined = false;
    const { channel, symbol, params } = this.#asked;
    const { since: _, ...rest } = params;
    const since = channel === 'trades' ? this.oldest?.cursor : undefined;
    for (const reader of this.readers) reader.beginAt(since);
    return { op: 'subscribe', id, channel, symbol, ...rest, ...(since && { since }) };
  }

  unsubscribeFrame(id: number): object {
    const { channel, symbol, params } = this.#asked;
    const { since: _, ...rest } = params;
    return { op: 'unsubscribe', id, channel, symbol, ...rest };
  }

  joined(symbol: string | undefined, nowMs: number): void {
    if (symbol !== undefined) this.#symbol = symbol;
    this.#seq = undefined;
    this.#isJoined = true;
    for (const reader of this.readers) reader.joined(nowMs);
  }

  /** Whether a frame is of this topic. Intervals and modes are told by the payload alone. */
  isOf(frame: { readonly channel: string; readonly symbol: string; readonly payload?: object }): boolean {
    const { channel, params } = this.#asked;
    if (frame.channel !== channel || frame.symbol !== this.#symbol || !this.#isJoined) return false;
    const { interval, kind } = (frame.payload ?? {}) as { interval?: string; kind?: string };
    if (interval !== undefined) return interval === (params.interval ?? '1m');
    if (channel === 'orderbook' && frame.payload) return (params.mode === 'delta') === (kind !== undefined);
    return true;
  }

  /** Takes a frame of its topic. False: a frame is missing before it, and the topic must be asked for anew. */
  take(frame: TopicFrame): boolean {
    let item: SocketItem;
    if (frame.type === 'lagged') {
      this.#seq = undefined;
      item = { type: 'lagged', skipped: frame.skipped };
    } else if (frame.type === 'caughtUp') {
      item = { type: 'caughtUp', gaps: frame.gaps };
    } else {
      const { seq, ts, payload } = frame;
      if (this.#seq !== undefined && seq !== this.#seq + 1) return false;
      this.#seq = seq;
      item = { type: 'data', ts, payload };
    }
    for (const reader of this.readers) reader.take(item);
    return true;
  }
}

function isBefore(a: Cursor | undefined, b: Cursor | undefined): boolean {
  if (!a || !b) return a !== undefined;
  return a.ts < b.ts || (a.ts === b.ts && a.count < b.count);
}
