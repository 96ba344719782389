import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import {
  type CatalogVenue,
  type HourAudit,
  type Liquidation,
  ManualClock,
  type MarketList,
  type Print,
  type SourceHealth,
  type SourceTerms,
  type TableName,
  type Tables,
} from '@crosstape/core';
import { catalog } from '@crosstape/venues';
import type { Reconciliation } from '../../features/audit/reconcile.ts';
import type { LiquidationScores } from '../../features/audit/score-day.ts';
import { LiquidationScoreDay } from '../../features/audit/liquidation-score-schema.ts';
import { AuditHour } from '../../features/audit/hour-schema.ts';
import { FillsReconciliation } from '../../features/audit/schema.ts';
import { endpoints } from '../../features/endpoints.ts';
import { optionTables } from '../../features/options/option-chain.ts';
import { schemas } from '../../features/schemas.ts';
import { streamDefinitions } from '../../features/streams.ts';
import type { WhaleReader } from '../../features/whales/whales.ts';
import { MemoryKeyStore } from '../../platform/key-store.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import type { Log } from '../../platform/log.ts';
import { healthTopic, snapshotTopic } from '../../topics.ts';
import { type ApiOptions, createApi } from '../api.ts';
import { openApiDocument } from '../../http/openapi.ts';
import { BASE_PATH } from '../../http/route.ts';
import { type Contract, contractOf } from './contract.ts';
import { START_MS } from './start-ms.ts';
import { noTape } from './no-tape.ts';
import { recordedTrades, sampleTrade } from './sample-option-trades.ts';
import { TestTape } from './test-tape.ts';
import { createStreams } from '../create-streams.ts';

export { START_MS };

/** The whole catalogue, at addresses of a test. */
export const testVenues: readonly CatalogVenue[] = catalog.map(listed);

const testSources: readonly SourceTerms[] = [
  {
    id: 'hyperliquid',
    name: 'Hyperliquid',
    takes: 'trades',
    trust: 'documented',
    attribution: 'Trades: Hyperliquid',
    termsUrl: 'https://terms.example',
    termsNote: 'Read them.',
  },
  {
    id: 'binance',
    name: 'Binance',
    takes: 'prices',
    trust: 'undocumented',
    attribution: 'Prices: Binance',
    termsNote: 'None.',
  },
];

function listed({ id, name, kind, aliases, supplies: has }: CatalogVenue): CatalogVenue {
  const spot = id === 'coinbase' ? id : `${id}-spot`;
  const lists: MarketList[] = [
    ...(has.has('oi') ? [{ kind: 'perp', publisher: id, table: 'instruments' } as const] : []),
    ...(has.has('spot') ? [{ kind: 'spot', publisher: spot, table: 'spotTickers' } as const] : []),
    ...(has.has('options')
      ? optionTables.map((table) => ({ kind: 'option', publisher: id, table }) as const)
      : []),
    ...(has.has('predictions') ? [{ kind: 'prediction', publisher: id, table: 'predictions' } as const] : []),
  ];
  const status = has.size > 0 ? 'live' : 'planned';
  return {
    id,
    name,
    kind,
    aliases,
    status,
    supplies: has,
    lists,
    hosts: lists.map(() => `api.${id}.example`),
  };
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As received, possibly compressed. */
  readonly raw: Buffer;
  readonly text: string;
  /** Parsed, when it is JSON. */
  readonly body: Body;
}

export interface Body {
  readonly data: unknown;
  readonly error?: string;
  readonly meta: Readonly<Record<string, unknown>>;
}

export interface TestRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The whole interface on a loopback port, with a clock and tables controlled by a test. */
export interface TestApi {
  readonly clock: ManualClock;
  readonly bus: LocalBus;
  readonly port: number;
  /** There with `hasTape`. */
  readonly tape: TestTape;
  readonly contract: Contract;
  readonly document: Record<string, unknown>;
  /** Logged errors. */
  readonly errors: readonly object[];
  /** A path below the base address; the answer is checked against the contract. */
  get(path: string, ask?: TestRequest): Promise<TestAnswer>;
  /** Any address, not checked against the contract. */
  fetch(url: string, ask?: TestRequest): Promise<TestAnswer>;
  /** Publishes a table of a venue as fetched now. */
  table<Name extends TableName>(
    venue: string,
    name: Name,
    rows: readonly Tables[Name][],
    everyMs?: number,
  ): void;
  health(venue: string, ...sources: readonly Partial<SourceHealth>[]): void;
  /** How many the server has open. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

export interface TestApiOptions extends Partial<Omit<ApiOptions, 'clock' | 'bus'>> {
  readonly prints?: readonly Print[];
  /** Whether there is a real tape, on which the test can record. */
  readonly hasTape?: boolean;
  /** Folder of the tape, which then stays after the API is closed. */
  readonly tapeFolder?: string;
  /** Start of the clock: advancing it by years later would fire every timer in between. */
  readonly startMs?: number;
}

const sampleLiquidation: Liquidation = {
  coin: 'BTC',
  venue: 'binance',
  symbol: 'BTCUSDT',
  side: 'sell',
  price: 100_000,
  size: 0.5,
  notionalUsd: 50_000,
  quote: 'USDT',
  ts: START_MS - 1_000,
  inferred: false,
};

function silent(): void {}

const { examples: auditedHours } = AuditHour as unknown as { readonly examples: readonly HourAudit[] };
const [comparedDay] = (FillsReconciliation as unknown as { examples: readonly [Reconciliation] }).examples;
const [scoredDay] = (LiquidationScoreDay as unknown as { examples: readonly [LiquidationScores] }).examples;
const { total, coins: scoredCoins } = scoredDay;
const comparedDays = [{ ...comparedDay, liquidations: { total, coins: scoredCoins } }];

export async function startTestApi({
  prints = [],
  hasTape = false,
  tapeFolder,
  startMs = START_MS,
  ...options
}: TestApiOptions = {}): Promise<TestApi> {
  const clock = new ManualClock(startMs);
  const bus = new LocalBus(clock);
  const errors: object[] = [];
  const log: Log = { debug: silent, info: silent, warn: silent, error: (fields) => errors.push(fields) };
  const coins = (): readonly string[] | undefined =>
    bus.latest(snapshotTopic('hyperliquid', 'instruments'))?.message.rows.map((row) => row.coin);
  const tape = hasTape
    ? await TestTape.open({ clock, bus, log, folder: tapeFolder, retentionDays: options.retentionDays })
    : undefined;
  const { tape: reader, coverage, markets, candles, rates, rotations, jobs } = tape ?? noTape;
  const api = await createApi({
    clock,
    bus,
    tape: reader,
    coverage,
    markets,
    candles,
    rates,
    rotations,
    jobs,
    histories: { samples: async () => [] },
    optionLevels: { since: async () => [] },
    optionTrades: await recordedTrades([sampleTrade()]),
    samples: { read: async () => [], hasFolded: async () => true },
    bookDepths: { read: async () => [], sinceMs: async () => undefined },
    candleDays: 1_825,
    questionPrices: { since: async (coin) => [{ coin, t: START_MS, price: 0.42 }] },
    audits: { hours: async () => auditedHours, days: async () => [] },
    reconciliations: {
      list: async () => comparedDays,
      newestScored: async () => comparedDays[0],
      read: async (day) => comparedDays.find((one) => one.day === day),
    },
    flowHistory: { read: async () => ({ json: new TextEncoder().encode('[]') }) },
    flowCoins: ['BTC', 'ETH', 'SOL'],
    liquidationHours: { between: async function* () {}, oldest: async () => undefined },
    liquidationEvents: { newest: async () => ({ events: [sampleLiquidation] }) },
    liquidations: { totals: () => new Map(), connections: () => [], wholeSinceMs: 0 },
    retentionDays: 7,
    store: { probe: async () => undefined },
    whales: whalesOf(prints),
    venues: testVenues,
    sources: testSources,
    primaryVenue: 'hyperliquid',
    upstream: 'live',
    settings: { quota: 'report', trustProxy: false },
    keys: new MemoryKeyStore(),
    log,
    streams: createStreams({
      clock,
      bus,
      log,
      coins,
      primaryVenue: 'hyperliquid',
      settings: { sseMaxMinutes: 30 },
    }),
    version: '0.0.0',
    ...options,
  });
  await new Promise<void>((resolve) => api.server.listen(0, '127.0.0.1', resolve));
  const { port } = api.server.address() as AddressInfo;
  const fetchUrl = (url: string, ask: TestRequest = {}): Promise<TestAnswer> => fetchFrom(port, url, ask);
  const { document, contract } = (described ??= describe());
  return {
    clock,
    bus,
    port,
    get tape() {
      if (!tape) throw new Error('this test has no tape');
      return tape;
    },
    contract,
    document,
    errors,
    fetch: fetchUrl,
    async get(path, ask = {}) {
      const answer = await fetchUrl(BASE_PATH + path, ask);
      const { status, headers } = answer;
      const contentType = headers['content-type'];
      const isJson = contentType?.startsWith('application/json') ?? false;
      const body = isJson ? answer.body : answer.raw.toString('latin1');
      contract.checkAnswer(ask.method ?? 'GET', path.split('?')[0] ?? '', { status, contentType, body });
      return answer;
    },
    table(venue, name, rows, everyMs = 10_000) {
      bus.publish(snapshotTopic(venue, name), { venue, rows, fetchedAtMs: clock.now(), everyMs });
    },
    health(venue, ...sources) {
      const list = sources.map(
        (source): SourceHealth => ({
          source: `${venue}:test`,
          venue,
          gives: [],
          status: 'ok',
          sinceMs: START_MS,
          messages: 0,
          refused: 0,
          reconnects: 0,
          ...source,
        }),
      );
      bus.publish(healthTopic(venue), list);
    },
    connections: () =>
      new Promise((resolve, reject) => {
        api.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
    async close() {
      await api.close();
      await tape?.close();
    },
  };
}

interface Described {
  readonly document: Record<string, unknown>;
  readonly contract: Contract;
}

/** Every interface serves the same document: it is made and compiled once in a process. */
let described: Described | undefined;

function describe(): Described {
  const served = openApiDocument(endpoints, streamDefinitions, schemas);
  const document = JSON.parse(JSON.stringify(served)) as Record<string, unknown>;
  return { document, contract: contractOf(document) };
}

function whalesOf(prints: readonly Print[]): WhaleReader {
  return {
    newest: async ({ minUsd, coin, sinceMs = 0, limit }) => ({
      prints: prints
        .filter((print) => print.notionalUsd >= minUsd && print.ts >= sinceMs)
        .filter((print) => coin === undefined || print.coin === coin)
        .slice(0, limit),
      recordedSinceMs: START_MS - 3_600_000,
    }),
    ofMarket: async () => [],
    ofMarkets: async () => [],
  };
}

function fetchFrom(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body }: TestRequest,
): Promise<TestAnswer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: '127.0.0.1', port, path, method, headers, agent: false },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          const raw = Buffer.concat(parts);
          const text = decode(raw, response.headers['content-encoding']).toString();
          const isJson = response.headers['content-type']?.startsWith('application/json') && text !== '';
          const parsed = (isJson ? JSON.parse(text) : { data: undefined, meta: {} }) as Body;
          resolve({ status: response.statusCode ?? 0, headers: response.headers, raw, text, body: parsed });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

function decode(raw: Buffer, encoding: string | undefined): Buffer {
  if (raw.length === 0) return raw;
  if (encoding === 'br') return brotliDecompressSync(raw);
  return encoding === 'gzip' ? gunzipSync(raw) : raw;
}
