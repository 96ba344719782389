import type { Timer, Trade, VenueTrade } from '@crosstape/core';
import type { RefusedFrame, SocketChange } from '../../ingest/feed-sink.ts';
import { AHEAD_MAX_MS, CoinTape } from './coin-tape.ts';
import { FLIGHT_MS } from './flight-time.ts';
import type { Span } from './gap-ledger.ts';
import {
  caughtUpGaps,
  gapsOf,
  type Missed,
  newestOf,
  type Outage,
  type ReceivedTrade,
  type TapeGap,
  unsubscribedGaps,
} from './tape-gap.ts';
import type { TapeOptions } from './tape-options.ts';
import { TapeSilence } from './tape-silence.ts';
import { leaveToProve, UnprovenGaps, type UpSocket } from './unproven-gaps.ts';
import { UnreadableSpans } from './unreadable-spans.ts';

/**
 * After an outage a coin's trades wait this long for its back-fill, so that those trades come first; a lasting gap is
 * reported this often.
 */
const REFILL_WAIT_MS = 5_000;
/** A few hundred coins are subscribed to by then: a coin without a message has no trades. */
const SUBSCRIBED_MS = 60_000;
/** A coin that trades more than this while it waits continues without its back-fill. */
const HELD_MAX = 20_000;

const SKIPPED = 'the clock was set forward, or the machine was suspended';
const UNREADABLE = 'frames of the venue could not be read';
const BEHIND = 'the clock was behind the venue’s when the feed came up';
const SILENT = 'no trade arrived for much longer than usual';

/**
 * Merges the trades of several sockets into one append-only tape per coin. A trade is released at once, except after an
 * outage of all sockets: then each coin waits until its back-fill has filled the gap as far as the venue allows, but
 * not for long.
 */
export class Tape {
  readonly #options: TapeOptions;
  readonly #coins = new Map<string, CoinTape>();
  readonly #up = new Map<number, UpSocket>();
  readonly #unreadable: UnreadableSpans;
  readonly #silence: TapeSilence;
  #outage: Outage | undefined;
  /** The previous outage, until the coins have had time for their back-fill: new coins miss it as well. */
  #recovery: Outage | undefined;
  /** Coins that no socket has delivered since the last one that did went down. */
  readonly #missed = new Map<string, Missed>();
  /** Until their gaps are reported again … */
  #waiting: Timer | undefined;
  /** … and up to when they are reported. */
  #reportedMs = 0;
  #receivingSinceMs = 0;
  #lastReceivedMs: number | undefined;
  /** Newest venue time of a live trade since the last outage. */
  #newestTs: number | undefined;
  /** How far our clock was behind the venue's at the first of them: trades have later times than gaps that end by our clock. */
  #behindMs = 0;
  #repeats = 0;

  constructor(options: TapeOptions) {
    this.#options = options;
    this.#unreadable = new UnreadableSpans({
      clock: options.clock,
      flightMs: () => this.#flightMs,
      onStretch: ({ fromMs, toMs }) =>
        this.#reportAll({ from: fromMs, to: toMs + this.#behindMs, state: 'partial', reason: UNREADABLE }),
    });
    this.#silence = new TapeSilence({
      clock: options.clock,
      onSilentCoins: (silent) => {
        // What the coin lacked when it fell silent counts, not the feed's current lag.
        for (const [coin, lastMs] of silent)
          this.#suspect([coin], Math.min(lastMs, this.#tape(coin).lastTs + FLIGHT_MS));
      },
    });
    if (options.lastRecordedMs !== undefined)
      this.#outage = { fromMs: options.lastRecordedMs, reason: 'the service was not running' };
  }

  /** Trades seen more than once: on a healthy pair of sockets, about half of all. */
  get repeats(): number {
    return this.#repeats;
  }

  /**
   * The newest interval without an outage: since when, and until when, the feed was connected except for reported gaps;
   * absent before the first.
   */
  get connectedSpan(): { readonly fromMs: number; readonly toMs: number } | undefined {
    if (this.#lastReceivedMs === undefined) return undefined;
    const fromMs = this.#receivingSinceMs;
    const reportedMs = this.#missed.size > 0 ? this.#reportedMs : this.#completeUntilMs;
    const toMs = Math.min(this.#completeUntilMs, reportedMs, ...this.#unprovenMs().values());
    return { fromMs, toMs: Math.max(fromMs, toMs) };
  }

  /** Time up to which the connected sockets are known to have delivered everything. */
  get #completeUntilMs(): number {
    const readMs = this.#unreadable.completeUntilMs(this.#lastReceivedMs ?? 0);
    return Math.max(this.#receivingSinceMs, readMs - this.#flightMs);
  }

  /** The coins that are known up to a back-fill only, and its newest time. */
  #unprovenMs(): ReadonlyMap<string, number> {
    const earliest = new Map(this.#outage?.earlierMs);
    for (const { unproven } of this.#up.values())
      for (const [coin, ms] of unproven.knownToMs())
        earliest.set(coin, Math.min(ms, earliest.get(coin) ?? ms));
    return earliest;
  }

  /** Maximum age of trades still in flight: the usual delay plus the feed's current lag. */
  get #flightMs(): number {
    const lastReceivedMs = this.#lastReceivedMs ?? 0;
    return FLIGHT_MS + Math.max(0, lastReceivedMs - (this.#newestTs ?? lastReceivedMs));
  }

  /** Remembers earlier released trades, so that none is released twice. */
  restore(trades: readonly Trade[]): void {
    for (const trade of trades) this.#tape(trade.coin).restore(trade);
  }

  /** Releases trades that were made while no socket was up, oldest first, before the first is. */
  catchUp(trades: readonly VenueTrade[]): void {
    this.#release(trades, false, this.#options.clock.now());
  }

  /** Trades made before a time are on the tape, except in these intervals: the outage lasts only since then. */
  caughtUp(toMs: number, missing: readonly Span[]): void {
    const outage = this.#outage;
    if (!outage || toMs <= outage.fromMs) return;
    for (const coin of this.#coins.keys())
      for (const gap of caughtUpGaps(outage, toMs, missing)) this.#options.onGap({ coin, ...gap });
    this.#outage = { fromMs: toMs, reason: outage.reason };
  }

  socket({ kind, socket, atMs, lastDataMs = atMs }: Omit<SocketChange, 'type' | 'venue' | 'feed'>): void {
    if (kind === 'up') this.#comeUp(socket, atMs);
    else this.#goDown(socket, lastDataMs);
  }

  /** The clock was set forward: nothing was received in between, or with wrong times. */
  clockStepped(fromMs: number, toMs: number): void {
    if (this.#up.size === 0 || toMs <= fromMs) return;
    const from = fromMs - FLIGHT_MS;
    this.#reportAll({ from, to: toMs, state: 'missing', reason: SKIPPED });
    this.#silence.resume(toMs);
    this.#receivingSinceMs = toMs;
    this.#lastReceivedMs = toMs;
    this.#newestTs = undefined;
  }

  #comeUp(socket: number, atMs: number): void {
    const isFirst = this.#up.size === 0;
    this.#up.set(socket, { carried: new Map(), unproven: new UnprovenGaps(), newestTs: undefined });
    if (!isFirst) return;
    this.#silence.resume(atMs);
    this.#unreadable.forget();
    const outage = this.#outage;
    this.#outage = undefined;
    this.#receivingSinceMs = Math.max(atMs, outage?.fromMs ?? atMs);
    this.#lastReceivedMs = this.#receivingSinceMs;
    this.#newestTs = undefined;
    // Data recorded in another way may reach beyond the time at which the feed connected.
    if (!outage || outage.fromMs >= atMs) return;
    this.#recovery = outage;
    for (const coin of this.#coins.keys()) this.#miss(coin, outage);
    this.#reportedMs = this.#receivingSinceMs;
    this.#wait();
  }

  #goDown(socket: number, lastDataMs: number): void {
    const up = this.#up.get(socket);
    if (!up) return;
    const { carried, unproven, newestTs = lastDataMs } = up;
    const completeUntilMs = this.#completeUntilMs;
    // This socket proves nothing after its last trade; another socket may.
    const reportedMs = Math.min(lastDataMs, newestTs) - FLIGHT_MS;
    const confirmedUntilMs = carried.size > 0 ? Math.min(completeUntilMs, reportedMs) : completeUntilMs;
    this.#up.delete(socket);
    if (this.#up.size === 0) {
      this.#silence.pause();
      const fromMs = Math.max(this.#receivingSinceMs, confirmedUntilMs);
      this.#outage = { fromMs, reason: 'no socket to the venue was up', earlierMs: unproven.knownToMs() };
      // It begins at the last confirmed message, so it includes unreadable spans.
      this.#unreadable.close();
      this.#reportMissed();
      this.#waiting?.cancel();
      this.#waiting = undefined;
      return;
    }
    this.#unreadable.leave(socket);
    this.#unreadable.look(this.#up.keys(), lastDataMs);
    this.#handOver(carried.keys(), confirmedUntilMs, unproven);
  }

  /** Hands the coins of a lost socket to the others, each from the time it is complete there. */
  #handOver(coins: Iterable<string>, confirmedUntilMs: number, unproven: UnprovenGaps): void {
    const others = [...this.#up.values()];
    const earlierMs = unproven.knownToMs();
    const reason = 'no socket to the venue carried the coin';
    const left: string[] = [];
    for (const coin of coins) {
      const wholeFromMs = Math.min(...others.map(({ carried }) => carried.get(coin) ?? Infinity));
      const from = Math.min(confirmedUntilMs, earlierMs.get(coin) ?? confirmedUntilMs);
      const rest = unproven.of(coin);
      if (rest) leaveToProve(others, rest);
      if (wholeFromMs === Number.POSITIVE_INFINITY) left.push(coin);
      else if (wholeFromMs > from) {
        this.#tape(coin).lose(wholeFromMs);
        this.#options.onGap({ coin, from, to: wholeFromMs, state: 'missing', reason });
      }
    }
    for (const coin of left) this.#miss(coin, { fromMs: confirmedUntilMs, reason, earlierMs });
    if (left.length > 0) this.#reportMissed();
  }

  /** A socket received an unreadable frame. That is a gap unless another one has read the same. */
  refused({ socket, atMs }: Pick<RefusedFrame, 'socket' | 'atMs'>): void {
    if (!this.#up.has(socket)) return;
    this.#unreadable.refuse(socket, atMs);
    this.#unreadable.look(this.#up.keys(), atMs);
  }

  /** The oldest millisecond of a back-fill may be cut off in its middle. */
  #carry(socket: number, trades: readonly VenueTrade[], isBackfill: boolean): void {
    const coin = trades[0]?.coin;
    const carried = this.#up.get(socket)?.carried;
    if (coin === undefined || !carried || (!isBackfill && carried.has(coin))) return;
    carried.set(coin, trades.reduce((oldest, { venueTs }) => Math.min(oldest, venueTs), Infinity) + 1);
  }

  add(trades: readonly VenueTrade[], isBackfill: boolean, receivedAtMs: number, socket: number): void {
    const coin = trades[0]?.coin;
    if (coin === undefined) return;
    const apartMs = isBackfill ? 0 : this.#apartMs(trades, receivedAtMs);
    const silentFromMs = this.#silence.arrive(coin, isBackfill, receivedAtMs, apartMs);
    if (silentFromMs !== undefined) this.#suspect([...this.#coins.keys()], silentFromMs);
    this.#receivingSinceMs = this.#unreadable.end(receivedAtMs) ?? this.#receivingSinceMs;
    this.#lastReceivedMs = receivedAtMs;
    if (!isBackfill) {
      this.#noteNewest(socket, trades, receivedAtMs);
      this.#prove(socket, trades);
    }
    this.#carry(socket, trades, isBackfill);
    if (this.#recovery && !this.#coins.has(coin)) this.#miss(coin, this.#recovery);
    const missed = this.#missed.get(coin);
    if (!missed) {
      const gaps = isBackfill ? unsubscribedGaps(coin, this.#receivingSinceMs, this.#tape(coin), trades) : [];
      for (const gap of gaps) {
        this.#options.onGap(gap);
        leaveToProve(this.#up.values(), gap);
      }
      return this.#release(trades, isBackfill, receivedAtMs);
    }
    if (isBackfill) {
      const rest = this.#settle(coin, missed, trades, receivedAtMs).find(({ state }) => state === 'partial');
      if (rest) this.#up.get(socket)?.unproven.add(rest);
      return;
    }
    for (const trade of trades) missed.held.push({ ...trade, receivedAtMs });
    if (missed.held.length > HELD_MAX) this.#settle(coin, missed);
  }

  /** How much later than the newest live trade so far these happened. */
  #apartMs(trades: readonly VenueTrade[], receivedAtMs: number): number {
    const firstTs = trades.reduce((first, { venueTs }) => Math.min(first, venueTs), receivedAtMs);
    return firstTs - (this.#newestTs ?? firstTs);
  }

  /** Ignores venue times in the future and back-fills of rarely traded coins: neither shows the lag. */
  #noteNewest(socket: number, trades: readonly VenueTrade[], receivedAtMs: number): void {
    if (this.#newestTs === undefined) this.#beginAt(newestOf(trades), receivedAtMs);
    let newestTs = 0;
    for (const { venueTs } of trades) newestTs = Math.max(newestTs, Math.min(venueTs, receivedAtMs));
    this.#newestTs = Math.max(this.#newestTs ?? 0, newestTs);
    const up = this.#up.get(socket);
    if (up) up.newestTs = Math.max(up.newestTs ?? 0, newestTs);
  }

  /** The first live trade since the feed is up: earlier ones may be missing, also if our clock is behind. */
  #beginAt(venueTs: number, receivedAtMs: number): void {
    this.#behindMs = Math.max(0, Math.min(venueTs - receivedAtMs, AHEAD_MAX_MS));
    const fromMs = this.#receivingSinceMs;
    const toMs = receivedAtMs + this.#behindMs;
    if (this.#behindMs === 0 || toMs <= fromMs) return;
    this.#reportAll({ from: fromMs, to: toMs, state: 'partial', reason: BEHIND });
    this.#receivingSinceMs = toMs;
  }

  /** A socket delivers in order: everything that happened on any coin before a live trade was sent has arrived. */
  #prove(socket: number, trades: readonly VenueTrade[]): void {
    const proven = this.#up.get(socket)?.unproven.prove(newestOf(trades) - FLIGHT_MS);
    for (const gap of proven ?? []) this.#options.onGap(gap);
  }

  /** Releases everything held, and reports unreported gaps; for a shutdown. */
  flush(): void {
    this.#silence.stop();
    this.#unreadable.stop();
    this.#reportMissed();
    this.#waiting?.cancel();
    this.#waiting = undefined;
  }

  /** Enters a gap for every coin: an unreadable frame, for example, has unknown coins. */
  #reportAll(gap: Omit<TapeGap, 'coin'>): void {
    for (const coin of this.#coins.keys()) this.#options.onGap({ coin, ...gap });
  }

  #release(trades: readonly (VenueTrade | ReceivedTrade)[], isBackfill: boolean, receivedAtMs: number): void {
    // A back-fill may be newest first; within one time, the venue's order is kept.
    const inOrder = isBackfill ? trades.toSorted((a, b) => a.venueTs - b.venueTs) : trades;
    const { clock, nowMs: at = () => clock.now() } = this.#options;
    const nowMs = at();
    for (const trade of inOrder) {
      const ownMs = 'receivedAtMs' in trade ? trade.receivedAtMs : receivedAtMs;
      const released = this.#tape(trade.coin).append(trade, nowMs, ownMs);
      if (released) this.#options.release(released);
      else this.#repeats += 1;
    }
  }

  /** Extends an existing gap instead of opening a second one. */
  #miss(coin: string, { fromMs, earlierMs, ...outage }: Outage): Missed {
    const nowMs = this.#options.clock.now();
    const earliestMs = Math.min(fromMs, earlierMs?.get(coin) ?? fromMs);
    const missingMs = this.#tape(coin).missingFromMs(earliestMs, nowMs);
    const missed = this.#missed.get(coin) ?? { ...outage, fromMs: missingMs, held: [] };
    const waiting = { ...missed, waitingSinceMs: nowMs };
    this.#missed.set(coin, waiting);
    return waiting;
  }

  /** Buffers the coins' trades and resubscribes to them although sockets are up, because they were silent for too long. */
  #suspect(coins: readonly string[], lastMs: number): void {
    const suspects = coins.filter((coin) => !this.#missed.has(coin));
    if (suspects.length === 0) return;
    const nowMs = this.#options.clock.now();
    if (this.#missed.size === 0) this.#reportedMs = nowMs;
    const fromMs = Math.max(this.#receivingSinceMs, lastMs - this.#flightMs);
    const outage: Outage = { fromMs, reason: SILENT, isSuspected: true, earlierMs: this.#unprovenMs() };
    for (const coin of suspects) {
      const missed = this.#miss(coin, outage);
      for (const gap of this.#gaps(missed, coin, [])) this.#options.onGap(gap);
    }
    if (!this.#waiting) this.#wait();
    this.#options.onSuspected?.(suspects);
  }

  #wait(): void {
    this.#waiting?.cancel();
    this.#waiting = this.#options.clock.after(REFILL_WAIT_MS, () => this.#reportMissed());
  }

  /** Coins without a back-fill in time may miss everything so far, and more until a socket delivers them. */
  #reportMissed(): void {
    this.#recovery = undefined;
    const nowMs = this.#options.clock.now();
    for (const [coin, missed] of this.#missed) {
      const isOver = missed.held.length > 0 || nowMs - missed.waitingSinceMs >= SUBSCRIBED_MS;
      if (isOver) this.#settle(coin, missed);
      else for (const gap of this.#gaps(missed, coin, [])) this.#options.onGap(gap);
    }
    this.#reportedMs = nowMs;
    if (this.#missed.size > 0) this.#wait();
    else this.#waiting = undefined;
  }

  /** Closes a coin's gap and returns the parts that remain. */
  #settle(coin: string, missed: Missed, backfill: readonly VenueTrade[] = [], atMs = 0): readonly TapeGap[] {
    this.#missed.delete(coin);
    const gaps = this.#gaps(missed, coin, backfill);
    for (const gap of gaps) this.#options.onGap(gap);
    for (const { state, to } of gaps) if (state === 'missing') this.#tape(coin).lose(to);
    const isProven = backfill.length > 0 && gaps.every(({ state }) => state !== 'missing');
    if (missed.isSuspected && isProven && backfill.every((trade) => this.#tape(coin).knows(trade)))
      this.#silence.wasQuiet(coin, missed.fromMs);
    this.#release([...backfill, ...missed.held], true, atMs);
    return gaps;
  }

  #gaps(outage: Outage, coin: string, backfill: readonly VenueTrade[]): readonly TapeGap[] {
    const nowMs = this.#options.clock.now() + this.#behindMs;
    return gapsOf({ ...outage, coin, tape: this.#tape(coin), backfill, nowMs });
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
