import type { Clock, MarketTrade, Trade } from '@crosstape/core';
import type { TradeFeed, TradeGap } from '@crosstape/venues';
import type { CoinTape } from '../tape/coin-tape.ts';
import type { Gap } from '../tape/gap-ledger.ts';
import { TradeIdentities } from '../tape/trade-identities.ts';
import { type Hold, isFilled } from './hold.ts';
import { LaterRequests } from './later-requests.ts';
import { joined, type Outage, OutageRefills } from './outage-refills.ts';
import { type RequestPast, PastInParts } from './past-in-parts.ts';
import { ReportedRanges } from './reported-ranges.ts';
import { takerOf } from './taker-of.ts';
import {
  type CountChange,
  isClosed,
  type MissingNumbers,
  missingOf,
  missingSpans,
  TradeCount,
  uncoveredEdges,
} from './trade-count.ts';

/** Trades after a gap wait this long for it to be refilled, so that the missing ones precede them. */
const HOLD_MS = 5_000;
/** A live trade is received within this time. */
const LATE_MS = 5_000;
/** More trades than this do not wait. */
const HELD_MAX = 20_000;
/** Spans of missing numbers that are recorded with a gap; one with more is not requested again after a restart. */
const NUMBERS_MAX = 100;

export interface MarketTapeOptions {
  /** The market, with its spelling in the venue's REST API. */
  readonly market: TradeGap['market'];
  /** Knows the trades that this process has released before. */
  readonly known: CoinTape;
  readonly feed: Pick<TradeFeed, 'ids' | 'grouping'>;
  readonly clock: Clock;
  /** Called once for each trade, in the order of the tape. */
  readonly release: (trade: Trade) => void;
  /** Called with the result of a gap; again, for the same `from`, when more is known. */
  readonly onGap: (gap: Gap) => void;
  /** Absent where the venue has no past. */
  readonly past?: RequestPast;
}

interface CountedOutage extends Outage {
  /** Start of the ledger's gap for it, which the count replaces. */
  readonly enteredFromMs?: number;
}

interface EndedOutage extends CountedOutage {
  /** The count starts after it, so numbers do not show what it cost. */
  readonly isUncounted?: boolean;
}

const PASSED_OVER = 'numbers of trades were passed over';
const RESTARTED = 'the venue began to number its trades again';
const ODD = 'the number of a trade does not continue those before it';

/**
 * The tape of one market of a secondary venue. Every trade is released once and at once, except while numbers are
 * missing: then trades wait for a refill, a few seconds at most. If numbers are consecutive, missing trades are known
 * exactly; otherwise an outage of the socket is at best `partial`.
 */
export class MarketTape {
  readonly #options: MarketTapeOptions;
  readonly #tape: CoinTape;
  readonly #count: TradeCount | undefined;
  readonly #past: PastInParts | undefined;
  readonly #refills: OutageRefills;
  readonly #later: LaterRequests;
  /** The outages with skipped numbers. */
  readonly #outages = new WeakMap<MissingNumbers, CountedOutage>();
  readonly #reported = new ReportedRanges();
  #hold: Hold | undefined;
  /** An outage that no trade has followed yet. */
  #outage: CountedOutage | undefined;
  /** A back-fill since the outage includes trades from before it. */
  #isBridged = false;
  /** Trades that were recorded before begin the count when the venue sends them again. */
  #mayResume = false;
  /** Since when everything on the tape is remembered. */
  #restoredFromTs = Infinity;
  #isStopped = false;

  constructor(options: MarketTapeOptions) {
    this.#options = options;
    this.#tape = options.known;
    this.#past = options.past && new PastInParts(options.past, options.clock);
    this.#later = new LaterRequests(options.clock, (range, attempt) => void this.#refill(range, attempt));
    this.#refills = new OutageRefills({
      market: options.market,
      clock: options.clock,
      past: this.#past,
      isNumbered: options.feed.ids.counted === 'tid',
      isKnown: (trade) => this.#isKnown(trade),
      take: (trades) => {
        const nowMs = options.clock.now();
        for (const trade of trades) this.#take(trade, nowMs, true);
      },
      report: ({ fromMs, toMs, reason }, state) => {
        if (fromMs < toMs) this.#reportGap(fromMs, toMs, state, reason, { method: 'socket' });
      },
      onRequested: () => this.#settle(),
    });
    const { counted, mayRestart } = options.feed.ids;
    if (counted !== undefined) this.#count = new TradeCount({ ...(mayRestart && { mayRestart }) });
  }

  /** Remembers recorded trades, oldest first; `isContinued`: later trades count as missing. */
  restore(trades: readonly Trade[], isContinued = true): void {
    for (const trade of trades) {
      const venueTs = trade.venueTs ?? trade.ts;
      this.#restoredFromTs = Math.min(this.#restoredFromTs, trade.ts);
      this.#tape.restore(trade);
      this.#refills.note({ ...trade, venueTs });
    }
    if (!isContinued) return;
    // Numbers other than ids are not recorded.
    this.#mayResume = this.#options.feed.ids.counted === 'seq';
    if (this.#options.feed.ids.counted !== 'tid') return;
    this.#count?.continue(
      trades.map(({ tid, ts, venueTs = ts }) => ({ number: tid, width: 1, venueTs, tid })),
    );
  }

  /**
   * Requests again what an earlier process could not. Call after `restore`. For gaps older than its memory it is
   * unknown which trades are on the tape: they stay as reported.
   */
  resume(gaps: readonly Gap[]): void {
    for (const { from, to, state, reason, numbers = [] } of gaps) {
      if (from < this.#restoredFromTs) continue;
      for (const [first, last] of numbers) {
        const range = this.#count?.reopen({ first, last }, { fromMs: from, toMs: to - 1 });
        if (!range) return;
        this.#outages.set(range, { fromMs: from, toMs: to - 1, reason, wasUp: state === 'partial' });
        this.#reported.together(from, range);
        this.#later.add(range, 1);
      }
    }
  }

  /** The next trade shows how many were made before it. */
  get isCounting(): boolean {
    return this.#count?.hasBegun === true;
  }

  /** Since when trades wait, which a crash would lose; absent if none does. */
  get heldSinceMs(): number | undefined {
    return this.#hold && this.#hold.trades.length > 0 ? this.#hold.sinceMs : undefined;
  }

  /** Since when losses are unknown because no trade has followed an outage; absent once one has. */
  get outageFromMs(): number | undefined {
    return this.#outage?.fromMs;
  }

  /** The feed was down in between, and is up again. */
  outage({ isUncounted, ...outage }: EndedOutage): void {
    const fromMs = Math.min(this.#outage?.fromMs ?? outage.fromMs, outage.fromMs);
    this.#outage = { ...outage, fromMs };
    this.#isBridged = false;
    if (!this.#count || isUncounted) this.#refillUncounted(this.#outage);
  }

  add(trades: readonly MarketTrade[], isBackfill = false, receivedAtMs = this.#options.clock.now()): void {
    const known = isBackfill && trades.find((trade) => this.#isKnown(trade));
    if (known) {
      this.#isBridged = true;
      this.#refills.bridge(known.venueTs);
    }
    for (const trade of trades) this.#take(trade, receivedAtMs);
  }

  /** Releases all waiting trades. */
  stop(): void {
    this.#isStopped = true;
    this.#later.stop();
    this.#refills.stop();
    this.#settle();
  }

  /** `isAnswer`: it was requested, and does not show anything about a later outage. */
  #take(trade: MarketTrade, receivedAtMs: number, isAnswer = false): void {
    if (this.#isKnown(trade)) {
      if (this.#mayResume) this.#number(trade);
      return;
    }
    this.#mayResume = false;
    const change = this.#number(trade);
    const passed = change?.kind === 'passed' ? change.range : undefined;
    if (change?.kind === 'restarted') this.#restart(change.after, trade);
    else if (change?.kind === 'odd') this.#suspect(change.after, trade, receivedAtMs);
    else if (this.#outage && !isAnswer) {
      if (passed || change?.kind === 'next') this.#endOutage(this.#outage, passed);
      // Numbers that cannot be compared with those before an outage do not show what it cost.
      else if (!this.#count?.hasBegun || change?.kind === 'first') this.#refillUncounted(this.#outage);
    }
    if (!isAnswer) this.#refills.note(trade);
    if (passed) {
      this.#wait().ranges.add(passed);
      this.#later.add(passed, 0);
    }
    if (!this.#hold) return this.#releaseUnknown(trade, receivedAtMs);
    this.#keep(this.#hold, trade, receivedAtMs);
    if (isFilled(this.#hold) || this.#hold.trades.length >= HELD_MAX) this.#settle();
  }

  #keep(hold: Hold, trade: MarketTrade, receivedAtMs: number): void {
    hold.trades.push({ trade, receivedAtMs });
    hold.identities.add(trade);
    // A back-fill has trades of hours ago, which do not show what was recorded since.
    const madeMs = Math.max(trade.venueTs, receivedAtMs - LATE_MS);
    hold.sinceMs = Math.min(hold.sinceMs, madeMs, receivedAtMs);
  }

  #isKnown(trade: MarketTrade): boolean {
    return this.#tape.knows(trade) || this.#hold?.identities.has(trade) === true;
  }

  /** Counts a trade, if its number is known; returns what the count shows. */
  #number(trade: MarketTrade): CountChange | undefined {
    const { counted } = this.#options.feed.ids;
    const number = counted === 'seq' ? trade.seq : trade.tid;
    if (number === undefined) return undefined;
    return this.#count?.add({ number, width: trade.count ?? 1, venueTs: trade.venueTs, tid: trade.tid });
  }

  #release(trade: MarketTrade, receivedAtMs: number): void {
    if (!this.#tape.knows(trade)) this.#releaseUnknown(trade, receivedAtMs);
  }

  #releaseUnknown(trade: MarketTrade, receivedAtMs: number): void {
    const { feed, market, release } = this.#options;
    const taker = takerOf(trade, feed);
    // The symbol of the market, not of the trade: one text is looked up faster than equal ones.
    release(this.#tape.appendUnknown(trade, market.symbol, taker, receivedAtMs, receivedAtMs));
  }

  /** Lets trades wait from now on. */
  #wait(): Hold {
    this.#hold ??= {
      trades: [],
      identities: new TradeIdentities(),
      ranges: new Set(),
      deadline: this.#options.clock.after(HOLD_MS, () => this.#settle()),
      sinceMs: Infinity,
    };
    return this.#hold;
  }

  /** Releases the trades that waited, in the venue's order, and reports the numbers that are still missing. */
  #settle(): void {
    const hold = this.#hold;
    if (!hold) return;
    this.#hold = undefined;
    hold.deadline.cancel();
    for (const range of hold.ranges) if (!isClosed(range)) this.#report(range);
    this.#refills.report();
    const isCounted = this.#options.feed.ids.counted === 'tid';
    const inOrder = hold.trades.toSorted(
      ({ trade: a }, { trade: b }) => a.venueTs - b.venueTs || (isCounted ? a.tid - b.tid : 0),
    );
    for (const { trade, receivedAtMs } of inOrder) this.#release(trade, receivedAtMs);
  }

  /** If trades are counted, the first one after an outage shows how many are missing. */
  #endOutage(outage: CountedOutage, passed: MissingNumbers | undefined): void {
    this.#outage = undefined;
    const { fromMs, toMs, reason, enteredFromMs } = outage;
    if (passed) this.#outages.set(passed, outage);
    else
      for (const from of new Set([fromMs, enteredFromMs ?? fromMs]))
        if (from < toMs) this.#reportGap(from, toMs, 'refilled', reason, { method: 'count', missing: 0 });
  }

  async #refill(range: MissingNumbers, attempt: number): Promise<void> {
    if (this.#isStopped) return;
    if (isClosed(range)) {
      // Only a moment is missing, unless the feed was down.
      if (this.#outages.has(range)) this.#report(range);
      return;
    }
    const isContinued = this.#past?.hasRest(range);
    const isWhole = await this.#past?.ask(range, this.#gapOf(range), (trades) => {
      this.#refillWith(range, trades);
      this.#report(range);
      return !isClosed(range) && !this.#isStopped;
    });
    // The first answer may precede the venue's complete history, and so may the pages that a rest continues from.
    if (isWhole === true && attempt > 0 && !isContinued && !isClosed(range)) this.#count?.closeSkipped(range);
    this.#report(range);
    if (!isClosed(range) && this.#past) this.#later.add(range, attempt + 1);
    // Other awaited ranges have their own refills.
    this.#hold?.ranges.delete(range);
    if (this.#hold?.ranges.size === 0) this.#settle();
  }

  /** The part of a range that is still missing. */
  #gapOf(range: MissingNumbers): TradeGap {
    const { market, feed } = this.#options;
    const { after, before } = uncoveredEdges(range);
    const times = { market, afterMs: after.venueTs, beforeMs: before.venueTs };
    if (feed.ids.counted !== 'tid') return { ...times, edges: { after: after.tid, before: before.tid } };
    // A trade on a side of the range may have taken up several numbers, which the venue returns singly.
    const afterTid = after === range.after ? range.first - 1 : after.tid;
    const beforeTid = before === range.before ? range.last + 1 : before.tid;
    return { ...times, afterTid, beforeTid, edges: { after: afterTid, before: beforeTid } };
  }

  #refillWith(range: MissingNumbers, trades: readonly MarketTrade[]): void {
    const receivedAtMs = this.#options.clock.now();
    const isById = this.#options.feed.ids.counted === 'tid';
    for (const trade of trades) {
      if (this.#isKnown(trade)) continue;
      const { tid, venueTs, count: width = 1 } = trade;
      const isNew = isById
        ? this.#count?.take(range, { number: tid, width, venueTs, tid })
        : this.#find(range, trade);
      if (isNew !== true) continue;
      if (this.#hold) this.#keep(this.#hold, trade, receivedAtMs);
      else this.#release(trade, receivedAtMs);
    }
  }

  /**
   * An answer contained a trade without a number. Returns `false` if it was received before, although the tape may have
   * dropped it.
   */
  #find(range: MissingNumbers, { tid, count = 1 }: MarketTrade): boolean {
    if (range.tids.has(tid)) return false;
    range.tids.add(tid);
    this.#count?.fill(range, count);
    return true;
  }

  /** The venue began to count again, during an outage or not. */
  #restart(after: Pick<MarketTrade, 'venueTs'>, { venueTs }: MarketTrade): void {
    const between = { fromMs: after.venueTs, toMs: venueTs + 1, reason: RESTARTED, wasUp: true };
    if (this.#outage) this.#outage = joined(between, this.#outage);
    this.#refillUncounted(this.#outage ?? between);
  }

  /** Until the count continues, losses are unknown. */
  #suspect(after: Pick<MarketTrade, 'venueTs'>, { venueTs }: MarketTrade, receivedAtMs: number): void {
    const toMs = Math.max(after.venueTs, Math.min(venueTs, receivedAtMs + LATE_MS)) + 1;
    this.#reportGap(after.venueTs, toMs, 'partial', ODD, { method: 'socket' });
  }

  /** Only the venue's own history can show what an outage cost: the numbers start after it. */
  #refillUncounted(outage: Outage): void {
    const isBridged = outage === this.#outage && this.#isBridged;
    this.#outage = undefined;
    this.#wait();
    this.#refills.add(outage, isBridged);
  }

  #report(range: MissingNumbers): void {
    const outage = this.#outages.get(range);
    const fromMs = this.#fromMsOf(range);
    const together = this.#reported.together(fromMs, range);
    const missing = together.reduce((sum, one) => sum + missingOf(one), 0);
    const isFound = together.some((one) => one.found > 0 || this.#outages.get(one)?.wasUp === true);
    const state = missing === 0 ? 'refilled' : isFound ? 'partial' : 'missing';
    const toMs = Math.max(...together.map((one) => this.#toMsOf(one)));
    const isById = this.#options.feed.ids.counted === 'tid';
    const numbers = isById ? together.flatMap(missingSpans) : [];
    const isKept = numbers.length > 0 && numbers.length <= NUMBERS_MAX;
    const known = { method: 'count', missing, ...(isKept && { numbers }) } as const;
    const reason = outage?.reason ?? PASSED_OVER;
    this.#reportGap(fromMs, toMs, state, reason, known);
    const enteredMs = outage?.enteredFromMs ?? fromMs;
    if (enteredMs !== fromMs)
      this.#reportGap(enteredMs, toMs, state, reason, { method: 'count', missing: 0 });
  }

  #fromMsOf(range: MissingNumbers): number {
    return Math.min(range.after.venueTs, this.#outages.get(range)?.fromMs ?? Infinity);
  }

  #toMsOf(range: MissingNumbers): number {
    const { after, before } = range;
    return Math.max(before.venueTs, after.venueTs, this.#outages.get(range)?.toMs ?? 0) + 1;
  }

  #reportGap(
    from: number,
    to: number,
    state: Gap['state'],
    reason: string,
    known: Pick<Gap, 'method' | 'missing' | 'numbers'>,
  ): void {
    this.#options.onGap({ coin: this.#options.market.symbol, from, to, state, reason, ...known });
  }
}
