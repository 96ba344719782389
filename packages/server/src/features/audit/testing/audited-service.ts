import { type Clock, ManualClock, type MarketTrade, type VenueTrade } from '@crosstape/core';
import { type Simulator, startSimulator } from '@crosstape/simulator';
import { primaryVenue, type Publisher, readablePublishers } from '@crosstape/venues';
import { vi } from 'vitest';
import type { CandleSource } from '../../../ingest/candle-client.ts';
import type { Engine } from '../../../ingest/engine.ts';
import type { DataFrame, FeedEvent, FeedSink } from '../../../ingest/feed-sink.ts';
import { quiet } from '../../../ingest/testing/rig.ts';
import { startSimulatedEngine } from '../../../ingest/testing/simulated-engine.ts';
import { LocalBus } from '../../../platform/local-bus.ts';
import type { Store } from '../../../store/store.ts';
import { candlesTopic, seedingTopic } from '../../../topics.ts';
import { CandleLedger } from '../../candles/candle-ledger.ts';
import { openedMarkets } from '../../candles/opened-markets.ts';
import { type MarketRecording, startMarketRecording } from '../../market-tape/market-recording.ts';
import { GapLedger } from '../../tape/gap-ledger.ts';
import { type Recording, startRecording } from '../../tape/recording.ts';
import { TickTable } from '../../tape/tick-table.ts';
import { WhaleTable } from '../../whales/whale-table.ts';
import { HourlyAudit } from '../hourly-audit.ts';

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
/** Shorter than any silence that counts as an outage. */
const STEP_MS = 5_000;
const SLOW_STEP_MS = 10;
const UNTIL_MAX_MS = 120_000;
/** Share of the usual number of trades: faster, and every minute still has some. */
const RATE = 0.1;
const LIST_EVERY_MS = 3 * 3_600_000;
const times = { keptFromMs: () => undefined, retentionDays: 14 };
/** BTC on every venue. */
const patterns = [/:(pf_)?(xbt|btc)[-_/]?usdt?([-_]swap)?$/i];

/** Venues send accumulated data once per step: a tenth of the frames, and the same trades. */
function slowed(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    after: (delayMs, run) => clock.after(delayMs, run),
    every: (periodMs, run) => clock.every(Math.max(periodMs, STEP_MS), run),
  };
}

const lists = ['instruments', 'spotTickers'];

/** Venues without what the audit does not need: a week of polls would take hours. */
function onlyTrades({ connector, ...publisher }: Publisher): Publisher {
  if (!connector) throw new Error(`${publisher.id} cannot be read`);
  const { lookups: _, resources, feeds, ...rest } = connector;
  return {
    ...publisher,
    connector: {
      ...rest,
      resources: resources
        .filter(({ gives }) => gives.some((table) => lists.includes(table)))
        .map((resource) => ({ ...resource, everyMs: LIST_EVERY_MS })),
      feeds: feeds
        .filter(({ name }) => publisher.id === primaryVenue.id && name === 'trades')
        .map((feed) => ({ ...feed, topics: () => ['BTC'] })),
    },
  } as Publisher;
}

/** Every venue whose trades are recorded. */
export const recordedVenues: readonly Publisher[] = readablePublishers
  .filter(({ id, connector }) => id === primaryVenue.id || connector?.marketTrades)
  .map(onlyTrades);

type AnyTrade = VenueTrade | MarketTrade;
/** Changes the trades of a frame before they are recorded. */
export type Spoil = (trades: readonly AnyTrade[]) => readonly AnyTrade[];

/** A service that records BTC on every simulated venue and audits it, on a clock that the test advances. */
export class AuditedService {
  readonly clock: ManualClock;
  readonly #store: Store;
  readonly #venues: readonly Publisher[];
  /** By publisher. */
  readonly spoils = new Map<string, Spoil>();
  /** Minutes of the venue's trades that were spoiled, by publisher. */
  readonly spoiledMinutes = new Map<string, Set<number>>();
  readonly requests: { readonly venue: string; readonly atMs: number; readonly weight: number }[] = [];
  readonly #simulator: Simulator;
  #stops: (() => Promise<unknown>)[] = [];

  static async start(startMs: number, store: Store, venues: readonly Publisher[]): Promise<AuditedService> {
    const clock = new ManualClock(startMs);
    const sources = venues.map(({ id }) => id);
    const simulator = await startSimulator({ port: 0, seed: 7, rate: RATE, clock: slowed(clock), sources });
    return new AuditedService(clock, simulator, store, venues);
  }

  private constructor(clock: ManualClock, simulator: Simulator, store: Store, venues: readonly Publisher[]) {
    this.clock = clock;
    this.#store = store;
    this.#venues = venues;
    this.#simulator = simulator;
  }

  get faults(): Simulator['faults'] {
    return this.#simulator.faults;
  }

  async start(): Promise<void> {
    const { clock } = this;
    const store = this.#store;
    const bus = new LocalBus(clock);
    bus.publish(seedingTopic, { isDone: true, progress: 1 });
    const base = { clock, bus, log: silent, store, ...times };
    const candles = new CandleLedger({ ...base, candleDays: 14 });
    const marketsOf = openedMarkets({ store, bus, primaryVenue: primaryVenue.id });
    const audit = new HourlyAudit({ ...base, marketsOf, delayMs: 30_000 });
    const markets = startMarketRecording({
      ...base,
      choice: { patterns },
      primaryVenue: primaryVenue.id,
      onTrade: () => undefined,
      onGap: () => undefined,
      candles: (...venue) => candles.writer(...venue),
    });
    const recording = await startRecording({
      ...base,
      venue: primaryVenue.id,
      ticks: new TickTable(store),
      ledger: new GapLedger(store),
      whales: new WhaleTable(store),
      nowMs: () => clock.now(),
      recordCoins: 'BTC',
      candles: candles.writer(primaryVenue.id),
      onTrade: () => undefined,
    });
    candles.start();
    audit.start();
    const engine = this.#connect(bus, { audit, markets, recording });
    this.#stops = [
      () => engine.stop(),
      () => audit.stop(),
      () => recording.stop(),
      () => markets.stop(),
      () => candles.stop(),
    ];
    await this.passUntil(() => bus.latest(candlesTopic)?.message.isCaughtUp === true);
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) await stop();
  }

  async close(): Promise<void> {
    await this.stop();
    await this.#simulator.close();
  }

  /** Lets time pass. */
  async pass(forMs: number): Promise<void> {
    const endMs = this.clock.now() + forMs;
    while (this.clock.now() < endMs) {
      this.clock.advance(STEP_MS);
      await quiet(12);
    }
  }

  /** Advances time slowly until a condition is met: answers take real time, and must not time out. */
  async passUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
    await vi.waitUntil(
      () => {
        this.clock.advance(SLOW_STEP_MS);
        return condition();
      },
      { timeout: UNTIL_MAX_MS, interval: 5 },
    );
  }

  #connect(
    bus: LocalBus,
    {
      audit,
      markets,
      recording,
    }: {
      readonly audit: HourlyAudit;
      readonly markets: MarketRecording;
      readonly recording: Recording;
    },
  ): Engine {
    return startSimulatedEngine({
      url: this.#simulator.url,
      venues: this.#venues,
      bus,
      clock: this.clock,
      sink: this.#spoiled(primaryVenue.id, recording.receive),
      markets: (feed) => {
        if (feed.past && feed.feed.ids.counted !== undefined) audit.addPast(feed.publisher.id, feed.past);
        const receiver = markets.open(feed);
        return {
          receive: this.#spoiled(feed.publisher.id, receiver.receive),
          listed: (some) => receiver.listed(some),
        };
      },
      onCandles: (source) => audit.add(this.#counted(source)),
    });
  }

  #counted(source: CandleSource): CandleSource {
    const { publisher, candles, weightPerMinute } = source;
    return {
      publisher,
      candles,
      weightPerMinute,
      read: (span) => {
        const weight = candles.request(span).weight ?? candles.weight;
        this.requests.push({ venue: publisher.id, atMs: this.clock.now(), weight });
        return source.read(span);
      },
    };
  }

  #spoiled(venue: string, receive: FeedSink): FeedSink {
    return (event: FeedEvent) => {
      const spoil = this.spoils.get(venue);
      if (!spoil || event.type !== 'frame') return receive(event);
      const { frame } = event;
      if (frame.kind !== 'trades' && frame.kind !== 'marketTrades') return receive(event);
      const minutes = this.spoiledMinutes.get(venue) ?? new Set();
      this.spoiledMinutes.set(venue, minutes);
      for (const { venueTs } of frame.trades) minutes.add(venueTs - (venueTs % 60_000));
      receive({ ...event, frame: { ...frame, trades: spoil(frame.trades) } as DataFrame });
    };
  }
}
