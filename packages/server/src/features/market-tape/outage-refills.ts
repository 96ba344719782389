import type { Clock, MarketTrade, Timer } from '@crosstape/core';
import type { TradeGap } from '@crosstape/venues';
import { TradeIdentities } from '../tape/trade-identities.ts';
import { ASK_AGAIN_MS } from './ask-again.ts';
import { type PastInParts, REQUESTED_MS } from './past-in-parts.ts';

/** Outages of a market that are requested or wait for it; of more, the oldest one is given up. */
export const OUTAGES_MAX = 50;
/** Trades up to this long after an outage are requested with it: one of them proves that the venue's past has reached its end. */
const PROOF_MS = 60_000;
/** Fills of one trade that are remembered. */
const FILLS_MAX = 10_000;
const OTHER_IDS = "the venue's history has other ids than its feed and cannot be joined to it";

/** A time without a feed, half open, in ms. */
export interface Outage {
  readonly fromMs: number;
  readonly toMs: number;
  readonly reason: string;
  /** The feed was up meanwhile: some trades may be missing, not all. */
  readonly wasUp?: boolean;
}

type OutageState = 'partial' | 'missing';

interface OutageRefill {
  readonly outage: Outage;
  /** Time of the newest trade when the outage was over. */
  readonly startMs: number;
  /** The highest number of that time; 0 if trades have none. */
  readonly startTid: number;
  /** Later trades are received from the feed. */
  readonly beforeMs: number;
  /** The newest trade before the outage or in answers: later ones are requested. */
  readonly newest: NewestTime;
  /** Trades of the time that is requested which are not missing: the tape remembers them for a minute or two. */
  readonly known: TradeIdentities;
  /** A back-fill reaches from before the outage to after it. */
  isBridged: boolean;
  /** Whether the answers are complete; absent before the first with trades. */
  isWhole?: boolean;
  /** The history of the venue identifies trades otherwise than the feed. */
  hasOtherIds?: true;
  /** The current or last request. */
  gap?: TradeGap;
  attempts: number;
  dueMs: number;
  reported?: OutageState;
}

export interface OutageRefillsOptions {
  readonly market: TradeGap['market'];
  readonly clock: Clock;
  /** Trades have consecutive numbers, as `tid`. */
  readonly isNumbered: boolean;
  /** Whether a trade is on the tape, as far as that is remembered. */
  readonly isKnown: (trade: MarketTrade) => boolean;
  /** Absent where the venue has no past. */
  readonly past: PastInParts | undefined;
  /** Called with trades that were answered. */
  readonly take: (trades: readonly MarketTrade[]) => void;
  /** Called with the result of an outage; again when more is known. */
  readonly report: (outage: Outage, state: OutageState) => void;
  /** Called when every outage has been requested once. */
  readonly onRequested: () => void;
}

/**
 * Refills outages of a market without trade numbers: one after the other, each from the newest trade before it, and
 * again until the venue's history has reached its end.
 */
export class OutageRefills {
  readonly #options: OutageRefillsOptions;
  readonly #newest = new NewestTime();
  /** Oldest first. */
  #refills: OutageRefill[] = [];
  #running: OutageRefill | undefined;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(options: OutageRefillsOptions) {
    this.#options = options;
  }

  /** Called with each trade that was received or recorded. */
  note(trade: IdentifiedTrade): void {
    this.#newest.add(trade);
    for (const refill of this.#refills) noteFor(refill, trade);
  }

  /** A back-fill includes a known trade of this time. */
  bridge(knownMs: number): void {
    for (const refill of this.#refills) if (knownMs <= refill.startMs) refill.isBridged = true;
  }

  /** Reports the state of every outage. */
  report(): void {
    for (const refill of this.#refills) this.#report(refill);
  }

  /** An outage has ended. */
  add(outage: Outage, isBridged: boolean): void {
    const { clock, isNumbered } = this.#options;
    const nowMs = clock.now();
    const { ms: startMs, trades: newest } = this.#newest;
    const before = this.#refills.at(-1);
    // Nothing was received since the outage before: they are one.
    const isLonger = before?.startMs === startMs && before.newest.ms === startMs;
    if (isLonger) this.#remove(before);
    const refill: OutageRefill = {
      outage: isLonger ? joined(before.outage, outage) : outage,
      startMs,
      startTid: isNumbered ? Math.max(0, ...newest.map(({ tid }) => tid)) : 0,
      beforeMs: Math.max(nowMs, outage.toMs),
      newest: new NewestTime(),
      known: new TradeIdentities(),
      isBridged,
      attempts: 0,
      dueMs: nowMs,
    };
    for (const trade of newest) {
      refill.newest.add(trade);
      refill.known.add(trade);
    }
    this.#refills.push(refill);
    const [oldest] = this.#refills;
    if (this.#refills.length > OUTAGES_MAX && oldest) this.#end(oldest);
    this.#schedule();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.report();
  }

  /** Requests the outage that is due first; others wait for its answer. */
  #schedule(): void {
    this.#timer?.cancel();
    const [first] = this.#refills.toSorted((a, b) => a.dueMs - b.dueMs);
    if (this.#running || this.#isStopped || !first) return;
    const waitMs = first.dueMs - this.#options.clock.now();
    if (waitMs > 0) this.#timer = this.#options.clock.after(waitMs, () => this.#schedule());
    else {
      this.#running = first;
      void this.#request(first).finally(() => {
        this.#running = undefined;
        this.#schedule();
      });
    }
  }

  async #request(refill: OutageRefill): Promise<void> {
    const { clock, past } = this.#options;
    const isIn = (): boolean => !this.#isStopped && this.#refills.includes(refill);
    const isTooLate = clock.now() > refill.beforeMs + REQUESTED_MS;
    let isAnswered: boolean | undefined;
    if (past && !isTooLate) {
      if (!refill.gap || !past.hasRest(refill)) refill.gap = this.#gapOf(refill);
      let hasTrades = false;
      isAnswered = await past.ask(refill, refill.gap, (trades) => {
        if (!isIn()) return false;
        if (this.#areOtherIds(refill, trades)) refill.hasOtherIds = true;
        if (refill.hasOtherIds) return false;
        hasTrades ||= trades.length > 0;
        this.#take(refill, trades);
        return true;
      });
      if (!refill.hasOtherIds && (isAnswered === true || (isAnswered === false && hasTrades)))
        refill.isWhole = refill.isWhole !== false && isAnswered;
      for (const trade of refill.newest.trades) refill.known.add(trade);
    }
    if (!isIn()) return;
    const waitMs = ASK_AGAIN_MS[refill.attempts];
    refill.attempts += 1;
    const isReached = refill.newest.ms >= refill.outage.toMs && past?.hasRest(refill) !== true;
    const isOver = isTooLate || isReached || refill.isBridged || refill.hasOtherIds;
    if (!past || waitMs === undefined || isOver) this.#end(refill);
    else {
      refill.dueMs = clock.now() + waitMs;
      this.#report(refill);
    }
    if (this.#refills.every(({ attempts }) => attempts > 0)) this.#options.onRequested();
  }

  #gapOf({ newest, outage, beforeMs }: OutageRefill): TradeGap {
    const { market, clock } = this.#options;
    const afterMs = newest.ms || outage.fromMs;
    return { market, afterMs, beforeMs: Math.min(clock.now(), beforeMs + PROOF_MS) };
  }

  /**
   * An answer has trades of the time of the newest one before the outage, but none that is known. Numbers are those of
   * the feed.
   */
  #areOtherIds({ startMs, known }: OutageRefill, trades: readonly MarketTrade[]): boolean {
    const { isNumbered, isKnown } = this.#options;
    if (isNumbered || !trades.some(({ venueTs }) => venueTs === startMs)) return false;
    return !trades.some((trade) => known.has(trade) || isKnown(trade));
  }

  #take(refill: OutageRefill, trades: readonly MarketTrade[]): void {
    const { startMs, startTid, beforeMs, known } = refill;
    const missing: MarketTrade[] = [];
    for (const trade of trades) {
      refill.newest.add(trade);
      if (trade.venueTs > beforeMs || known.has(trade)) continue;
      // The newest trade may be several fills, and has the number of the last one.
      if (trade.venueTs === startMs && trade.tid < startTid) continue;
      this.#newest.add(trade);
      for (const other of this.#refills) if (other !== refill) noteFor(other, trade);
      missing.push(trade);
    }
    this.#options.take(missing);
  }

  #report(refill: OutageRefill): void {
    const { outage, isWhole, isBridged, hasOtherIds, reported } = refill;
    const isPartial = isWhole === true || isBridged || outage.wasUp === true;
    const state = isPartial ? 'partial' : 'missing';
    if (state === reported && !hasOtherIds) return;
    refill.reported = state;
    const { reason } = outage;
    this.#options.report(hasOtherIds ? { ...outage, reason: `${reason}; ${OTHER_IDS}` } : outage, state);
  }

  #end(refill: OutageRefill): void {
    this.#report(refill);
    this.#remove(refill);
  }

  #remove(refill: OutageRefill): void {
    this.#refills = this.#refills.filter((one) => one !== refill);
  }
}

/** A venue that merges fills into a trade returns them singly: each has its own number, and the trade the last one. */
function noteFor({ startMs, beforeMs, known }: OutageRefill, trade: IdentifiedTrade): void {
  if (trade.venueTs < startMs || trade.venueTs > beforeMs) return;
  known.add(trade);
  const fills = Math.min(trade.count ?? 1, FILLS_MAX);
  for (let i = 1; i < fills; i += 1) known.add({ ...trade, tid: trade.tid - i });
}

/** Merges two outages without anything certain in between, with the reason of the later one. */
export function joined(before: Outage, { fromMs, toMs, reason, wasUp }: Outage): Outage {
  return {
    fromMs: Math.min(before.fromMs, fromMs),
    toMs: Math.max(before.toMs, toMs),
    reason,
    ...(before.wasUp === true && wasUp === true && { wasUp }),
  };
}

type IdentifiedTrade = Pick<MarketTrade, 'venueTs' | 'tid' | 'side' | 'price' | 'size' | 'count'>;

/** The latest venue time of the trades of a market, and the trades with this time. */
class NewestTime {
  #ms = 0;
  #first: IdentifiedTrade | undefined;
  /** The others: mostly there is none. To shorten an array takes as long as all else here. */
  #others: IdentifiedTrade[] = [];

  /** 0 before the first trade. */
  get ms(): number {
    return this.#ms;
  }

  get trades(): readonly IdentifiedTrade[] {
    return this.#first ? [this.#first, ...this.#others] : [];
  }

  add(trade: IdentifiedTrade): void {
    const { venueTs } = trade;
    if (venueTs < this.#ms) return;
    if (venueTs === this.#ms && this.#first) {
      this.#others.push(trade);
      return;
    }
    this.#ms = venueTs;
    this.#first = trade;
    if (this.#others.length > 0) this.#others = [];
  }
}
