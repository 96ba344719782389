import { type Market, onClockStep, sleep, type Timer, type Trade } from '@crosstape/core';
import { marketPrefixOf } from '@crosstape/venues';
import type { FeedChange, FeedEvent } from '../../ingest/feed-sink.ts';
import type { MarketReceiver } from '../../ingest/market-feed.ts';
import { Failure } from '../../platform/errors.ts';
import { nextTurn } from '../../platform/next-turn.ts';
import { venueOf } from '../../store/market-key.ts';
import { CoinTape } from '../tape/coin-tape.ts';
import { FLIGHT_MS } from '../tape/flight-time.ts';
import { type Gap, GapLedger } from '../tape/gap-ledger.ts';
import { recordedSpan } from '../tape/recorded-span.ts';
import { SEAM_MS } from '../tape/takeover.ts';
import { unrecordedOf } from '../tape/unrecorded-of.ts';
import { TickRecorder } from '../tape/tick-recorder.ts';
import { TickTable } from '../tape/tick-table.ts';
import { AwaitedMarkets } from './awaited-markets.ts';
import { FeedSpan } from './feed-span.ts';
import { MarketTable } from './market-table.ts';
import { MarketTape } from './market-tape.ts';
import { RecordedUnits } from './recorded-units.ts';
import { VenueGaps } from './venue-gaps.ts';
import { unfilledGaps } from './unfilled-gaps.ts';
import { eachSymbol } from './each-symbol.ts';
import type { VenueRecordingOptions } from './venue-recording-options.ts';

/** Delay between attempts to read the record: first and maximum. */
const OPEN_RETRY_MS = { first: 500, most: 10_000 };
/** A record that cannot be read is logged this often. */
const LOG_EVERY_MS = 60_000;

const LEFT = 'the market is no longer recorded since then, and its last trades may have been under way';
const BEHIND = 'the clock was behind the venue’s when the feed came up';

interface Followed {
  market: Market;
  readonly tape: MarketTape;
  /** The last trade that was released since it is followed. */
  newest: Trade | undefined;
}

/** Records the markets of one secondary venue: chooses them, keeps their tapes, and writes tapes and ledger. */
export class VenueRecording implements MarketReceiver {
  readonly #options: VenueRecordingOptions;
  readonly #ledger: GapLedger;
  readonly #recorder: TickRecorder;
  readonly #gaps: VenueGaps;
  readonly #followed = new Map<string, Followed>();
  /** The newest trades by symbol: those of an earlier process, then the last of this one. */
  readonly #before = new Map<string, Trade[]>();
  /** The trades that are known, of every market that this process follows or has followed. */
  readonly #known = new Map<string, CoinTape>();
  /** Gaps that an earlier process could not refill, by symbol. */
  #unfilled: ReadonlyMap<string, readonly Gap[]> = new Map();
  /** Markets that were taken over: later messages of them are this process's own. */
  readonly #takenUp = new Set<string>();
  readonly #units: RecordedUnits;
  /** Resolves when the earlier record is read, or when it stops. */
  readonly opened: Promise<void>;
  readonly #stopping = new AbortController();
  #isOpen = false;
  #lastRecordedMs: number | undefined;
  #listed: readonly Market[] = [];
  /** Units and smallest steps of prices as they were last passed on: a venue may list steps after its pairs. */
  #terms = '';
  /** Until when the feed worked before the current outage; absent while it is up, and before a first record. */
  #downSinceMs: number | undefined;
  #downReason = 'the service was not running';
  /** Symbols that were recorded when the outage began. */
  #recorded: ReadonlySet<string> = new Set();
  /** The same for the end of an earlier process's record. */
  #recordedBefore: ReadonlySet<string> = new Set();
  #isUp = false;
  /** When the feed first connected for this recording. */
  #firstUpMs: number | undefined;
  readonly #span: FeedSpan;
  readonly #steps: Timer;
  readonly #awaited: AwaitedMarkets;

  constructor(options: VenueRecordingOptions) {
    const { feed, store, clock } = options;
    this.#options = options;
    this.#units = new RecordedUnits(options.log);
    this.#span = new FeedSpan(feed.feed.ids.counted !== undefined);
    const prefix = marketPrefixOf(feed.publisher);
    this.#ledger = new GapLedger(store, prefix);
    const enter = (gap: Gap): void => this.#recorder.enter(gap);
    this.#gaps = new VenueGaps({ clock, prefix, enter, onGap: options.onGap });
    this.#recorder = new TickRecorder({
      ...options,
      candles: options.candles?.(prefix, (symbol) => this.#units.get(symbol)),
      venue: prefix,
      table: new TickTable(store, prefix),
      ledger: this.#ledger,
      recordCoins: () => [...this.#followed.keys()].toSorted().join(','),
      onLate: this.#gaps.show,
      isSplit: this.#units.isSplit,
      connectedSpan: () => {
        const { fromMs } = this.#span;
        return fromMs === 0 ? undefined : { fromMs, toMs: Math.max(fromMs, this.#releasedUntilMs()) };
      },
    });
    this.#awaited = new AwaitedMarkets({
      clock,
      enter,
      report: this.#gaps.report,
      onContinued: (symbol, toMs, { fromMs, reason, isCounted = false }) =>
        this.#followed
          .get(symbol)
          ?.tape.outage({ fromMs, toMs, reason, isUncounted: !isCounted, enteredFromMs: fromMs }),
    });
    this.#steps = onClockStep(clock, (fromMs, toMs) => this.#clockStepped(fromMs, toMs));
    this.opened = this.#openPatiently();
  }

  /** Up to when the feed was recorded before this process; absent when it never was, and before it is read. */
  get lastRecordedMs(): number | undefined {
    return this.#lastRecordedMs;
  }

  async #openPatiently(): Promise<void> {
    const { feed, clock, log } = this.#options;
    const { signal } = this.#stopping;
    let waitMs = OPEN_RETRY_MS.first;
    let loggedMs = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      try {
        await this.#open();
        return feed.report?.(undefined);
      } catch (error) {
        // Permanent errors must surface, not be retried forever.
        if (!(error instanceof Failure)) throw error;
        feed.report?.(error.message);
        if (clock.now() - loggedMs >= LOG_EVERY_MS) {
          loggedMs = clock.now();
          log.error({ err: error, venue: feed.publisher.id }, 'the tape of a venue cannot be read yet');
        }
        await sleep(clock, waitMs, signal).catch(() => undefined);
        waitMs = Math.min(2 * waitMs, OPEN_RETRY_MS.most);
      }
    }
  }

  async #open(): Promise<void> {
    const { store, clock, feed } = this.#options;
    const prefix = marketPrefixOf(feed.publisher);
    const last = await recordedSpan(this.#ledger, new TickTable(store, prefix), clock.now());
    for (const market of await new MarketTable(store).all())
      if (venueOf(market.id) === prefix) this.#units.restore(market);
    this.#before.clear();
    for (const trade of await this.#recorder.restore()) {
      const before = this.#before.get(trade.coin);
      if (before) before.push(trade);
      else this.#before.set(trade.coin, [trade]);
    }
    this.#unfilled = await unfilledGaps(this.#ledger, this.#before.keys(), clock.now());
    this.#downSinceMs = last?.to;
    this.#lastRecordedMs = last?.to;
    this.#recorded = new Set(last?.recordCoins?.match(/[^,]+/g));
    this.#recordedBefore = this.#recorded;
    await this.#takeUpAll();
    this.#isOpen = true;
    this.update();
  }

  listed(markets: readonly Market[]): void {
    this.#listed = markets;
    this.update();
  }

  /** Chooses the recorded markets again. */
  update(): void {
    const { feed, choose, onFollowed } = this.#options;
    if (!this.#isOpen) return;
    const listed = choose(feed.publisher, this.#listed);
    const chosen = new Map(listed.map((market) => [market.symbol, this.#joined(market)]));
    const left = [...this.#followed.keys()].filter((symbol) => !chosen.has(symbol));
    const added = [...chosen.values()].filter(({ symbol }) => !this.#followed.has(symbol));
    const isOther = left.length + added.length > 0;
    const terms = listed.map(({ symbol, tick, contractSize, scale }) =>
      [symbol, tick, contractSize, scale].join(' '),
    );
    if (!isOther && terms.join() === this.#terms) return;
    this.#terms = terms.join();
    for (const symbol of left) this.#leave(symbol);
    for (const [symbol, market] of chosen) {
      this.#units.keep(market);
      const followed = this.#followed.get(symbol);
      if (followed) followed.market = market;
    }
    for (const market of added) this.#follow(market);
    if (this.#isUp && isOther) {
      const fromMs = this.#span.beginNext();
      const awaited = { fromMs, reason: 'the market was not recorded yet', isContinued: false };
      for (const { symbol } of added) this.#awaited.add(symbol, awaited);
    }
    feed.follow([...chosen.values()]);
    onFollowed([...chosen.values()]);
  }

  /** A listed market, whose recorded trades keep their unit. */
  #joined(market: Market): Market {
    const { symbol } = market;
    const newestTs = this.#before.get(symbol)?.at(-1)?.ts ?? 0;
    return this.#units.joined(market, Math.max(newestTs, this.#known.get(symbol)?.lastTs ?? 0));
  }

  /**
   * For a standby that takes over: since when the trades of each market arrive; `undefined` if they do not yet. A
   * market followed only since the feed is up lacks some.
   */
  receivedFrom(fromMsOf: (symbol: string) => number | undefined): void {
    const upMs = this.#firstUpMs;
    if (upMs === undefined) return;
    const reason = 'the market was not followed yet by the ingester that took over';
    for (const [symbol, { tape }] of this.#followed) {
      const receivedFromMs = fromMsOf(symbol);
      if (receivedFromMs !== undefined && receivedFromMs <= upMs) continue;
      const isContinued = this.#lastRecordedMs !== undefined && this.#recordedBefore.has(symbol);
      const fromMs = isContinued ? (this.#lastRecordedMs ?? upMs) : upMs;
      if (isContinued && receivedFromMs !== undefined) tape.outage({ fromMs, toMs: receivedFromMs, reason });
      else {
        this.#awaited.add(symbol, { fromMs, reason, isContinued, isCounted: tape.isCounting });
        if (receivedFromMs !== undefined) this.#awaited.end([symbol], receivedFromMs);
      }
    }
  }

  readonly receive = (event: FeedEvent): void => {
    if (event.type === 'feed') return event.kind === 'up' ? this.#comeUp(event) : this.#goDown(event);
    if (event.type === 'carried') return this.#awaited.end(event.topics, event.atMs + this.#span.behindMs);
    if (event.type === 'refused') return this.#unread(event.atMs);
    if (event.type !== 'frame' || event.frame.kind !== 'marketTrades') return;
    const { frame, receivedAtMs } = event;
    const { trades, isBackfill } = frame;
    if (frame.refused && frame.refused.length > 0) this.#unread(receivedAtMs);
    if (this.#span.receive(trades, isBackfill, receivedAtMs)) this.#beginAt(receivedAtMs);
    eachSymbol(trades, (symbol, own) => this.#followed.get(symbol)?.tape.add(own, isBackfill, receivedAtMs));
  };

  async stop(): Promise<void> {
    this.#steps.cancel();
    this.#awaited.stop();
    this.#stopping.abort(new Error('the service stops'));
    await this.opened.catch(() => undefined);
    for (const { tape } of this.#followed.values()) tape.stop();
    this.#gaps.stop();
    await this.#recorder.stop();
  }

  #follow(market: Market): void {
    const { feed, clock, onTrade } = this.#options;
    const { symbol, restSymbol } = market;
    const before = this.#known.get(symbol);
    const known = before ?? new CoinTape(market.venue);
    const tape = new MarketTape({
      known,
      market: { symbol, ...(restSymbol !== undefined && { restSymbol }) },
      feed: feed.feed,
      clock,
      release: (trade) => {
        this.#recorder.add(trade);
        onTrade(followed.market, trade);
        followed.newest = trade;
      },
      onGap: this.#gaps.report,
      ...(feed.past && { past: feed.past }),
    });
    // A market that was not recorded in between starts again: trades of that time are not a gap of the tape.
    const isContinued = this.#downSinceMs !== undefined && this.#recorded.has(symbol);
    this.#takeUp(market);
    this.#known.set(symbol, known);
    tape.restore(this.#before.get(symbol) ?? [], isContinued);
    if (isContinued && !before) tape.resume(this.#unfilled.get(symbol) ?? []);
    const followed: Followed = { market, tape, newest: undefined };
    this.#followed.set(symbol, followed);
  }

  /** Takes up the markets one at a time: a lease is to be renewed meanwhile. */
  async #takeUpAll(): Promise<void> {
    const { feed, choose, published } = this.#options;
    if (!published) return;
    for (const market of choose(feed.publisher, this.#listed)) {
      this.#takeUp(market);
      await nextTurn();
    }
  }

  /** Records what the previous ingester published of a market but did not record. */
  #takeUp(market: Market): void {
    const { published: publishedSince, onTakenUp } = this.#options;
    const { symbol } = market;
    if (this.#takenUp.has(symbol)) return;
    this.#takenUp.add(symbol);
    const sinceMs = this.#lastRecordedMs === undefined ? 0 : this.#lastRecordedMs - SEAM_MS;
    const published = publishedSince?.(market, sinceMs) ?? [];
    if (published.length === 0) return;
    const recorded = this.#before.get(symbol) ?? [];
    const unrecorded = unrecordedOf(published, recorded);
    for (const trade of unrecorded) this.#recorder.add(trade);
    this.#before.set(symbol, [...recorded, ...unrecorded]);
    onTakenUp?.(market, published);
  }

  #leave(symbol: string): void {
    const followed = this.#followed.get(symbol);
    // An outage that no trade has followed is not reported yet, whether the feed is up again or not.
    const outageFromMs = (followed?.tape.outageFromMs ?? Infinity) - FLIGHT_MS;
    const fromMs = Math.min(this.#isUp ? this.#span.flightFromMs : Infinity, outageFromMs);
    if (fromMs < Infinity) this.#enterEnd(symbol, fromMs, this.#span.lastReceivedMs);
    followed?.tape.stop();
    if (followed?.newest) this.#before.set(symbol, [followed.newest]);
    this.#followed.delete(symbol);
    this.#awaited.leave(symbol);
  }

  /** The last trades of a market that is no longer recorded may have been in flight: no later one shows it. */
  #enterEnd(coin: string, from: number, untilMs: number): void {
    const to = Math.max(from, untilMs) + 1;
    this.#gaps.report({ coin, from, to, state: 'partial', method: 'socket', reason: LEFT });
  }

  /** Until when every trade that was received is released: those that wait for a refill are on no tape yet. */
  #releasedUntilMs(): number {
    let untilMs = this.#span.completeUntilMs();
    for (const { tape } of this.#followed.values()) untilMs = Math.min(untilMs, tape.heldSinceMs ?? untilMs);
    return untilMs;
  }

  get #isCounted(): boolean {
    return this.#options.feed.feed.ids.counted !== undefined;
  }

  /** The clock was set forward: nothing was received in between, or with wrong times. */
  #clockStepped(fromMs: number, toMs: number): void {
    if (!this.#isUp || toMs <= fromMs) return;
    this.#goDown({ lastReceivedMs: fromMs });
    this.#downReason = 'the clock was set forward, or the machine was suspended';
    this.#comeUp({ atMs: toMs });
  }

  #comeUp({ atMs, awaiting = [] }: Pick<FeedChange, 'atMs' | 'awaiting'>): void {
    const fromMs = this.#downSinceMs ?? atMs;
    this.#isUp = true;
    this.#firstUpMs ??= atMs;
    this.#downSinceMs = undefined;
    this.#span.begin(atMs);
    for (const symbol of this.#recorded)
      if (!this.#followed.has(symbol)) this.#enterEnd(symbol, fromMs - FLIGHT_MS, fromMs);
    const awaited = new Set(awaiting);
    for (const [symbol, { tape }] of this.#followed) {
      const isContinued = fromMs < atMs && this.#recorded.has(symbol);
      const reason = isContinued ? this.#downReason : 'the market was not subscribed to yet';
      const sinceMs = Math.min(isContinued ? fromMs : atMs, this.#awaited.get(symbol)?.fromMs ?? Infinity);
      const isCounted = tape.isCounting;
      if (awaited.has(symbol))
        this.#awaited.add(symbol, {
          fromMs: sinceMs,
          reason,
          isContinued: isContinued || isCounted,
          isCounted,
        });
      else if (isContinued) tape.outage({ fromMs: sinceMs, toMs: atMs, reason });
    }
  }

  #goDown({ lastReceivedMs }: Pick<FeedChange, 'lastReceivedMs'>): void {
    this.#isUp = false;
    this.#downSinceMs = this.#span.completeUntilMs(lastReceivedMs);
    this.#downReason = 'no socket to the venue was up';
    this.#recorded = new Set(this.#followed.keys());
  }

  /** Something could not be read. Where trades are counted, the count shows whether any is missing. */
  #unread(atMs: number): void {
    if (this.#isCounted || !this.#isUp) return;
    this.#gaps.unread(this.#followed.keys(), this.#span.completeUntilMs(), atMs + 1 + this.#span.behindMs);
  }

  /**
   * The first live trade has arrived. If our clock is behind, it was made after the feed connected; numbers show that
   * as well.
   */
  #beginAt(receivedAtMs: number): void {
    const { fromMs: from, behindMs } = this.#span;
    if (behindMs === 0) return;
    const gap = { from, to: receivedAtMs + behindMs, state: 'partial', method: 'socket' } as const;
    for (const [symbol, { tape }] of this.#followed)
      if (!tape.isCounting && !this.#awaited.get(symbol))
        this.#gaps.report({ coin: symbol, ...gap, reason: BEHIND });
  }
}
