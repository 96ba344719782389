import type { Clock, Market, MarketTrade, Trade, MarketUnits } from '@crosstape/core';
import type { Publisher } from '@crosstape/venues';
import type { FeedChange, FeedEvent } from '../../ingest/feed-sink.ts';
import type { MarketReceiver, OpenMarketFeed } from '../../ingest/market-feed.ts';
import type { Log } from '../../platform/log.ts';
import type { Retention } from '../../platform/retention.ts';
import { venueOf } from '../../store/market-key.ts';
import type { Store } from '../../store/store.ts';
import { type Gap, GapLedger } from '../tape/gap-ledger.ts';
import { isRecordedBy } from '../tape/is-recorded-by.ts';
import { type CandleSink, TickRecorder, type TickRecorderOptions } from '../tape/tick-recorder.ts';
import { TickTable } from '../tape/tick-table.ts';
import { MarketTable } from './market-table.ts';
import { MarketTape } from './market-tape.ts';

/** A subscription takes no longer: until then, trades of a market that is newly followed may be missing. */
const SUBSCRIBE_MS = 5_000;

export interface VenueRecordingOptions {
  readonly feed: OpenMarketFeed;
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Store;
  readonly retentionDays: number;
  readonly keptFromMs: Retention;
  /** Which of the markets that the venue lists are recorded. */
  readonly choose: (publisher: Publisher, markets: readonly Market[]) => readonly Market[];
  /** Called with the markets that are recorded from now on. */
  readonly onFollowed: (markets: readonly Market[]) => void;
  readonly archive?: TickRecorderOptions['archive'];
  /** Gives the writer of the candles of markets with a prefix. */
  readonly candles?:
    | ((prefix: string, unitsOf: (symbol: string) => MarketUnits | undefined) => CandleSink)
    | undefined;
  /** Called with each trade that is released, in the venue's own unit. */
  readonly onTrade: (market: Market, trade: Trade) => void;
  /** Called with each gap that is entered in the ledger. */
  readonly onGap: (market: Market, gap: Gap) => void;
}

interface Followed {
  readonly market: Market;
  readonly tape: MarketTape;
}

/** Prefix of the ids of a venue's markets. */
function marketPrefixOf({ id, venue = id, ...publisher }: Publisher): string {
  return 'kind' in publisher && publisher.kind === 'spot' ? `${venue}-spot` : id;
}

/** Records the markets of one secondary venue: chooses them, keeps their tapes, and writes tapes and ledger. */
export class VenueRecording implements MarketReceiver {
  readonly #options: VenueRecordingOptions;
  readonly #ledger: GapLedger;
  readonly #recorder: TickRecorder;
  readonly #followed = new Map<string, Followed>();
  /** The newest trades by symbol: of an earlier process, and of markets that are no longer followed. */
  readonly #before = new Map<string, readonly Trade[]>();
  /** What sizes count, of every market that is or was recorded. */
  readonly #units = new Map<string, MarketUnits>();
  readonly #opened: Promise<void>;
  #isOpen = false;
  #listed: readonly Market[] = [];
  /** Until when the feed worked before the outage that is under way; absent while it is up, and before a first record. */
  #downSinceMs: number | undefined;
  #downReason = 'the service was not running';
  /** Symbols that were recorded when the outage began. */
  #wasRecorded: (symbol: string) => boolean = () => true;
  #isUp = false;
  #spanFromMs = 0;
  #lastReceivedMs = 0;

  constructor(options: VenueRecordingOptions) {
    const { feed, store } = options;
    this.#options = options;
    const prefix = marketPrefixOf(feed.publisher);
    this.#ledger = new GapLedger(store, prefix);
    this.#recorder = new TickRecorder({
      ...options,
      candles: options.candles?.(prefix, (symbol) => this.#units.get(symbol)),
      venue: prefix,
      table: new TickTable(store, prefix),
      ledger: this.#ledger,
      recordCoins: () => [...this.#followed.keys()].toSorted().join(','),
      connectedSpan: () =>
        this.#spanFromMs === 0
          ? undefined
          : { fromMs: this.#spanFromMs, toMs: Math.max(this.#spanFromMs, this.#lastReceivedMs) },
    });
    this.#opened = this.#open();
  }

  async #open(): Promise<void> {
    try {
      const last = await this.#ledger.lastSpan();
      const prefix = marketPrefixOf(this.#options.feed.publisher);
      for (const market of await new MarketTable(this.#options.store).all())
        if (venueOf(market.id) === prefix) this.#units.set(market.symbol, market);
      for (const trade of await this.#recorder.restore())
        this.#before.set(trade.coin, [...(this.#before.get(trade.coin) ?? []), trade]);
      this.#downSinceMs = last?.to;
      this.#wasRecorded = isRecordedBy(last?.recordCoins ?? '');
      this.#isOpen = true;
      this.update();
    } catch (error) {
      const { publisher } = this.#options.feed;
      this.#options.log.error({ err: error, venue: publisher.id }, 'the tape of a venue cannot be read');
    }
  }

  listed(markets: readonly Market[]): void {
    this.#listed = markets;
    this.update();
  }

  /** Chooses again what is recorded. */
  update(): void {
    const { feed, choose, onFollowed, clock } = this.#options;
    if (!this.#isOpen) return;
    const chosen = new Map(choose(feed.publisher, this.#listed).map((market) => [market.symbol, market]));
    const left = [...this.#followed.keys()].filter((symbol) => !chosen.has(symbol));
    const added = [...chosen.values()].filter(({ symbol }) => !this.#followed.has(symbol));
    if (left.length + added.length === 0) return;
    for (const symbol of left) this.#leave(symbol);
    for (const market of added) this.#follow(market);
    if (this.#isUp) {
      // Another set of markets is another span, which begins where the one before ends.
      const from = Math.max(this.#lastReceivedMs, this.#spanFromMs);
      const gap = { from, to: clock.now() + SUBSCRIBE_MS, state: 'missing', method: 'socket' } as const;
      for (const { symbol } of added)
        this.#recorder.enter({ coin: symbol, ...gap, reason: 'the market was not recorded yet' });
      this.#spanFromMs = from;
    }
    feed.follow([...chosen.values()]);
    onFollowed([...chosen.values()]);
  }

  readonly receive = (event: FeedEvent): void => {
    if (event.type === 'feed') return event.kind === 'up' ? this.#comeUp(event) : this.#goDown(event);
    if (event.type === 'refused') return this.#unread(event.atMs);
    if (event.type !== 'frame' || event.frame.kind !== 'marketTrades') return;
    const { trades, isBackfill, refused = [] } = event.frame;
    if (refused.length > 0) this.#unread(event.receivedAtMs);
    this.#lastReceivedMs = event.receivedAtMs;
    for (const own of bySymbol(trades))
      this.#followed.get(own[0]?.symbol ?? '')?.tape.add(own, isBackfill, event.receivedAtMs);
  };

  async stop(): Promise<void> {
    await this.#opened;
    for (const { tape } of this.#followed.values()) tape.stop();
    await this.#recorder.stop();
  }

  #follow(market: Market): void {
    const { feed, clock, onTrade, onGap } = this.#options;
    const { symbol, restSymbol } = market;
    this.#units.set(symbol, market);
    const tape = new MarketTape({
      market: { symbol, ...(restSymbol !== undefined && { restSymbol }) },
      venue: market.venue,
      feed: feed.feed,
      clock,
      release: (trade) => {
        this.#recorder.add(trade);
        onTrade(market, trade);
        this.#before.set(symbol, [trade]);
      },
      onGap: (gap) => {
        this.#recorder.enter(gap);
        onGap(market, gap);
      },
      ...(feed.past && { past: feed.past }),
    });
    // A market that was not recorded in between counts again: what it traded then is no gap of the tape.
    const isContinued = this.#downSinceMs !== undefined && this.#wasRecorded(symbol);
    tape.restore(this.#before.get(symbol) ?? [], isContinued);
    this.#followed.set(symbol, { market, tape });
  }

  #leave(symbol: string): void {
    this.#followed.get(symbol)?.tape.stop();
    this.#followed.delete(symbol);
  }

  #comeUp({ atMs }: FeedChange): void {
    const fromMs = this.#downSinceMs;
    this.#isUp = true;
    this.#downSinceMs = undefined;
    this.#spanFromMs = atMs;
    this.#lastReceivedMs = atMs;
    if (fromMs === undefined || fromMs >= atMs) return;
    for (const [symbol, { tape }] of this.#followed)
      if (this.#wasRecorded(symbol)) tape.outage({ fromMs, toMs: atMs, reason: this.#downReason });
  }

  #goDown({ lastReceivedMs }: FeedChange): void {
    this.#isUp = false;
    this.#downSinceMs = Math.max(lastReceivedMs, this.#spanFromMs);
    this.#downReason = 'no socket to the venue was up';
    const recorded = new Set(this.#followed.keys());
    this.#wasRecorded = (symbol) => recorded.has(symbol);
  }

  /** Something could not be read. Where trades are counted, the count shows whether any is missing. */
  #unread(atMs: number): void {
    if (this.#options.feed.feed.ids.counted !== undefined || !this.#isUp) return;
    const gap = { from: this.#lastReceivedMs, to: atMs + 1, state: 'partial', method: 'socket' } as const;
    for (const symbol of this.#followed.keys())
      this.#recorder.enter({ coin: symbol, ...gap, reason: 'frames of the venue could not be read' });
  }
}

function bySymbol(trades: readonly MarketTrade[]): Iterable<readonly MarketTrade[]> {
  const first = trades[0]?.symbol;
  if (trades.every(({ symbol }) => symbol === first)) return [trades];
  const groups = new Map<string, MarketTrade[]>();
  for (const trade of trades) {
    const group = groups.get(trade.symbol);
    if (group) group.push(trade);
    else groups.set(trade.symbol, [trade]);
  }
  return groups.values();
}
