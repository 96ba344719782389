import type { Cursor, ServerFrame, SocketItem, Trade } from './frame-types.ts';
import { Mailbox } from './mailbox.ts';

/** Channels whose sources have no state to begin with, and no past either: what is missed is missed. */
const withoutPast = new Set(['liquidations', 'flowSignals']);

export interface Asked {
  readonly channel: string;
  readonly symbol: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** One subscription, across all the connections that carry it. */
export class Following {
  readonly asked: Asked;
  readonly mailbox = new Mailbox<SocketItem>();
  /** The symbol as the service spells it; known from the first acknowledgement on. */
  symbol: string | undefined;
  /** Of trades: where the reader stands. */
  cursor: Cursor | undefined;
  /** When the connection that carried it was last heard, while there is none. */
  lostMs: number | undefined;
  #seq: number | undefined;

  constructor(asked: Asked) {
    this.asked = asked;
    this.cursor = asked.params.since as Cursor | undefined;
  }

  /** The frame that subscribes from where the reader stands. */
  subscribeFrame(id: number): object {
    const { channel, symbol, params } = this.asked;
    const { since: _, ...rest } = params;
    const since = channel === 'trades' && this.cursor ? { since: this.cursor } : {};
    return { op: 'subscribe', id, channel, symbol, ...rest, ...since };
  }

  unsubscribeFrame(id: number): object {
    const { channel, symbol, params } = this.asked;
    const { since: _, ...rest } = params;
    return { op: 'unsubscribe', id, channel, symbol, ...rest };
  }

  /** Whether a frame is of this topic. Intervals and modes are told by the payload alone. */
  isOf(frame: { readonly channel: string; readonly symbol: string; readonly payload?: object }): boolean {
    const { channel, params } = this.asked;
    if (frame.channel !== channel || frame.symbol !== this.symbol) return false;
    const { interval, kind } = (frame.payload ?? {}) as { interval?: string; kind?: string };
    if (interval !== undefined) return interval === (params.interval ?? '1m');
    if (channel === 'orderbook' && frame.payload) return (params.mode === 'delta') === (kind !== undefined);
    return true;
  }

  acknowledged(symbol: string | undefined, nowMs: number): void {
    if (symbol !== undefined) this.symbol = symbol;
    this.#seq = undefined;
    const { lostMs } = this;
    this.lostMs = undefined;
    this.mailbox.put({ type: 'joined' });
    if (lostMs !== undefined && withoutPast.has(this.asked.channel)) {
      this.mailbox.put({ type: 'gap', from: lostMs, to: nowMs });
    }
  }

  /** Takes a frame of its topic. False: a frame is missing before it, and the subscription must be made anew. */
  take(frame: Extract<ServerFrame, { readonly type: 'data' | 'lagged' | 'caughtUp' }>): boolean {
    if (frame.type === 'lagged') {
      this.#seq = undefined;
      this.mailbox.put({ type: 'lagged', skipped: frame.skipped });
      return true;
    }
    if (frame.type === 'caughtUp') {
      this.mailbox.put({ type: 'caughtUp', gaps: frame.gaps });
      return true;
    }
    const { seq, ts, payload } = frame;
    if (this.#seq !== undefined && seq !== this.#seq + 1) return false;
    this.#seq = seq;
    if (frame.channel === 'trades') this.moveTo((payload as Trade).ts);
    this.mailbox.put({ type: 'data', ts, payload });
    return true;
  }

  /** The reader has had one more trade. */
  moveTo(ts: number): void {
    this.cursor = { ts, count: this.cursor?.ts === ts ? this.cursor.count + 1 : 1 };
  }
}
