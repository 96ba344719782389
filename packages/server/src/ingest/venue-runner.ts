import { onClockSetBack, type Timer } from '@crosstape/core';
import { type Connector, type Feed, type Listed, marketsOf, type Publisher } from '@crosstape/venues';
import type { Unsubscribe } from '../platform/bus.ts';
import { demandTopic, followTopic, renewTopic, snapshotTopic } from '../topics.ts';
import { MarketBookFeed } from './book-feed.ts';
import { CandleClient } from './candle-client.ts';
import { boundCoins } from './coin-bound.ts';
import type { EngineOptions } from './engine.ts';
import type { FeedSink } from './feed-sink.ts';
import { frameInCoinUnits } from './in-coin-units.ts';
import { MarketFeed } from './market-feed.ts';
import { OptionTradesClient } from './option-trades-client.ts';
import type { PrimaryCoins } from './primary-coins.ts';
import { SampleClient } from './sample-client.ts';
import { type ListTable, listTables, VenueFeeds } from './venue-feeds.ts';
import { VenuePollers } from './venue-pollers.ts';
import { setUpVenue, type SharedState, type VenueSetup } from './venue-setup.ts';

/** Feeds wait this long for the venue's list of instruments, which their parsers need, before they start without. */
const FEED_WAIT_MS = 5_000;

/** Runs the connector of one venue. */
export class VenueRunner {
  readonly #setup: VenueSetup;
  readonly #feeds: VenueFeeds;
  readonly #pollers: VenuePollers;
  readonly #bookFeed: MarketBookFeed | undefined;
  readonly #marketFeed: MarketFeed | undefined;
  readonly #candles: CandleClient | undefined;
  readonly #histories: readonly SampleClient[];
  readonly #optionTrades: OptionTradesClient | undefined;
  readonly #unsubscribe: readonly Unsubscribe[];
  readonly #setBack: Timer;
  readonly #waiting: Timer;

  constructor(publisher: Publisher, connector: Connector, shared: SharedState, options: EngineOptions) {
    const setup = setUpVenue(publisher, connector, shared, options);
    this.#setup = setup;
    const { clock, kept, fills, onCandles, onHistory, onOptionTrades } = options;
    this.#setBack = onClockSetBack(clock, () => setup.tables.notAfter(clock.now()));
    this.#feeds = new VenueFeeds(setup, sinkOf(setup, options.sink));
    this.#pollers = new VenuePollers(setup, {
      kept,
      onTickers: (rows, atMsOf) => this.#feeds.polled(rows, atMsOf),
    });
    this.#bookFeed = openBookFeed(setup, options);
    this.#marketFeed = openMarketFeed(setup, options);
    this.#candles = openCandles(setup);
    if (this.#candles) onCandles?.(this.#candles);
    if (setup.isPrimary) fills?.reportTo(setup.health.source('node-fills', []));
    this.#histories = openHistories(setup);
    for (const history of this.#histories) onHistory?.(history);
    this.#optionTrades = openOptionTrades(setup);
    if (this.#optionTrades) onOptionTrades?.(this.#optionTrades);
    this.#unsubscribe = this.#subscribe(options);
    this.#waiting = clock.after(FEED_WAIT_MS, () => this.#list('instruments', []));
    this.#pollers.start();
  }

  /** Starts polling sources that only one of several engines may poll. */
  begin(): void {
    this.#pollers.begin();
  }

  async stop(): Promise<void> {
    const { client, health, agent } = this.#setup;
    this.#waiting.cancel();
    this.#setBack.cancel();
    for (const leave of this.#unsubscribe) leave();
    const markets = [this.#marketFeed, this.#bookFeed, this.#candles, ...this.#histories];
    const parts = [this.#pollers, this.#feeds, this.#optionTrades, ...markets];
    await Promise.all([client.close(), ...parts.map((part) => part?.stop())]);
    health.stop();
    agent?.destroy();
  }

  #subscribe({ bus }: EngineOptions): readonly Unsubscribe[] {
    const { publisher, connector } = this.#setup;
    return [
      bus.subscribe(demandTopic, (demand) => {
        if (demand.venue === publisher.id) this.#pollers.want(demand);
      }),
      bus.subscribe(followTopic, ({ venue, feed, coins }) => {
        if (venue !== publisher.id) return;
        if (feed === connector.marketBooks?.name) this.#bookFeed?.follow(coins);
        this.#feeds.follow(feed, coins);
      }),
      bus.subscribe(renewTopic, ({ venue, feed, topics }) => {
        if (venue === publisher.id) this.#feeds.renew(feed, topics);
      }),
      ...listTables.map((table) =>
        bus.subscribe(snapshotTopic(publisher.id, table), ({ rows }) => this.#list(table, rows)),
      ),
    ];
  }

  #list(table: ListTable, rows: readonly Listed[]): void {
    if (table === 'instruments') this.#waiting.cancel();
    const { publisher, tables, coins } = this.#setup;
    const markets = this.#marketFeed || this.#bookFeed ? marketsOf(publisher, tables.known, coins) : [];
    this.#marketFeed?.listed(markets);
    this.#bookFeed?.listed(markets);
    this.#feeds.list(table, rows);
  }
}

function sinkOf({ publisher, isPrimary, coins, polling }: VenueSetup, sink: FeedSink): FeedSink {
  return boundCoins(isPrimary ? sink : inPrimaryCoins(sink, coins), {
    onRefused: () =>
      polling.warn('too many coins', { venue: publisher.id }, 'a feed names more coins than are kept'),
  });
}

/** Converts the events of a venue with its own coins and units. */
function inPrimaryCoins(sink: FeedSink, coins: PrimaryCoins): FeedSink {
  return (event) => {
    if (event.type !== 'frame' && event.type !== 'refilled') return sink(event);
    sink({ ...event, frame: frameInCoinUnits(event.frame, (base) => coins.match(base)) });
  };
}

function meterOf({ health }: VenueSetup, { name }: Feed) {
  return { openMeter: () => health.source(name, [name]) };
}

function openBookFeed(setup: VenueSetup, { books: open }: EngineOptions): MarketBookFeed | undefined {
  const { publisher, sockets, connector } = setup;
  const feed = connector.marketBooks;
  if (!open || !feed) return undefined;
  return new MarketBookFeed({ publisher, open, group: { ...sockets, ...meterOf(setup, feed), feed } });
}

function openMarketFeed(setup: VenueSetup, { markets: open }: EngineOptions): MarketFeed | undefined {
  const { publisher, sockets, connector, health, polling } = setup;
  const feed = connector.marketTrades;
  if (!open || !feed) return undefined;
  return new MarketFeed({
    publisher,
    open,
    group: { ...sockets, ...meterOf(setup, feed), feed },
    openRecordMeter: () => health.source('market-record', []),
    polling: { ...polling, openMeter: () => health.source('past-trades', []) },
  });
}

function openCandles({ publisher, connector, polling, health }: VenueSetup): CandleClient | undefined {
  const { candles, limits } = connector;
  return (
    candles &&
    new CandleClient({
      ...polling,
      publisher,
      candles,
      weightPerMinute: limits.weightPerMinute,
      openMeter: () => health.source('candles', []),
    })
  );
}

function openHistories({ publisher, connector, polling, health }: VenueSetup): readonly SampleClient[] {
  const { histories = [], limits } = connector;
  return histories.map(
    (samples) =>
      new SampleClient({
        ...polling,
        publisher,
        samples,
        weightPerMinute: limits.weightPerMinute,
        openMeter: () => health.source(samples.name, []),
      }),
  );
}

function openOptionTrades({
  publisher,
  connector,
  polling,
  health,
}: VenueSetup): OptionTradesClient | undefined {
  const trades = connector.optionTrades;
  return (
    trades &&
    new OptionTradesClient({
      ...polling,
      publisher,
      trades,
      openMeter: () => health.source(trades.name, []),
    })
  );
}
