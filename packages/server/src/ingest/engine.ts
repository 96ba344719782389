import type { Clock, Random } from '@crosstape/core';
import type { Connector, Venue } from '@crosstape/venues';
import { HttpsProxyAgent } from 'https-proxy-agent';
import type { Bus } from '../platform/bus.ts';
import type { JobRunner } from '../platform/jobs.ts';
import { type Log, warnOnce } from '../platform/log.ts';
import { demandTopic, snapshotTopic } from '../topics.ts';
import { FeedGroup } from './feed-group.ts';
import type { FeedSink } from './feed-sink.ts';
import { HttpClient } from './http-client.ts';
import { Poller } from './poller.ts';
import { VenueGate } from './venue-gate.ts';
import { VenueHealth } from './venue-health.ts';

export interface EngineOptions {
  readonly venues: readonly Venue[];
  /** Where a venue is to be found: its own addresses, or a simulator's. */
  readonly originsOf: (venue: Venue, connector: Connector) => Connector['origins'];
  readonly bus: Bus;
  readonly clock: Clock;
  readonly random: Random;
  readonly jobs: JobRunner;
  readonly log: Log;
  readonly sink: FeedSink;
  /** URL of an outbound HTTP proxy. */
  readonly proxy?: string;
}

export interface Engine {
  /** Closes every connection; nothing is published afterwards. */
  stop(): Promise<void>;
}

/** Runs the connectors of all venues: resources to the bus as snapshots, feeds to the sink, health of both to the bus. */
export function startEngine(options: EngineOptions): Engine {
  const running = options.venues.flatMap((venue) =>
    venue.connector ? [startVenue(venue, venue.connector, options)] : [],
  );
  return {
    stop: async () => {
      await Promise.all(running.map((venue) => venue.stop()));
    },
  };
}

function startVenue(venue: Venue, connector: Connector, options: EngineOptions): Engine {
  const { bus, clock, random, jobs, log, sink, proxy } = options;
  const origins = options.originsOf(venue, connector);
  const gate = new VenueGate({ connector, clock, random });
  const health = new VenueHealth({ venue: venue.id, bus, clock, log });
  const warn = warnOnce(log);
  const client = new HttpClient({
    origin: origins.rest,
    gate,
    requestsInFlight: connector.limits.requestsInFlight,
    clock,
    random,
    ...(proxy === undefined ? {} : { proxy }),
  });
  const pollers = connector.resources.map(
    (resource) =>
      new Poller({
        venue: venue.id,
        resource,
        client,
        jobs,
        clock,
        random,
        warn,
        openMeter: () => health.source(resource.name, resource.gives),
        publish: (harvest, fetchedAtMs) => {
          for (const table of resource.gives) {
            const rows = harvest[table];
            if (!rows) continue;
            const snapshot = { venue: venue.id, rows, fetchedAtMs, everyMs: resource.everyMs };
            bus.publish(snapshotTopic(venue.id, table), snapshot);
          }
        },
      }),
  );
  const agent = proxy === undefined ? undefined : new HttpsProxyAgent(proxy);
  const groups = connector.feeds.map(
    (feed) =>
      new FeedGroup({
        venue: venue.id,
        feed,
        origin: origins.ws,
        gate,
        clock,
        random,
        meter: health.source(feed.name, [feed.name]),
        warn,
        sink,
        ...(agent ? { agent } : {}),
      }),
  );

  const unsubscribe = [
    bus.subscribe(demandTopic, ({ venue: id, table }) => {
      if (id !== venue.id) return;
      for (const [i, resource] of connector.resources.entries()) {
        if (resource.gives.includes(table)) pollers[i]?.want();
      }
    }),
    bus.subscribe(snapshotTopic(venue.id, 'instruments'), ({ rows }) => {
      for (const group of groups) group.list(rows);
    }),
  ];
  for (const poller of pollers) poller.start();

  return {
    stop: async () => {
      for (const leave of unsubscribe) leave();
      await Promise.all([client.close(), ...[...pollers, ...groups].map((part) => part.stop())]);
      health.stop();
      agent?.destroy();
    },
  };
}
