import type { Clock, Timer, Trade, VenueTrade } from '@crosstape/core';
import type { RefusedFrame, SocketChange } from './feed-sink.ts';
import { CoinTape } from './coin-tape.ts';

/** After an outage a coin's trades wait so long for its back-fill, so that what it brings stands before them. */
const REFILL_WAIT_MS = 5_000;
/** A coin that trades more than this while it waits goes on without its back-fill. */
const HELD_MAX = 20_000;

/** When the last message came, trades of other coins that are as old as this may still have been under way. */
const FLIGHT_MS = 1_000;

/** How often a hole is told that grows while readable and unreadable frames take turns. */
const GROWTH_EVERY_MS = 1_000;

/** A hole of one coin: what became of the time in which no socket was up, or none could be read. Half open, in ms. */
export interface Hole {
  readonly coin: string;
  readonly from: number;
  readonly to: number;
  readonly state: 'refilled' | 'partial' | 'missing';
  readonly reason: string;
}

interface Outage {
  /** When the feed was last surely heard before it, not when it was detected. */
  readonly fromMs: number;
  readonly reason: string;
}

/** The time from the first socket that is up again until every coin knows what it missed. */
interface Recovery extends Outage {
  readonly waiting: Timer;
  readonly held: Map<string, VenueTrade[]>;
  readonly settled: Set<string>;
}

export interface TapeOptions {
  readonly venue: string;
  readonly clock: Clock;
  /** Called once for each trade, in the order of its coin's tape. */
  readonly release: (trade: Trade) => void;
  readonly onHole: (hole: Hole) => void;
  /** When the process before this one last heard from the feed; absent when nothing was ever recorded. */
  readonly lastHeardMs?: number;
}

/**
 * Merges what several sockets say of the same trades into one append-only tape per coin. A trade is released at once,
 * except after an outage of all sockets: then each coin waits until its back-fill has filled the hole as far as the
 * venue allows, but not for long.
 */
export class Tape {
  readonly #options: TapeOptions;
  readonly #coins = new Map<string, CoinTape>();
  readonly #up = new Set<number>();
  /** Those of them that brought something unreadable after their last trades. */
  readonly #refusing = new Set<number>();
  /** Since the feed was last heard there was a time when every socket was refusing: nobody vouches for it. */
  #isUnsure = false;
  /** The newest stretch that could not be read. */
  #unread: { readonly fromMs: number; readonly toMs: number } | undefined;
  /** It has grown since it was told. */
  #hasGrown = false;
  /** Until it may be told again. */
  #growing: Timer | undefined;
  #outage: Outage | undefined;
  #recovery: Recovery | undefined;
  #heardFromMs = 0;
  #heardMs: number | undefined;
  #repeats = 0;

  constructor(options: TapeOptions) {
    this.#options = options;
    if (options.lastHeardMs !== undefined)
      this.#outage = { fromMs: options.lastHeardMs, reason: 'the service was not running' };
  }

  /** Trades seen more than once: on a healthy pair of sockets, about half of all. */
  get repeats(): number {
    return this.#repeats;
  }

  /** The newest stretch without an outage: since when, and until when, the feed was heard; absent before the first. */
  get heard(): { readonly fromMs: number; readonly toMs: number } | undefined {
    if (this.#heardMs === undefined) return undefined;
    const fromMs = this.#heardFromMs;
    return { fromMs, toMs: Math.max(fromMs, this.#heardMs - FLIGHT_MS) };
  }

  /** Remembers trades that were released before the process began, so that none is released twice. */
  restore(trades: readonly Trade[]): void {
    for (const trade of trades) this.#tape(trade.coin).restore(trade);
  }

  socket({ kind, socket, atMs }: Pick<SocketChange, 'kind' | 'socket' | 'atMs'>): void {
    if (kind === 'up') {
      const isFirst = this.#up.size === 0;
      this.#up.add(socket);
      if (!isFirst) return;
      this.#heardFromMs = Math.max(atMs, this.#outage?.fromMs ?? atMs);
      this.#heardMs = this.#heardFromMs;
      // What was recorded in another way may reach beyond the moment at which the feed came up.
      if (this.#outage && this.#outage.fromMs < atMs) this.#beginRecovery(this.#outage);
      this.#outage = undefined;
      return;
    }
    this.#refusing.delete(socket);
    if (!this.#up.delete(socket)) return;
    this.#noteUnsure();
    if (this.#up.size === 0) {
      // The outage begins where the feed was last heard, so it spans what could not be read.
      this.#isUnsure = false;
      this.#tellUnread();
      this.#endRecovery();
      this.#outage = { fromMs: this.heard?.toMs ?? atMs, reason: 'no socket to the venue was up' };
    }
  }

  /** A socket brought what could not be read. That leaves a hole unless another socket is known to be read well. */
  refused({ socket }: Pick<RefusedFrame, 'socket'>): void {
    if (!this.#up.has(socket)) return;
    this.#refusing.add(socket);
    this.#noteUnsure();
  }

  add(trades: readonly VenueTrade[], isBackfill: boolean, receivedAtMs: number, socket: number): void {
    this.#refusing.delete(socket);
    if (this.#isUnsure) this.#endUnread(receivedAtMs);
    this.#heardMs = receivedAtMs;
    const coin = trades[0]?.coin;
    const recovery = this.#recovery;
    if (coin === undefined || !recovery || recovery.settled.has(coin))
      return this.#release(trades, isBackfill);
    if (isBackfill) return this.#settle(recovery, coin, trades);
    const held = recovery.held.get(coin) ?? [];
    recovery.held.set(coin, held);
    held.push(...trades);
    if (held.length > HELD_MAX) this.#settle(recovery, coin, []);
  }

  /** Releases whatever is held; for a shutdown. */
  flush(): void {
    this.#tellUnread();
    this.#growing?.cancel();
    this.#growing = undefined;
    this.#endRecovery();
  }

  #noteUnsure(): void {
    if (this.#up.size > 0 && this.#refusing.size === this.#up.size) this.#isUnsure = true;
  }

  #endUnread(receivedAtMs: number): void {
    this.#isUnsure = false;
    const heardToMs = this.heard?.toMs ?? receivedAtMs;
    // Stretches that touch are one hole, which is entered again: a wire that stays odd does not fill the ledger.
    const isSame = this.#unread?.toMs === heardToMs;
    if (!isSame) this.#tellUnread();
    const fromMs = isSame && this.#unread ? this.#unread.fromMs : heardToMs;
    const toMs = Math.max(receivedAtMs, heardToMs + 1);
    this.#unread = { fromMs, toMs };
    this.#hasGrown = true;
    this.#heardFromMs = toMs;
    if (!this.#growing) this.#tellUnread();
  }

  /** Enters what could not be read as a hole of every coin: which of them it spoke of is not known. */
  #tellUnread(): void {
    if (!this.#unread || !this.#hasGrown) return;
    this.#hasGrown = false;
    this.#growing?.cancel();
    this.#growing = this.#options.clock.after(GROWTH_EVERY_MS, () => {
      this.#growing = undefined;
      this.#tellUnread();
    });
    const { fromMs: from, toMs: to } = this.#unread;
    const reason = 'frames of the venue could not be read';
    for (const coin of new Set([...this.#coins.keys(), ...(this.#recovery?.held.keys() ?? [])]))
      this.#options.onHole({ coin, from, to, state: 'partial', reason });
  }

  #release(trades: readonly VenueTrade[], isBackfill: boolean): void {
    // A back-fill may come newest first; within one time, the venue's order stands.
    const inOrder = isBackfill ? trades.toSorted((a, b) => a.venueTs - b.venueTs) : trades;
    const nowMs = this.#options.clock.now();
    for (const trade of inOrder) {
      const released = this.#tape(trade.coin).append(trade, nowMs);
      if (released) this.#options.release(released);
      else this.#repeats += 1;
    }
  }

  #beginRecovery(outage: Outage): void {
    const waiting = this.#options.clock.after(REFILL_WAIT_MS, () => this.#endRecovery());
    this.#recovery = { ...outage, waiting, held: new Map(), settled: new Set() };
  }

  /** Coins that got no back-fill in time miss the whole outage, as far as anybody can tell. */
  #endRecovery(): void {
    const recovery = this.#recovery;
    if (!recovery) return;
    recovery.waiting.cancel();
    for (const coin of new Set([...this.#coins.keys(), ...recovery.held.keys()])) {
      if (!recovery.settled.has(coin)) this.#settle(recovery, coin, []);
    }
    this.#recovery = undefined;
  }

  #settle(recovery: Recovery, coin: string, backfill: readonly VenueTrade[]): void {
    recovery.settled.add(coin);
    for (const hole of this.#holes(recovery, coin, backfill)) this.#options.onHole(hole);
    this.#release([...backfill, ...(recovery.held.get(coin) ?? [])], true);
    recovery.held.delete(coin);
  }

  /**
   * A back-fill that holds a trade from before the outage leaves nothing out. One that begins later leaves out what came
   * before its oldest trade.
   */
  #holes({ fromMs, reason }: Recovery, coin: string, backfill: readonly VenueTrade[]): readonly Hole[] {
    const toMs = Math.max(this.#options.clock.now(), fromMs + 1);
    const hole = (from: number, to: number, state: Hole['state']): Hole => ({
      coin,
      from,
      to,
      state,
      reason,
    });
    const tape = this.#tape(coin);
    // The oldest millisecond of a back-fill may itself be cut off in the middle.
    const wholeFromMs = Math.min(...backfill.map(({ venueTs }) => venueTs)) + 1;
    const reachesBack =
      wholeFromMs <= Math.max(tape.lastTs, fromMs) || backfill.some((trade) => tape.knows(trade));
    if (reachesBack) return [hole(fromMs, toMs, 'refilled')];
    if (wholeFromMs >= toMs) return [hole(fromMs, toMs, 'missing')];
    return [hole(fromMs, wholeFromMs, 'missing'), hole(wholeFromMs, toMs, 'refilled')];
  }

  #tape(coin: string): CoinTape {
    let tape = this.#coins.get(coin);
    if (!tape) {
      tape = new CoinTape(this.#options.venue);
      this.#coins.set(coin, tape);
    }
    return tape;
  }
}
