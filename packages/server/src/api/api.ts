import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@crosstape/core';
import type { Resources } from '../features/context.ts';
import { CallerSlots } from '../platform/caller-slots.ts';
import type { TrustProxy } from '../platform/client-address.ts';
import type { KeyStore } from '../platform/key-store.ts';
import type { Log } from '../platform/log.ts';
import type { QuotaMode, ShareQuota } from '../platform/quota.ts';
import type { Store } from '../store/store.ts';
import { AnswerCache } from '../http/answer-cache.ts';
import { Connections } from '../http/connections.ts';
import { sourceLabel } from '../http/request-context.ts';
import { endpoints } from '../features/endpoints.ts';
import { schemas } from '../features/schemas.ts';
import { type MeasuredPublisher, metricsPage } from '../features/sources/metrics.ts';
import { gatewayPage, type HealthOptions, healthzPage, readyzPage } from '../features/sources/pages.ts';
import { badgePage } from '../features/audit/badge.ts';
import { datasetsPage } from '../features/datasets/datasets-page.ts';
import { tradesArrowPage } from '../features/tape/arrow-page.ts';
import { aggregateSlots } from '../features/candles/members.ts';
import { ArrowBatches } from '../features/tape/arrow-batches.ts';
import { integrationPages } from '../features/integrations/integration-pages.ts';
import { Mcp } from '../features/mcp/mcp-page.ts';
import { type KeyIssuer, profilePages } from '../features/keys/profile.ts';
import type { Streams } from '../http/stream-definition.ts';
import { Gate, type SocketCaller } from '../http/gate.ts';
import { createHttp, type HttpTimes } from '../http/http.ts';
import { type OpenApiDocument, openApiDocument } from '../http/openapi.ts';
import type { Page, PageReply } from '../http/route.ts';
import { RequestCounter } from '../http/request-counter.ts';
import { UnreadBudget } from '../http/unread-budget.ts';
import { serveUpgrades } from '../gateway/upgrades.ts';
import { createGateway } from './create-gateway.ts';
import type { SlotSharing } from '../gateway/connection-slots.ts';

/** How long pending requests may take once the service closes. */
const DRAIN_MS = 5_000;

/** Made here for the handlers. */
type MadeHere =
  | 'publishers'
  | 'arrowBatches'
  | 'aggregateTurns'
  | 'historyTurns'
  | 'startedAtMs'
  | 'document';

export interface ApiOptions extends Omit<Resources, MadeHere> {
  readonly store: Pick<Store, 'probe'>;
  readonly keys: KeyStore;
  /** Where callers create and revoke their own keys; absent: they cannot. */
  readonly keyIssuer?: KeyIssuer;
  /** The groups of ingesters, where there may be several. */
  readonly ingesters?: HealthOptions['ingesters'];
  /** All requested sources, which have health; default: the venues. */
  readonly publishers?: readonly (MeasuredPublisher & { readonly venue?: string })[];
  readonly settings: {
    readonly quota: QuotaMode;
    readonly trustProxy: TrustProxy;
    readonly connectionsPerAddress?: number;
    /** Names under which browsers may change something, besides loopback names and addresses. */
    readonly allowedHosts?: readonly string[];
    /** Whether sockets without a key are refused; default: no. */
    readonly wsRequireKey?: boolean;
    /** The role of this process; default: all. */
    readonly role?: string;
  };
  readonly log: Log;
  /** With several gateways: shares quotas. */
  readonly shareQuota?: ShareQuota | undefined;
  readonly shareSlots?: SlotSharing | undefined;
  readonly streams: Streams;
  /** Further pages, outside the API. */
  readonly pages?: readonly Page[];
  /** Page for a browser that requests an unknown path. */
  readonly lost?: PageReply | undefined;
  readonly times?: HttpTimes;
  /** Version of the program, not of the API. */
  readonly version: string;
}

export interface Api {
  /** Not listening yet. */
  readonly server: Server;
  /** Ends streams and sockets, lets pending requests finish, and closes every connection. */
  close(): Promise<void>;
}

/** The same for every interface of a process. */
let document: OpenApiDocument | undefined;

/** Assembles the public interface. */
export async function createApi(options: ApiOptions): Promise<Api> {
  const { clock, bus, streams, venues, publishers = venues, settings, keyIssuer } = options;
  const startedAtMs = clock.now();
  document ??= openApiDocument(endpoints, streams.definitions, schemas);
  const arrowBatches = new ArrowBatches();
  const aggregateTurns = new CallerSlots({ ...aggregateSlots, clock });
  const historyTurns = new CallerSlots({ ...aggregateSlots, clock });
  const turns = { aggregateTurns, historyTurns };
  const resources = { ...options, arrowBatches, ...turns, publishers, startedAtMs, document };
  const answers = new AnswerCache(resources);
  const counter = new RequestCounter();
  const gate = new Gate({ ...options, ...settings });
  const countBuild = (caller: SocketCaller) => gate.countBuild(caller);
  const source = sourceLabel(options.upstream, ['crosstape']);
  const budget = new UnreadBudget({ clock, trustProxy: settings.trustProxy });
  const connections = new Connections({
    clock,
    budget,
    source,
    perAddressMax: settings.connectionsPerAddress,
    trustProxy: settings.trustProxy,
  });
  const onAbuse = (socket: Socket): void => connections.charge(socket);
  const gateway = createGateway({ ...options, countBuild, onAbuse });
  const role = settings.role === undefined ? {} : { role: settings.role };
  const mcp = new Mcp({
    endpoints,
    answers,
    resources,
    countBuild,
    pages: options.pages ?? [],
    version: options.version,
    bus,
    log: options.log,
  });
  const pages = [
    healthzPage({ ...resources, ...role }),
    readyzPage(resources),
    gatewayPage(resources),
    metricsPage({ bus, publishers, counter, answers, streams, gateway, ...role }),
    tradesArrowPage(resources),
    badgePage(resources),
    datasetsPage(resources),
    ...(keyIssuer ? profilePages({ ...options, keyIssuer }) : []),
    ...integrationPages({ endpoints, answers, resources, countBuild }),
    mcp.page,
    ...(options.pages ?? []),
  ];
  budget.add(() => gateway.unread());
  const server = await createHttp({
    resources,
    answers,
    gate,
    budget,
    allowedHosts: settings.allowedHosts ?? [],
    counter,
    endpoints,
    pages,
    lost: options.lost,
    streams,
    log: options.log,
    connections,
    times: options.times,
  });
  serveUpgrades(server, gateway, { clock, log: options.log, source });
  return {
    server,
    async close() {
      await Promise.all([mcp.endStreams(), streams.close('shutdown'), gateway.close()]);
      connections.stop();
      await closeServer(server, clock);
      await mcp.close();
      budget.stop();
    },
  };
}

async function closeServer(server: Server, clock: Clock): Promise<void> {
  if (!server.listening) return;
  await new Promise<void>((resolve) => {
    const timer = clock.after(DRAIN_MS, () => server.closeAllConnections());
    server.close(() => {
      timer.cancel();
      resolve();
    });
    server.closeIdleConnections();
  });
}
