import type { Connector, Publisher } from '@crosstape/venues';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { warnOnce } from '../platform/log.ts';
import { clientByOrigin } from './client-by-origin.ts';
import type { EngineOptions } from './engine.ts';
import type { FeedGroupOptions } from './feed-group.ts';
import { fileClient } from './file-client.ts';
import { HttpClient } from './http-client.ts';
import type { PrimaryCoins } from './primary-coins.ts';
import { type Ban, VenueGate } from './venue-gate.ts';
import { VenueHealth } from './venue-health.ts';
import { VenueTables } from './venue-tables.ts';

/** Shared by all venues. */
export interface SharedState {
  readonly coins: PrimaryCoins;
  /** By address. */
  readonly bans: Map<string, Ban>;
}

/** Shared by the pollers and feeds of one venue. */
export type VenueSetup = ReturnType<typeof setUpVenue>;

export function setUpVenue(
  publisher: Publisher,
  connector: Connector,
  { coins, bans }: SharedState,
  options: EngineOptions,
) {
  const { bus, clock, random, jobs, log, primaryVenue, proxy } = options;
  const venue = publisher.id;
  const isPrimary = venue === primaryVenue;
  const origins = options.originsOf(publisher);
  const ban = bans.get(origins.rest) ?? { untilMs: 0, sinceMs: 0 };
  bans.set(origins.rest, ban);
  const gate = new VenueGate({ connector, clock, random, ban });
  const health = new VenueHealth({ venue, bus, clock, log });
  const warn = warnOnce(log);
  // A publisher that is not a venue has no coins of its own, and waits for no list.
  const isMatched = !isPrimary && 'kind' in publisher;
  const listers = connector.resources.flatMap(({ name, gives }) =>
    gives.includes('instruments') ? name : [],
  );
  const tables = new VenueTables({ venue, bus, clock, listers, ...(isMatched && { coins }) });
  const known = (): typeof tables.known => tables.known;
  const tap = options.wiretap?.venue(venue);
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
  const agent = proxy === undefined ? undefined : new HttpsProxyAgent(proxy);
  const sockets: Omit<FeedGroupOptions, 'feed' | 'sink' | 'openMeter'> = {
    venue,
    origin: origins.ws,
    gate,
    clock,
    random,
    warn,
    known,
    tap,
    ...(agent && { agent }),
  };
  const polling = { venue, client, gate, jobs, clock, random, warn, known };
  return { publisher, connector, isPrimary, coins, tables, health, client, agent, sockets, polling };
}
