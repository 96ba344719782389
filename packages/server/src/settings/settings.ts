import type { Publisher } from '@crosstape/venues';
import type { TrustProxy } from '../platform/client-address.ts';
import { readBackfill } from '../platform/backfill-days.ts';
import { quotaModes } from '../platform/quota.ts';
import { readEtfSource } from './etf-source.ts';
import { readRecordMarkets } from './record-markets.ts';
import { readTrustProxy } from './trust-proxy.ts';
import { venuesSetting } from './venues-setting.ts';
import {
  booleanSetting,
  choiceSetting,
  integerSetting,
  keySetting,
  type Setting,
  textSetting,
  urlSetting,
} from './setting.ts';

/** Every setting except the addresses of the venues, in the order of `crosstape config` and the help. */
const own = {
  port: integerSetting({
    name: 'port',
    flag: 'port',
    variable: 'PORT',
    fallback: 8080,
    min: 0,
    max: 65_535,
    help: 'port to listen on; 0 picks a free port',
  }),
  host: textSetting({
    name: 'host',
    flag: 'host',
    variable: 'HOST',
    fallback: '127.0.0.1',
    help: 'address to listen on',
  }),
  upstream: choiceSetting({
    name: 'upstream',
    flag: 'upstream',
    variable: 'UPSTREAM',
    fallback: 'auto',
    choices: ['auto', 'live', 'sim'],
    help: 'the real venues, the built-in simulator, or live if the primary venue answers within 5 s',
  }),
  data: textSetting({
    name: 'data',
    flag: 'data',
    variable: 'DATA_DIR',
    fallback: './data',
    help: 'folder for everything recorded',
  }),
  redis: urlSetting({
    name: 'redis',
    flag: 'redis',
    variable: 'REDIS_URL',
    fallback: undefined,
    protocols: ['redis', 'rediss'],
    isSecret: true,
    help: 'shared store for several processes; unset: embedded',
  }),
  role: choiceSetting({
    name: 'role',
    flag: 'role',
    variable: 'ROLE',
    fallback: 'all',
    choices: ['all', 'ingest', 'gateway', 'build'],
    help: 'role of this process',
  }),
  venues: venuesSetting,
  quota: choiceSetting({
    name: 'quota',
    flag: 'quota',
    variable: 'QUOTA',
    fallback: 'report',
    choices: quotaModes,
    help: 'report: count and report usage; enforce: reject requests over quota; off: neither',
  }),
  log: choiceSetting({
    name: 'log',
    flag: 'log',
    variable: 'LOG_LEVEL',
    fallback: 'info',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
    help: 'log level (stderr)',
  }),
  logFormat: choiceSetting({
    name: 'logFormat',
    flag: 'log-format',
    variable: 'LOG_FORMAT',
    fallback: 'auto',
    choices: ['auto', 'json', 'plain'],
    help: 'JSON lines or plain text; auto: plain text on a terminal',
  }),
  seed: integerSetting({
    name: 'seed',
    flag: 'seed',
    variable: 'SIM_SEED',
    fallback: 1,
    min: 0,
    max: 4_294_967_295,
    help: 'seed of the simulated market',
  }),
  simHistoryDays: integerSetting({
    name: 'simHistoryDays',
    flag: 'sim-history-days',
    variable: 'SIM_HISTORY_DAYS',
    fallback: 7,
    min: 0,
    max: 7,
    help: 'days of history created on the first start of a simulated market (everyday size)',
  }),
  simMarketHistoryHours: integerSetting({
    name: 'simMarketHistoryHours',
    flag: 'sim-market-history-hours',
    variable: 'SIM_MARKET_HISTORY_HOURS',
    fallback: 24,
    min: 0,
    max: 24,
    help: 'hours of history for BTC, ETH and SOL markets of the other simulated venues, created in the background',
  }),
  simSize: choiceSetting({
    name: 'simSize',
    flag: 'sim-size',
    variable: 'SIM_SIZE',
    fallback: 'everyday',
    choices: ['everyday', 'real'],
    help: 'size of the built-in simulator: everyday, or real (about as large as the real venues, no history)',
  }),
  simUrl: urlSetting({
    name: 'simUrl',
    flag: 'sim-url',
    variable: 'SIM_URL',
    fallback: undefined,
    protocols: ['http'],
    help: 'a simulator that runs elsewhere (crosstape sim); used with upstream sim',
  }),
  trustProxy: {
    name: 'trustProxy',
    flag: 'trust-proxy',
    variable: 'TRUST_PROXY',
    fallback: false,
    allowed: 'false, a number of hops, or a comma-separated list of addresses and CIDR ranges',
    help: 'proxies trusted for X-Forwarded-For',
    read: readTrustProxy,
  } satisfies Setting<TrustProxy>,
  allowedHosts: {
    name: 'allowedHosts',
    flag: 'allowed-hosts',
    variable: 'ALLOWED_HOSTS',
    fallback: [],
    allowed: 'a comma-separated list of host names',
    help: 'host names from which pages may build bars and create keys; localhost and IP addresses are always allowed',
    read: (text) => {
      const names = text.split(',').map((name) => name.trim().toLowerCase());
      return names.every((name) => /^[a-z\d.-]+$/.test(name)) ? names : undefined;
    },
  } satisfies Setting<readonly string[]>,
  wsRequireKey: booleanSetting({
    name: 'wsRequireKey',
    flag: 'ws-require-key',
    variable: 'WS_REQUIRE_KEY',
    fallback: false,
    help: 'refuse WebSocket clients without a key',
  }),
  coinalyzeKey: keySetting({
    name: 'coinalyzeKey',
    flag: 'coinalyze-api-key',
    variable: 'COINALYZE_API_KEY',
    help: 'key of the liquidation aggregator',
  }),
  coingeckoKey: keySetting({
    name: 'coingeckoKey',
    flag: 'coingecko-api-key',
    variable: 'COINGECKO_API_KEY',
    help: 'demo key of CoinGecko (treasuries); unset: the small limit of an address without one',
  }),
  bitcoindataToken: keySetting({
    name: 'bitcoindataToken',
    flag: 'bitcoindata-api-token',
    variable: 'BITCOINDATA_API_TOKEN',
    help: 'token of BGeometrics (valuation); unset: most values are a week old',
  }),
  sseMaxMinutes: integerSetting({
    name: 'sseMaxMinutes',
    flag: 'sse-max-minutes',
    variable: 'SSE_MAX_MINUTES',
    fallback: 30,
    min: 1,
    max: 1_440,
    help: 'maximum duration of an event stream, in minutes',
  }),
  streamsPerAddress: integerSetting({
    name: 'streamsPerAddress',
    flag: 'streams-per-address',
    variable: 'STREAMS_PER_ADDRESS',
    fallback: 200,
    min: 1,
    max: 10_000,
    help: 'event streams that one address may have open',
  }),
  connectionsPerAddress: integerSetting({
    name: 'connectionsPerAddress',
    flag: 'connections-per-address',
    variable: 'CONNECTIONS_PER_ADDRESS',
    fallback: 2_000,
    min: 1,
    max: 20_000,
    help: 'connections that one address may have open; not counted behind trusted proxies',
  }),
  retentionDays: integerSetting({
    name: 'retentionDays',
    flag: 'retention-days',
    variable: 'RETENTION_DAYS',
    fallback: 7,
    min: 1,
    max: 365,
    help: 'retention of recorded data, in days',
  }),
  archive: textSetting({
    name: 'archive',
    flag: 'archive',
    variable: 'ARCHIVE',
    fallback: 'off',
    help: 'permanent storage for sealed days: a folder, or s3://bucket/prefix with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment. Not with REDIS_URL',
  }),
  archiveEndpoint: urlSetting({
    name: 'archiveEndpoint',
    flag: 'archive-endpoint',
    variable: 'ARCHIVE_ENDPOINT',
    fallback: undefined,
    protocols: ['http', 'https'],
    help: 'address of an S3-compatible store for --archive; unset: AWS',
  }),
  lakeCacheMb: integerSetting({
    name: 'lakeCacheMb',
    flag: 'lake-cache-mb',
    variable: 'LAKE_CACHE_MB',
    fallback: 1_024,
    min: 0,
    max: 10_000_000,
    help: 'disk space in MB for daily Parquet files, served at /lake; 0: none. Not with REDIS_URL',
  }),
  candleDays: integerSetting({
    name: 'candleDays',
    flag: 'candle-days',
    variable: 'CANDLE_DAYS',
    fallback: 1_825,
    min: 1,
    max: 3_650,
    help: 'retention of candles, in days',
  }),
  recordCoins: {
    name: 'recordCoins',
    flag: 'record-coins',
    variable: 'RECORD_COINS',
    fallback: 'all',
    allowed: 'all, or coins separated by commas',
    help: 'coins whose trades are recorded',
    read: (text: string) => (/^[a-z0-9]+(,[a-z0-9]+)*$/i.test(text) ? text : undefined),
  } satisfies Setting<string>,
  hyperliquidFillsDir: textSetting({
    name: 'hyperliquidFillsDir',
    flag: 'hyperliquid-fills-dir',
    variable: 'HYPERLIQUID_FILLS_DIR',
    fallback: undefined,
    allowed: 'a folder',
    help: 'fills that your own Hyperliquid node writes (--write-fills --batch-by-block): trades and measured liquidations',
  }),
  recordMarkets: {
    name: 'recordMarkets',
    flag: 'record-markets',
    variable: 'RECORD_MARKETS',
    fallback: 'top:20',
    fallbackOnRedis: 'primary',
    allowed:
      'primary, top:N with N from 1 to 500, globs of market ids separated by commas (binance:*,*:BTC*), or @ and a file with one of these',
    help: 'which markets of other venues to record; a file (@markets.txt) is read again when it changes. With REDIS_URL the default is primary',
    read: (text: string) => (readRecordMarkets(text) ? text : undefined),
  } satisfies Setting<string>,
  backfill: {
    name: 'backfill',
    flag: 'backfill',
    variable: 'BACKFILL',
    fallback: '1h:365,1m:30',
    allowed: 'off, or days of hours and minutes: 1h:365,1m:30',
    help: "days of the venues' own candles to store from before the record",
    read: (text: string) => (readBackfill(text) ? text : undefined),
  } satisfies Setting<string>,
  flowCoins: {
    name: 'flowCoins',
    flag: 'flow-coins',
    variable: 'FLOW_COINS',
    fallback: 'BTC,ETH,SOL',
    allowed: 'up to 20 coins separated by commas, spelt as the primary venue does',
    help: 'coins whose flows are computed and recorded, in addition to BTC and ETH',
    read: (text: string) => (/^[A-Za-z0-9]{1,32}(,[A-Za-z0-9]{1,32}){0,19}$/.test(text) ? text : undefined),
  } satisfies Setting<string>,
  etfSource: {
    name: 'etfSource',
    flag: 'etf-source',
    variable: 'ETF_SOURCE',
    fallback: undefined,
    allowed:
      'a file, a URL that starts with http://, https:// or file:///, or bitcoin=PAGE,ethereum=PAGE with such a page for each',
    isSecret: true,
    help: 'pages of ETF flows to read instead of Farside: one for both, with {asset}, or bitcoin=PAGE,ethereum=PAGE',
    read: readEtfSource,
  } satisfies Setting<string | undefined>,
  etfUserAgent: {
    name: 'etfUserAgent',
    flag: 'etf-user-agent',
    variable: 'ETF_USER_AGENT',
    fallback: undefined,
    allowed: 'a text of at most 300 printable ASCII characters',
    help: 'User-Agent for the pages of ETF flows; unset: the one of every other request. Shown in /sources',
    read: (text: string) => (/^[\x20-\x7e]{1,300}$/.test(text) && text.trim() !== '' ? text : undefined),
  } satisfies Setting<string | undefined>,
  proxy: urlSetting({
    name: 'proxy',
    flag: 'outbound-proxy',
    variable: 'OUTBOUND_PROXY',
    fallback: undefined,
    protocols: ['http', 'https'],
    isSecret: true,
    help: 'HTTP proxy for all requests and sockets to the venues',
  }),
};

type Own = typeof own;
export type Settings = {
  readonly [Name in keyof Own]: Own[Name] extends Setting<infer Value> ? Value : never;
} & {
  /** Live addresses of every source, by id. */
  readonly origins: Readonly<Record<string, { readonly rest: string; readonly ws: string }>>;
  /** Ids of the sources to read; unset: all. Not a flag: tests read only the sources they need. */
  readonly sources?: readonly string[];
};

/** All settings, including the addresses of every source. */
export function settingsFor(publishers: readonly Publisher[]): readonly Setting[] {
  const addresses = publishers.flatMap(({ id, name, connector }) =>
    connector
      ? (['rest', 'ws'] as const)
          .filter((part) => connector.origins[part] !== '')
          .map((part) =>
            urlSetting({
              name: originName(id, part),
              flag: `${id}-${part}-url`,
              variable: `${id.replaceAll('-', '_').toUpperCase()}_${part.toUpperCase()}_URL`,
              fallback: connector.origins[part],
              protocols: part === 'rest' ? ['https', 'http'] : ['wss', 'ws'],
              help: `${part === 'rest' ? 'REST' : 'WebSocket'} URL of ${name}`,
            }),
          )
      : [],
  );
  return [...Object.values(own), ...addresses] as readonly Setting[];
}

export function originName(venueId: string, part: 'rest' | 'ws'): string {
  return `${venueId}.${part}`;
}
