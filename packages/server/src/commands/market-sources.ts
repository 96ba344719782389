import { type Clock, HOUR_MS, intervalStart, type Market, type MarketTrade } from '@crosstape/core';
import { primaryVenue, type Publisher, type SampleSpan, type TradeGap } from '@crosstape/venues';
import { type VenueInterval, venueIntervalsMs } from '@crosstape/venues';
import { MarketChooser } from '../features/market-tape/market-chooser.ts';
import { startMarketBooks } from '../features/orderbook/market-books.ts';
import type { OpenBookFeed } from '../ingest/book-feed.ts';
import type { CandleSource } from '../ingest/candle-client.ts';
import type { EngineOptions } from '../ingest/engine.ts';
import type { FeedSink } from '../ingest/feed-sink.ts';
import type { OpenMarketFeed } from '../ingest/market-feed.ts';
import type { OptionTradeSource } from '../ingest/option-trades-client.ts';
import type { SampleSource } from '../ingest/sample-client.ts';
import type { Bus } from '../platform/bus.ts';
import { isPrimaryOnly, type MarketChoice } from '../platform/market-choice.ts';
import { readRecordMarkets } from '../settings/record-markets.ts';
import type { Settings } from '../settings/settings.ts';
import { followTopic } from '../topics.ts';

/** How often past trades are requested and a book starts again with a snapshot. */
const ROUND_MS = 60_000;
/** Span of past trades requested until two trades have been received. */
const PAST_MS = 10_000;
/** Candles requested, by interval. */
const CANDLES: Readonly<Record<VenueInterval, number>> = { '1m': 60, '1h': 3 };
const SAMPLES_MS = 48 * HOUR_MS;
const intervals: readonly VenueInterval[] = ['1m', '1h'];

export interface MarketSourcesOptions {
  readonly settings: Pick<Settings, 'recordMarkets'>;
  readonly bus: Bus;
  readonly clock: Clock;
  /** The primary venue's coin whose candles are requested. */
  readonly primaryCoin: string;
}

type Asked = Pick<Market, 'symbol' | 'restSymbol'>;

/** The sources of one publisher. */
interface VenueMarkets {
  readonly publisher: Publisher;
  feed?: OpenMarketFeed;
  books?: OpenBookFeed;
  candles?: CandleSource;
  readonly histories: SampleSource[];
  listed: readonly Market[];
  followed: readonly Market[];
  /** Symbols whose candles and samples were requested: each once. */
  readonly asked: Set<string>;
  /** For the first followed market: the first and last trade since the last call of `demand`. */
  first?: MarketTrade | undefined;
  last?: MarketTrade | undefined;
  roundMs: number;
}

/**
 * What the service reads of markets, without a store: the trades of those that it would record; the order book, candles
 * and samples of the first of them on each venue; and every minute its past trades.
 */
export class MarketSources {
  readonly #options: MarketSourcesOptions;
  readonly #choice: MarketChoice;
  readonly #chooser: MarketChooser;
  readonly #books: ReturnType<typeof startMarketBooks>;
  readonly #venues = new Map<string, VenueMarkets>();
  readonly #optionTrades: { readonly source: OptionTradeSource; askedMs: number }[] = [];
  /** A chain of requests. */
  #asking: Promise<unknown> = Promise.resolve();
  #isStopped = false;

  constructor(options: MarketSourcesOptions) {
    const { bus, clock, settings } = options;
    this.#options = options;
    this.#choice = readRecordMarkets(settings.recordMarkets) ?? { patterns: [] };
    this.#chooser = new MarketChooser({ choice: this.#choice, bus, primaryVenue: primaryVenue.id });
    this.#books = startMarketBooks({ clock, bus });
    this.#chooser.onOpenInterest(primaryVenue.id, () => {
      for (const venue of this.#venues.values()) this.#follow(venue);
    });
  }

  /** Options of the engine. */
  get parts(): Pick<EngineOptions, 'markets' | 'books' | 'onCandles' | 'onHistory' | 'onOptionTrades'> {
    const onCandles = (source: CandleSource): void => {
      this.#venue(source.publisher).candles = source;
    };
    const onHistory = (source: SampleSource): void => {
      this.#venue(source.publisher as Publisher).histories.push(source);
    };
    const onOptionTrades = (source: OptionTradeSource): void => {
      this.#optionTrades.push({ source, askedMs: this.#options.clock.now() - ROUND_MS });
    };
    const always = { onCandles, onHistory, onOptionTrades };
    if (isPrimaryOnly(this.#choice)) return always;
    return {
      ...always,
      markets: (feed) => {
        const venue = this.#venue(feed.publisher);
        venue.feed = feed;
        this.#chooser.onOpenInterest(feed.publisher.id, () => this.#follow(venue));
        return {
          receive: this.#receiver(venue),
          listed: (markets) => {
            venue.listed = markets;
            this.#follow(venue);
          },
        };
      },
      books: (feed) => {
        this.#venue(feed.publisher).books = feed;
        return this.#books.open(feed);
      },
    };
  }

  /** Names of the requested sources, as in their health. */
  expected({ id, connector }: Publisher): readonly string[] {
    const { marketTrades, marketBooks, candles, histories = [], optionTrades } = connector ?? {};
    const recorded = isPrimaryOnly(this.#choice) ? [] : [marketTrades, marketTrades?.past, marketBooks];
    const isAsked = recorded.length > 0 || id === primaryVenue.id;
    const named = [...recorded, ...(isAsked ? [candles, ...histories] : []), optionTrades];
    return named.flatMap((source) => (source ? `${id}:${source.name}` : []));
  }

  /** Call every few seconds: keeps demand alive. */
  demand(): void {
    const { bus, clock, primaryCoin } = this.#options;
    this.#askOptionTrades();
    for (const venue of this.#venues.values()) {
      const { publisher, books, followed } = venue;
      const isPrimary = publisher.id === primaryVenue.id;
      const [market] = followed;
      if (isPrimary) this.#askOnce(venue, { symbol: primaryCoin });
      if (!market) continue;
      this.#askOnce(venue, market);
      if (books)
        bus.publish(followTopic, { venue: publisher.id, feed: books.feed.name, coins: [market.symbol] });
      if (clock.now() - venue.roundMs >= ROUND_MS) {
        if (Number.isFinite(venue.roundMs)) books?.renew(market.symbol);
        venue.roundMs = clock.now();
        void venue.feed?.past?.(this.#gap(venue, market)).catch(reported);
      }
      venue.first = venue.last;
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#chooser.stop();
    this.#books.stop();
  }

  #venue(publisher: Publisher): VenueMarkets {
    const known = this.#venues.get(publisher.id) ?? {
      publisher,
      histories: [],
      listed: [],
      followed: [],
      asked: new Set(),
      roundMs: Number.NEGATIVE_INFINITY,
    };
    this.#venues.set(publisher.id, known);
    return known;
  }

  #follow(venue: VenueMarkets): void {
    const { feed, publisher, listed } = venue;
    const chosen = this.#chooser.choose(publisher, listed);
    if (!feed || chosen.length === 0) return;
    venue.followed = chosen;
    feed.follow(chosen);
    this.demand();
  }

  #receiver(venue: VenueMarkets): FeedSink {
    return (event) => {
      if (event.type !== 'frame' || event.frame.kind !== 'marketTrades') return;
      const symbol = venue.followed[0]?.symbol;
      for (const trade of event.frame.trades) {
        if (trade.symbol !== symbol) continue;
        venue.first ??= trade;
        venue.last = trade;
      }
    };
  }

  /** Between two received trades, as the service requests; until there are two, of the last seconds. */
  #gap({ feed, first, last }: VenueMarkets, market: Market): TradeGap {
    const nowMs = this.#options.clock.now();
    if (!first || !last || first.tid === last.tid)
      return { market, afterMs: nowMs - PAST_MS, beforeMs: nowMs };
    const [after, before] = first.venueTs <= last.venueTs ? [first, last] : [last, first];
    const times = { market, afterMs: after.venueTs, beforeMs: before.venueTs };
    return feed?.feed.ids.counted === 'tid'
      ? { ...times, afterTid: after.tid, beforeTid: before.tid }
      : times;
  }

  /** Since the last time, and at first of the last minute. */
  #askOptionTrades(): void {
    const toMs = this.#options.clock.now();
    for (const one of this.#optionTrades) {
      const { source, askedMs: fromMs } = one;
      if (toMs - fromMs < ROUND_MS) continue;
      one.askedMs = toMs;
      for (const book of source.trades.books) this.#askInTurn(() => source.read({ book, fromMs, toMs }));
    }
  }

  #askOnce({ candles, histories, asked }: VenueMarkets, { symbol, restSymbol }: Asked): void {
    if (asked.has(symbol)) return;
    asked.add(symbol);
    const nowMs = this.#options.clock.now();
    const market = { symbol, ...(restSymbol !== undefined && { restSymbol }) };
    for (const interval of candles ? intervals : []) {
      const intervalMs = venueIntervalsMs[interval];
      const toMs = intervalStart(nowMs, intervalMs);
      const fromMs = toMs - CANDLES[interval] * intervalMs;
      this.#askInTurn(async () => candles?.read({ market, interval, fromMs, toMs }));
    }
    for (const source of histories.filter(({ samples }) => samples.covers?.(symbol) !== false)) {
      const toMs = intervalStart(nowMs, HOUR_MS);
      const forMs = Math.min(SAMPLES_MS, source.samples.spanMs);
      const span: SampleSpan = { market, fromMs: toMs - forMs, toMs };
      this.#askInTurn(() => source.read(span));
    }
  }

  /** One request at a time over all venues, like the service: a simulated venue makes candles from trades. */
  #askInTurn(read: () => Promise<unknown>): void {
    this.#asking = this.#asking.then(() => (this.#isStopped ? undefined : read())).catch(reported);
  }
}

/** Failures are in the health of their source. */
function reported(): void {}
