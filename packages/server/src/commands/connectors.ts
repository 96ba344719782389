import { type Clock, positioningKey, positioningPeriods, type SourceHealth } from '@crosstape/core';
import {
  aggregatedVenues,
  type Connector,
  primaryVenue,
  type Publisher,
  type Resource,
} from '@crosstape/venues';
import { startEngine } from '../ingest/engine.ts';
import { isPolledByOne } from '../ingest/venue-pollers.ts';
import type { Wiretap } from '../ingest/wiretap.ts';
import type { Bus } from '../platform/bus.ts';
import { LocalBus } from '../platform/local-bus.ts';
import { createLog } from '../platform/log.ts';
import { systemRandom } from '../platform/random.ts';
import { systemClock } from '../platform/system-clock.ts';
import { startThreadJobs } from '../platform/thread-jobs.ts';
import { configuredPublishers } from '../roles/configured-publishers.ts';
import { Stops } from '../roles/role-dependencies.ts';
import { UsageError } from '../settings/read-settings.ts';
import type { Settings } from '../settings/settings.ts';
import { demandTopic, followTopic, healthTopic, NO_ANSWER_YET, snapshotTopic } from '../topics.ts';
import { chooseUpstream, originsOf } from '../upstream.ts';
import { MarketSources } from './market-sources.ts';

/** How often data on demand are requested again: more often than any of them expire. */
const DEMAND_EVERY_MS = 5_000;
/** Coins requested from sources that answer for one coin at a time. */
const COINS = ['BTC', 'ETH', 'SOL'];
const FOLLOWED_COINS = ['BTC'];
export const NOT_REQUESTED = 'not requested: few requests allowed, name it with --venues';

export interface ConnectorsOptions {
  readonly settings: Settings;
  /** Ids of venues and other publishers; default: all. The primary venue always runs: the others need its coins. */
  readonly only?: readonly string[] | undefined;
  /** Default: the system's. */
  readonly clock?: Clock;
}

type Connected = Publisher & { readonly connector: Connector };

/**
 * The connectors alone: no store, no API, every source requested as if by a client. Without a store, nothing is known of
 * the requests before the start: a source that allows few requests is not requested unless it is named.
 */
export interface Connectors {
  /** Their clock. */
  readonly clock: Clock;
  readonly bus: Bus;
  readonly publishers: readonly Connected[];
  /** Sources that allow few requests and are not requested, as in their health. */
  readonly notRequested: readonly string[];
  start(wiretap?: Wiretap): Promise<void>;
  /** Health of every source; one that has not been requested is idle. */
  health(): readonly SourceHealth[];
  stop(): Promise<void>;
}

export async function prepareConnectors({
  settings,
  only,
  clock: real = systemClock,
}: ConnectorsOptions): Promise<Connectors> {
  const log = createLog({ level: 'silent' });
  const all = configuredPublishers(settings);
  const isSim = settings.upstream === 'sim';
  const chosen = (only === undefined ? all : pick(all, only)).filter(isConnected);
  const isSpared = only === undefined && !isSim;
  const publishers = isSpared ? chosen.map(withoutRare) : chosen;
  const notRequested = isSpared ? chosen.flatMap(rareSourcesOf) : [];
  // The simulator must be requested explicitly: it never replaces the venues here.
  const upstream = await chooseUpstream({
    settings: { ...settings, upstream: isSim ? 'sim' : 'live' },
    primary: primaryVenue,
    isProduction: false,
    log,
    clock: real,
  });
  const clock = upstream.replay?.clock ?? real;
  const bus = new LocalBus(clock);
  const markets = new MarketSources({ settings, bus, clock, primaryCoin: 'BTC' });
  const stops = new Stops();
  stops.add(() => upstream.stop());
  return {
    clock,
    bus,
    publishers,
    notRequested,
    async start(wiretap) {
      const jobs = startThreadJobs();
      stops.add(() => jobs.stop());
      await upstream.replay?.begin();
      const engine = startEngine({
        venues: publishers,
        primaryVenue: primaryVenue.id,
        originsOf: (venue) => originsOf(upstream, settings, venue),
        bus,
        clock,
        random: systemRandom(),
        jobs,
        log,
        sink: () => {},
        ...markets.parts,
        ...(wiretap && { wiretap }),
        ...(settings.proxy === undefined || isSim ? {} : { proxy: settings.proxy }),
      });
      stops.add(() => engine.stop());
      stops.add(() => markets.stop());
      const demand = (): void => {
        for (const publisher of publishers) demandAll(bus, publisher);
        markets.demand();
      };
      demand();
      const demanding = clock.every(DEMAND_EVERY_MS, demand);
      stops.add(() => demanding.cancel());
    },
    health: () =>
      publishers.flatMap((publisher) => {
        const asked = bus.latest(healthTopic(publisher.id))?.message ?? [];
        const names = new Set(asked.map(({ source }) => source));
        const idle = markets.expected(publisher).filter((source) => !names.has(source));
        return [...asked, ...idle.map((source) => idleHealth(publisher.id, source))];
      }),
    stop: () => stops.stop(),
  };
}

function idleHealth(venue: string, source: string): SourceHealth {
  const counters = { messages: 0, refused: 0, reconnects: 0 };
  return { source, venue, gives: [], status: 'down', error: NO_ANSWER_YET, sinceMs: 0, ...counters };
}

/** Publishers by id; a venue includes its parts with other addresses. */
function pick(all: readonly Publisher[], ids: readonly string[]): readonly Publisher[] {
  const unknown = ids.find((id) => !all.some((one) => one.id === id || one.venue === id));
  if (unknown !== undefined)
    throw new UsageError(`unknown venue ${unknown}; venues: ${all.map(({ id }) => id).join(', ')}`);
  return all.filter(
    ({ id, venue = id }) => id === primaryVenue.id || ids.includes(id) || ids.includes(venue),
  );
}

function isConnected(publisher: Publisher): publisher is Connected {
  return publisher.connector !== undefined;
}

function withoutRare(publisher: Connected): Connected {
  const { connector } = publisher;
  return {
    ...publisher,
    connector: { ...connector, resources: connector.resources.filter((one) => !isRare(one)) },
  };
}

function rareSourcesOf({ id, connector }: Connected): readonly string[] {
  return connector.resources.filter(isRare).map(({ name }) => `${id}:${name}`);
}

/** Files have no rate limit. */
function isRare(resource: Resource): boolean {
  return isPolledByOne(resource) && resource.request.origin?.startsWith('file:') !== true;
}

function demandAll(bus: Bus, { id, venue = id, connector }: Connected): void {
  const { resources, lookups = [], feeds } = connector;
  const keys = keysToAsk(bus, id, venue);
  for (const { gives } of [...resources, ...lookups].filter(({ polled }) => polled === 'demand'))
    for (const table of gives) bus.publish(demandTopic, { venue: id, table, keys });
  for (const { name: feed } of feeds.filter((one) => one.demand))
    bus.publish(followTopic, { venue: id, feed, coins: FOLLOWED_COINS });
}

/** Keys in every form that lookups use. Each lookup takes those that it can parse. */
function keysToAsk(bus: Bus, id: string, venue: string): readonly string[] {
  const instruments = bus.latest(snapshotTopic(id, 'instruments'))?.message.rows ?? [];
  const symbols = COINS.flatMap((coin) => instruments.find((one) => one.coin === coin)?.symbol ?? []);
  const [question] = bus.latest(snapshotTopic(venue, 'predictions'))?.message.rows ?? [];
  return [
    ...COINS,
    ...symbols,
    ...symbols.flatMap((symbol) =>
      positioningPeriods.flatMap((period) =>
        (['global', 'top'] as const).map((view) => positioningKey({ symbol, period, view })),
      ),
    ),
    ...(question?.outcomes.map(({ tokenId }) => tokenId) ?? []),
    ...aggregatedVenues.flatMap((one) => COINS.map((coin) => `${one}:${coin}`)),
  ];
}
