import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { SourceRef } from '../../health/feed-state.ts';
import { ManualClock, type TableName, type Tables, type Trade } from '@crosstape/core';
import { sourceTerms } from '@crosstape/venues';
import { type KeyOwner, type KeyStore, MemoryKeyStore } from '../../platform/key-store.ts';
import type { Bus } from '../../platform/bus.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import type { Log } from '../../platform/log.ts';
import { snapshotTopic, tradeTopic } from '../../topics.ts';
import { SourceHealths } from '../../api/testing/source-healths.ts';
import { noTape } from '../../api/testing/no-tape.ts';
import { TestTape } from '../../api/testing/test-tape.ts';
import { serveUpgrades } from '../upgrades.ts';
import { gatewayChannels } from '../../features/channels.ts';
import { type Gateway } from '../gateway.ts';
import { WsClient } from './ws-client.ts';
import { createGateway, type GatewayOptions } from '../../api/create-gateway.ts';

export const START_MS = 1_790_000_000_000;

export const FREE_KEY = 'ct_free_0123456789';
export const PRO_KEY = 'ct_pro_0123456789';
const owners: Readonly<Record<string, KeyOwner>> = {
  [FREE_KEY]: { id: 'f', tier: 'free' },
  [PRO_KEY]: { id: 'p', tier: 'pro' },
};

export interface GatewayServiceOptions {
  readonly hasTape?: boolean;
  readonly keys?: KeyStore;
  readonly rotations?: GatewayOptions['rotations'];
  readonly settings?: Partial<GatewayOptions['settings']>;
  /** Default: BTC, ETH and kPEPE. */
  readonly coins?: readonly string[];
  /** Whether the health of all sources is unknown at first; default: all are ok. */
  readonly hasNoHealth?: boolean;
}

const PRIMARY = 'hyperliquid';

/** Every source of every channel, once. */
function allSources(bus: Bus): readonly SourceRef[] {
  const groups = gatewayChannels.flatMap(({ sources }) =>
    ['BTC', 'ETH'].flatMap((symbol) => sources({ symbol }, { primaryVenue: PRIMARY, bus })),
  );
  return [...new Map(groups.flat().map((ref) => [`${ref.publisher}:${ref.gives}`, ref])).values()];
}

/** The gateway alone behind a plain HTTP server, with a manual clock. */
export class GatewayService {
  readonly clock = new ManualClock(START_MS);
  readonly bus = new LocalBus(this.clock);
  readonly healths = new SourceHealths(this.bus, this.clock);
  readonly errors: object[] = [];
  readonly clients: WsClient[] = [];
  /** Connections that were reported for abuse. */
  readonly abusers: Socket[] = [];
  gateway!: Gateway;
  port = 0;
  readonly #log: Log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (fields) => this.errors.push(fields),
  };
  readonly #server = createServer((_request, response) => response.writeHead(404).end());
  #tape: TestTape | undefined;
  #tid = 0;

  static async start(options: GatewayServiceOptions = {}): Promise<GatewayService> {
    const service = new GatewayService();
    await service.#start(options);
    return service;
  }

  async #start({
    hasTape,
    keys,
    rotations,
    settings,
    coins = ['BTC', 'ETH', 'kPEPE'],
    hasNoHealth = false,
  }: GatewayServiceOptions) {
    const { clock, bus } = this;
    const log = this.#log;
    if (!hasNoHealth) for (const source of allSources(bus)) this.healths.turn(source, 'ok');
    if (hasTape) this.#tape = await TestTape.open({ clock, bus, log });
    const parts = this.#tape ?? noTape;
    this.gateway = createGateway({
      clock,
      bus,
      log,
      tape: parts.tape,
      candles: parts.candles,
      coverage: parts.coverage,
      markets: parts.markets,
      rotations: rotations ?? parts.rotations,
      keys: keys ?? new MemoryKeyStore(owners),
      countBuild: () => undefined,
      onAbuse: (socket) => this.abusers.push(socket),
      primaryVenue: PRIMARY,
      flowCoins: ['BTC', 'ETH', 'SOL'],
      sources: sourceTerms,
      settings: { quota: 'off', trustProxy: false, ...settings },
    });
    serveUpgrades(this.#server, this.gateway, { clock, log, source: 'crosstape' });
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as AddressInfo).port;
    if (coins.length > 0) {
      this.table(
        'instruments',
        coins.map((coin) => ({ symbol: coin, coin, sizeDecimals: 5 })),
      );
    }
  }

  get tape(): TestTape {
    if (!this.#tape) throw new Error('this test has no tape');
    return this.#tape;
  }

  async connect(headers: Record<string, string> = {}): Promise<WsClient> {
    const client = await WsClient.open(this.port, '/ws/v1', headers);
    this.clients.push(client);
    return client;
  }

  /** Publishes a table of the primary venue as fetched now. */
  table<Name extends TableName>(name: Name, rows: readonly Tables[Name][]): void {
    const venue = PRIMARY;
    this.bus.publish(snapshotTopic(venue, name), {
      venue,
      rows,
      fetchedAtMs: this.clock.now(),
      everyMs: 10_000,
    });
  }

  /** A trade now, identified by its number. */
  trade(fields: Partial<Trade> = {}): Trade {
    this.#tid += 1;
    const price = fields.price ?? 100_000 + (this.#tid % 7);
    const size = fields.size ?? ((this.#tid % 13) + 1) / 1_000;
    return {
      coin: 'BTC',
      venue: PRIMARY,
      side: this.#tid % 2 === 0 ? 'buy' : 'sell',
      price,
      size,
      notionalUsd: price * size,
      ts: this.clock.now(),
      tid: this.#tid,
      sameOrder: false,
      ...fields,
    };
  }

  /** Releases trades as the tape does, but only into the bus's log. */
  release(...trades: readonly Trade[]): void {
    for (const trade of trades) this.bus.publish(tradeTopic(trade.coin), trade);
  }

  async close(): Promise<void> {
    for (const client of this.clients) client.ws.terminate();
    await this.gateway.close();
    this.#server.close();
    this.#server.closeAllConnections();
    await this.#tape?.close();
  }
}
