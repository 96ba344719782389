import type { Cursor, FeedStatus, SocketItem, Trade } from './frame-types.ts';
import { Mailbox } from './mailbox.ts';

/** Channels without state or history: missed frames cannot be recovered. */
const withoutPast = new Set(['liquidations', 'flowSignals']);

export interface TopicRequest {
  readonly channel: string;
  /** A coin; with a parameter `market`, a placeholder until the service answers. */
  readonly symbol: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What a reader wants to know besides the items of its topic. */
export interface FollowCallbacks {
  /**
   * Called when the sources behind a channel or stream become stale, go down or recover; until the first call they
   * deliver. Independent of the connection to the service: see `Client.isOnline`.
   */
  readonly onStatus?: (status: FeedStatus) => void;
  /**
   * Called when the gateway refuses a subscription because too many were made in a minute. It is requested again at
   * `untilMs`, by this client's clock.
   */
  readonly onLimited?: (untilMs: number) => void;
}

/** One reader of a topic, across all its connections. */
export class Following {
  readonly asked: TopicRequest;
  readonly mailbox = new Mailbox<SocketItem>();
  /** For trades: the reader's position. */
  cursor: Cursor | undefined;
  /** While disconnected: time of the last message of the previous connection. */
  lostMs: number | undefined;
  /** How often the record was read since a connection last carried it. */
  refills = 0;
  /** The reader has already received the trades before this time, and this many of it. */
  #known: { readonly ts: number; count: number } | undefined;
  /** Upcoming trades are history for other readers: this one wants live data and joins when they begin. */
  isEarly = false;
  readonly #callbacks: FollowCallbacks;
  #status: FeedStatus | undefined;

  constructor(asked: TopicRequest, callbacks: FollowCallbacks = {}) {
    this.asked = asked;
    this.#callbacks = callbacks;
    this.cursor = asked.params.since as Cursor | undefined;
  }

  /** Trades repeat from here on, possibly from before the reader's position. */
  beginAt(since: Cursor | undefined): void {
    const { cursor } = this;
    this.isEarly = cursor === undefined && since !== undefined;
    this.#known = cursor &&
      since && { ts: cursor.ts, count: cursor.count - (cursor.ts === since.ts ? since.count : 0) };
  }

  /** Joins an existing subscription; while others still catch up, their history is not delivered to this reader. */
  readAlong(at: Cursor | undefined, isCatchingUp: boolean): void {
    this.isEarly = isCatchingUp;
    if (!isCatchingUp) this.cursor ??= at;
  }

  /** Everything from now on is delivered. */
  joined(nowMs: number): void {
    if (this.isEarly) return;
    const { lostMs } = this;
    this.lostMs = undefined;
    this.refills = 0;
    this.mailbox.put({ type: 'joined' });
    if (lostMs !== undefined && withoutPast.has(this.asked.channel)) {
      this.mailbox.put({ type: 'gap', from: lostMs, to: nowMs });
    }
  }

  /** Reports the status of the topic's sources if it changed; until the first report they deliver. */
  report(status: FeedStatus): void {
    const { state, partial } = this.#status ?? { state: 'live' };
    const isKnown = status.state === state && status.partial === partial;
    this.#status = status;
    if (!isKnown) this.#callbacks.onStatus?.(status);
  }

  /** Reports that the topic is requested again at a time. */
  limited(untilMs: number): void {
    this.#callbacks.onLimited?.(untilMs);
  }

  take(item: SocketItem): void {
    if (this.isEarly) return;
    if (item.type === 'data' && this.asked.channel === 'trades') {
      const { ts } = item.payload as Trade;
      if (this.#hasHad(ts)) return;
      this.moveTo(ts);
    }
    this.mailbox.put(item);
  }

  #hasHad(ts: number): boolean {
    if (!this.#known || ts > this.#known.ts) return false;
    if (ts < this.#known.ts) return true;
    this.#known.count -= 1;
    return this.#known.count >= 0;
  }

  /** The reader has received one more trade. */
  moveTo(ts: number): void {
    this.cursor = { ts, count: this.cursor?.ts === ts ? this.cursor.count + 1 : 1 };
  }
}
