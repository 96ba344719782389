import { type Clock, onClockSetBack, type ParsedTables, type Random, type TableName } from '@crosstape/core';
import {
  type Connector,
  type Feed,
  type Listed,
  marketsOf,
  type Publisher,
  type Resource,
} from '@crosstape/venues';
import { HttpsProxyAgent } from 'https-proxy-agent';
import type { Bus } from '../platform/bus.ts';
import type { JobRunner } from '../platform/jobs.ts';
import { type Log, warnOnce } from '../platform/log.ts';
import { demandTopic, followTopic, renewTopic, snapshotTopic } from '../topics.ts';
import { FeedGroup } from './feed-group.ts';
import { FeedRefill } from './feed-refill.ts';
import type { FeedSink } from './feed-sink.ts';
import type { NodeFills } from './fills/node-fills.ts';
import { MarketBookFeed, type OpenBooks } from './book-feed.ts';
import { MarketFeed, type OpenMarkets } from './market-feed.ts';
import { CandleClient, type CandleSource } from './candle-client.ts';
import { SampleClient, type SampleSource } from './sample-client.ts';
import { clientByOrigin } from './client-by-origin.ts';
import { boundCoins } from './coin-bound.ts';
import { fileClient } from './file-client.ts';
import { HttpClient } from './http-client.ts';
import { frameInCoinUnits } from './in-coin-units.ts';
import { type KeptAnswers, keeperOf } from './kept-answer.ts';
import { type ParseDetails, VenueTables, type TableSource } from './venue-tables.ts';
import { LookupPoller } from './lookup-poller.ts';
import { Poller } from './poller.ts';
import { PrimaryCoins } from './primary-coins.ts';
import { type Ban, VenueGate } from './venue-gate.ts';
import { VenueHealth } from './venue-health.ts';
import { QUOTES_PUBLISH_MS, VenueQuotes } from './venue-quotes.ts';
import type { Wiretap } from './wiretap.ts';

/** Feeds wait this long for the venue's list of instruments, which their parsers need, before they start without. */
const FEED_WAIT_MS = 5_000;
/** The tables that list what feeds can subscribe to. */
const listTables = ['instruments', 'spotTickers'] as const;
type ListTable = (typeof listTables)[number];
/** The table that the feeds of quotes fill; they share its source's name. */
const quotesTable: TableSource = { name: 'quotes', gives: ['spotQuotes'], everyMs: QUOTES_PUBLISH_MS };

export interface EngineOptions {
  readonly venues: readonly Publisher[];
  /** Id of the venue whose tickers all others use. */
  readonly primaryVenue: string;
  /** Addresses of a venue: its own, or a simulator's. */
  readonly originsOf: (venue: Publisher) => Connector['origins'];
  readonly bus: Bus;
  readonly clock: Clock;
  readonly random: Random;
  readonly jobs: JobRunner;
  readonly log: Log;
  readonly sink: FeedSink;
  /** Recorder of the trades of other venues' markets; absent: none. */
  readonly markets?: OpenMarkets;
  /** Keeper of the order books of other venues' markets; absent: none. */
  readonly books?: OpenBooks;
  /** Called at the start with the candles of each venue that has any. */
  readonly onCandles?: (source: CandleSource) => void;
  /** The primary venue's fills as a node writes them; only their health is used here. */
  readonly fills?: Pick<NodeFills, 'reportTo'> | undefined;
  /** Called at the start with each history of open interest or funding. */
  readonly onHistory?: (source: SampleSource) => void;
  /** URL of an outbound HTTP proxy. */
  readonly proxy?: string;
  /** State that survives a restart. */
  readonly kept?: KeptAnswers;
  /**
   * With several engines on the same venues: resolves when this one publishes and has the previous one's state. Sources
   * that only one may poll are not polled before.
   */
  readonly turn?: Promise<void>;
  /** Receives a copy of everything on the wire. */
  readonly wiretap?: Wiretap;
}

/**
 * Whether only one of several engines polls it, because it allows few requests. A list of instruments is polled by all:
 * nothing else of its venue works without it.
 */
export function isPolledByOne({ retryMs, gives }: Resource): boolean {
  return retryMs !== undefined && !gives.includes('instruments');
}

export interface Engine {
  /** Closes every connection; nothing is published afterwards. */
  stop(): Promise<void>;
}

/** Runs the connectors of all venues: resources to the bus as snapshots, feeds to the sink, health of both to the bus. */
export function startEngine(options: EngineOptions): Engine {
  const { bus, clock, primaryVenue } = options;
  const coins = new PrimaryCoins({ venue: primaryVenue, bus, clock });
  const bans = new Map<string, Ban>();
  const running = options.venues.flatMap((venue) =>
    venue.connector ? [startVenue(venue, venue.connector, { coins, bans }, options)] : [],
  );
  let isStopped = false;
  const begin = (): void => {
    if (!isStopped) for (const venue of running) venue.begin();
  };
  if (options.turn) void options.turn.then(begin);
  else begin();
  return {
    stop: async () => {
      isStopped = true;
      await Promise.all(running.map((venue) => venue.stop()));
      coins.stop();
    },
  };
}

interface RunningVenue extends Engine {
  /** Starts polling sources that only one of several may poll. */
  begin(): void;
}

/** Shared by all venues. */
interface Shared {
  readonly coins: PrimaryCoins;
  /** By address. */
  readonly bans: Map<string, Ban>;
}

function startVenue(
  venue: Publisher,
  connector: Connector,
  { coins, bans }: Shared,
  options: EngineOptions,
): RunningVenue {
  const { bus, clock, random, jobs, log, primaryVenue, proxy, kept } = options;
  const isPrimary = venue.id === primaryVenue;
  const origins = options.originsOf(venue);
  const ban = bans.get(origins.rest) ?? { untilMs: 0, sinceMs: 0 };
  bans.set(origins.rest, ban);
  const gate = new VenueGate({ connector, clock, random, ban });
  const health = new VenueHealth({ venue: venue.id, bus, clock, log });
  const warn = warnOnce(log);
  // A publisher that is not a venue has no coins of its own, and waits for no list.
  const isMatched = !isPrimary && 'kind' in venue;
  const listers = connector.resources.flatMap(({ name, gives }) =>
    gives.includes('instruments') ? name : [],
  );
  const tables = new VenueTables({
    venue: venue.id,
    bus,
    clock,
    listers,
    ...(isMatched && { coins }),
  });
  const setBack = onClockSetBack(clock, () => tables.notAfter(clock.now()));
  // An answer stored from one address is not used for another.
  const addressOf = ({ request: { origin, path } }: Resource): string =>
    origin === undefined ? '' : ` ${origin}${path}`;
  const known = (): typeof tables.known => tables.known;
  const tap = options.wiretap?.venue(venue.id);
  const client = clientByOrigin(origins.rest, (origin) =>
    origin.startsWith('file:')
      ? fileClient(clock)
      : new HttpClient({
          origin,
          // An explicit address overrides the fallback.
          ...(origin === connector.origins.rest &&
            connector.otherRest && { otherOrigins: connector.otherRest }),
          gate,
          requestsInFlight: connector.limits.requestsInFlight,
          clock,
          random,
          tap,
          ...(proxy === undefined ? {} : { proxy }),
        }),
  );
  const polling = { venue: venue.id, client, gate, jobs, clock, random, warn, known };
  const partsOf = (source: TableSource) => ({
    openMeter: () => health.source(source.name, source.gives),
    publish: (parsed: ParsedTables, fetchedAtMs: number, details?: ParseDetails) => {
      tables.put(source, parsed, fetchedAtMs, details);
      const { times, checkedAtMs = fetchedAtMs } = details ?? {};
      quotes.polled(parsed.spotTickers ?? [], (i) => times?.spotTickers?.[i] ?? checkedAtMs);
      for (const poller of [...pollers, ...lookups]) poller.tablesChanged();
    },
  });
  const coveredBy = (resource: string | undefined, table: TableName | undefined) =>
    resource !== undefined && table !== undefined
      ? { covered: () => tables.freshSymbols(resource, table) }
      : {};
  const pollers = connector.resources.map(
    (resource) =>
      new Poller({
        ...polling,
        ...partsOf(resource),
        resource,
        isListed: () => tables.isListed,
        canListNothing: () => tables.canListNothing(resource.name),
        ...(kept && resource.retryMs !== undefined
          ? { keeper: keeperOf(kept, `${venue.id}:${resource.name}${addressOf(resource)}`) }
          : {}),
      }),
  );
  const lookups = (connector.lookups ?? []).map(
    (lookup) =>
      new LookupPoller({
        ...polling,
        ...partsOf(lookup),
        lookup,
        ...coveredBy(lookup.fallbackFor, lookup.gives[0]),
      }),
  );
  const agent = proxy === undefined ? undefined : new HttpsProxyAgent(proxy);
  const sink = boundCoins(isPrimary ? options.sink : inPrimaryCoins(options.sink, coins), {
    onRefused: () => warn('too many coins', { venue: venue.id }, 'a feed names more coins than are kept'),
  });
  const refills = connector.feeds.map(
    ({ name, refill }) =>
      refill &&
      new FeedRefill({
        ...polling,
        feed: name,
        refill,
        openMeter: () => health.source(refill.name, []),
        sink,
      }),
  );
  const quotes = new VenueQuotes({
    clock,
    isSubscribed: (symbol) => groups.some((group) => group.isSubscribed(symbol)),
    publish: (rows, newestMs) => tables.put(quotesTable, { spotQuotes: rows }, newestMs),
    renew: (symbol) => renew(quotesTable.name, [symbol]),
  });
  const groups = connector.feeds.map(
    (feed, i) =>
      new FeedGroup({
        venue: venue.id,
        feed,
        origin: origins.ws,
        gate,
        clock,
        random,
        openMeter: () => health.source(feed.name, [feed.name]),
        warn,
        sink:
          feed.name === quotesTable.name ? (event) => quotes.receive(event) : (refills[i]?.watched ?? sink),
        known,
        tap,
        ...(agent ? { agent } : {}),
      }),
  );

  const renew = (feed: string, topics: readonly string[]): void => {
    for (const [i, { name }] of connector.feeds.entries()) if (name === feed) groups[i]?.renew(topics);
  };
  const { marketTrades, marketBooks } = connector;
  const groupParts = { venue: venue.id, origin: origins.ws, gate, clock, random, warn, known, tap };
  const meterOf = ({ name }: Feed) => ({ openMeter: () => health.source(name, [name]) });
  const bookFeed =
    options.books &&
    marketBooks &&
    new MarketBookFeed({
      publisher: venue,
      open: options.books,
      group: { ...groupParts, ...meterOf(marketBooks), feed: marketBooks, ...(agent ? { agent } : {}) },
    });
  const marketFeed =
    options.markets &&
    marketTrades &&
    new MarketFeed({
      publisher: venue,
      open: options.markets,
      group: { ...groupParts, ...meterOf(marketTrades), feed: marketTrades, ...(agent ? { agent } : {}) },
      openRecordMeter: () => health.source('market-record', []),
      polling: { ...polling, openMeter: () => health.source('past-trades', []) },
    });
  const candles =
    connector.candles &&
    new CandleClient({
      ...polling,
      publisher: venue,
      candles: connector.candles,
      weightPerMinute: connector.limits.weightPerMinute,
      openMeter: () => health.source('candles', []),
    });
  if (candles) options.onCandles?.(candles);
  if (isPrimary) options.fills?.reportTo(health.source('node-fills', []));
  const histories = (connector.histories ?? []).map(
    (samples) =>
      new SampleClient({
        ...polling,
        publisher: venue,
        samples,
        weightPerMinute: connector.limits.weightPerMinute,
        openMeter: () => health.source(samples.name, []),
      }),
  );
  for (const history of histories) options.onHistory?.(history);
  const unsubscribe = [
    bus.subscribe(demandTopic, ({ venue: id, table, keys, isOnce }) => {
      if (id !== venue.id) return;
      for (const [i, resource] of connector.resources.entries()) {
        if (resource.gives.includes(table)) pollers[i]?.want(isOnce);
      }
      for (const [i, lookup] of (connector.lookups ?? []).entries()) {
        if (lookup.gives.includes(table)) lookups[i]?.want(keys ?? []);
      }
    }),
    bus.subscribe(followTopic, ({ venue: id, feed, coins: followed }) => {
      if (id !== venue.id) return;
      if (feed === marketBooks?.name) bookFeed?.follow(followed);
      for (const [i, { name }] of connector.feeds.entries()) if (name === feed) groups[i]?.follow(followed);
    }),
    bus.subscribe(renewTopic, ({ venue: id, feed, topics }) => {
      if (id === venue.id) renew(feed, topics);
    }),
    ...listTables.map((table) =>
      bus.subscribe(snapshotTopic(venue.id, table), ({ rows }) => list(table, rows)),
    ),
  ];
  const list = (table: ListTable, rows: readonly Listed[]): void => {
    if (table === 'instruments') waiting.cancel();
    const markets = marketFeed || bookFeed ? marketsOf(venue, tables.known, coins) : [];
    marketFeed?.listed(markets);
    bookFeed?.listed(markets);
    for (const [i, { listedBy = 'instruments' }] of connector.feeds.entries())
      if (listedBy === table) groups[i]?.list(rows);
  };
  const waiting = clock.after(FEED_WAIT_MS, () => list('instruments', []));
  const isForOne = connector.resources.map(isPolledByOne);
  for (const poller of [...pollers.filter((_, i) => !isForOne[i]), ...lookups]) poller.start();

  return {
    begin: () => {
      for (const poller of pollers.filter((_, i) => isForOne[i])) poller.start();
    },
    stop: async () => {
      waiting.cancel();
      setBack.cancel();
      quotes.stop();
      for (const leave of unsubscribe) leave();
      const parts = [
        ...pollers,
        ...lookups,
        ...groups,
        ...refills,
        marketFeed,
        bookFeed,
        candles,
        ...histories,
      ];
      await Promise.all([client.close(), ...parts.map((part) => part?.stop())]);
      health.stop();
      agent?.destroy();
    },
  };
}

/** Converts the events of a venue with its own coins and units. */
function inPrimaryCoins(sink: FeedSink, coins: PrimaryCoins): FeedSink {
  return (event) => {
    if (event.type !== 'frame' && event.type !== 'refilled') return sink(event);
    sink({ ...event, frame: frameInCoinUnits(event.frame, (base) => coins.match(base)) });
  };
}
