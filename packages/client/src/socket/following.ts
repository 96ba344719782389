import type { Cursor, FeedStatus, SocketItem, Trade } from './frame-types.ts';
import { Mailbox } from './mailbox.ts';

/** Channels whose sources have no state to begin with, and no past either: what is missed is missed. */
const withoutPast = new Set(['liquidations', 'flowSignals']);

export interface Asked {
  readonly channel: string;
  /** A coin; with a parameter `market`, only a name for it until the service answers. */
  readonly symbol: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** One reader of a topic, across all the connections that carry it. */
export class Following {
  readonly asked: Asked;
  readonly mailbox = new Mailbox<SocketItem>();
  /** Of trades: where the reader stands. */
  cursor: Cursor | undefined;
  /** Time of the last message of the connection that carried it, while there is none. */
  lostMs: number | undefined;
  /** How often the record was asked since a connection last carried it. */
  refills = 0;
  /** The reader has already received the trades before this time, and this many of it. */
  #known: { readonly ts: number; count: number } | undefined;
  /** The trades to come are others' past: the reader wants the present, and has not joined until it comes. */
  isEarly = false;
  readonly #onStatus: ((status: FeedStatus) => void) | undefined;
  #status: FeedStatus | undefined;

  constructor(asked: Asked, onStatus?: (status: FeedStatus) => void) {
    this.asked = asked;
    this.#onStatus = onStatus;
    this.cursor = asked.params.since as Cursor | undefined;
  }

  /** Trades repeat from here on, which may be further back than the reader's position. */
  beginAt(since: Cursor | undefined): void {
    const { cursor } = this;
    this.isEarly = cursor === undefined && since !== undefined;
    this.#known = cursor &&
      since && { ts: cursor.ts, count: cursor.count - (cursor.ts === since.ts ? since.count : 0) };
  }

  /** Reads along from here on; with others who still catch up, what they get until then is none of its own. */
  readAlong(at: Cursor | undefined, isCatchingUp: boolean): void {
    this.isEarly = isCatchingUp;
    if (!isCatchingUp) this.cursor ??= at;
  }

  /** Everything from here on is delivered. */
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

  /** Reports the status of the topic's sources, unless the reader has it already; without any, they deliver. */
  report(status: FeedStatus): void {
    const { state, partial } = this.#status ?? { state: 'live' };
    const isKnown = status.state === state && status.partial === partial;
    this.#status = status;
    if (!isKnown) this.#onStatus?.(status);
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

  /** The reader has had one more trade. */
  moveTo(ts: number): void {
    this.cursor = { ts, count: this.cursor?.ts === ts ? this.cursor.count + 1 : 1 };
  }
}
