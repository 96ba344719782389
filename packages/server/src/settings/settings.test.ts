import { pathToFileURL } from 'node:url';
import { allPublishers } from '@crosstape/venues';
import { describe, expect, it } from 'vitest';
import { printSettings } from '../commands/config.ts';
import { readSettings, UsageError } from './read-settings.ts';

const read = (args: string[], environment: Record<string, string> = {}) =>
  readSettings(args, environment, allPublishers);

it('has a default for everything', () => {
  const { settings } = read([]);
  expect(settings).toMatchObject({
    port: 8080,
    host: '127.0.0.1',
    upstream: 'auto',
    data: './data',
    redis: undefined,
    role: 'all',
    quota: 'report',
    log: 'info',
    trustProxy: false,
    wsRequireKey: false,
    sseMaxMinutes: 30,
    retentionDays: 7,
    recordCoins: 'all',
    recordMarkets: 'top:20',
  });
  expect(settings.origins.hyperliquid).toEqual({
    rest: 'https://api.hyperliquid.xyz',
    ws: 'wss://api.hyperliquid.xyz',
  });
});

it('records the primary venue only by default on Redis, and other markets where that is set', () => {
  const redis = { REDIS_URL: 'redis://x' };
  const { settings, rows } = read([], redis);
  expect(settings.recordMarkets).toBe('primary');
  const row = rows.find(({ setting }) => setting.name === 'recordMarkets');
  expect(row).toMatchObject({ value: 'primary', origin: 'default' });
  expect(read(['--record-markets', 'top:3'], redis).settings.recordMarkets).toBe('top:3');
});

it('lets a flag win over its variable, and a variable over the default', () => {
  const { settings, rows } = read(['--port', '0', '--quota=off'], {
    PORT: '9',
    LOG_LEVEL: 'warn',
    HYPERLIQUID_REST_URL: 'http://x:1/a/',
  });
  expect(settings).toMatchObject({ port: 0, quota: 'off', log: 'warn' });
  expect(settings.origins.hyperliquid?.rest).toBe('http://x:1/a');
  const origins = Object.fromEntries(rows.map(({ setting, origin }) => [setting.name, origin]));
  expect(origins).toMatchObject({ port: 'flag', log: 'environment', host: 'default' });
});

describe('refuses in one line', () => {
  it.each([
    [['--prot', '1'], {}, 'unknown flag --prot; did you mean --port? crosstape help all lists them'],
    [['--port'], {}, '--port needs a value'],
    [['--port', '70000'], {}, '--port must be a whole number from 0 to 65535, not "70000"'],
    [['--port', '1e3'], {}, '--port must be a whole number from 0 to 65535, not "1e3"'],
    [['--port', '1', '--port', '2'], {}, '--port is given 2 times; give it once'],
    [['--port='], {}, '--port must be a whole number from 0 to 65535, not ""'],
    [['extra'], {}, 'unexpected argument extra; see crosstape help'],
    [[], { UPSTREAM: 'sam' }, 'UPSTREAM must be one of auto, live, sim, not "sam"'],
    [[], { WS_REQUIRE_KEY: 'maybe' }, 'WS_REQUIRE_KEY must be true or false, not "maybe"'],
    [[], { REDIS_URL: 'http://secret@x' }, 'REDIS_URL must be a URL that starts with redis:// or rediss://'],
    [['--trust-proxy', '10.0.0.0/33'], {}, /^--trust-proxy must be false, a number of hops, or/],
    [['--etf-source', 'ftp://x/y'], {}, /^--etf-source must be a file, a URL that starts with http:/],
    [['--farside-ws-url', 'wss://x'], {}, 'unknown flag --farside-ws-url'],
    [['--hyperliquid-ws-url', 'https://x'], {}, /must be a URL that starts with wss:\/\/ or ws:\/\//],
  ] as const)('%j %j', (args, environment, message) => {
    const run = (): unknown => readSettings(args, environment, allPublishers);
    expect(run).toThrow(UsageError);
    expect(run).toThrow(message);
  });
});

it.each([
  ['false', false],
  ['2', 2],
  ['127.0.0.1, 10.0.0.0/8,::1/128', ['127.0.0.1', '10.0.0.0/8', '::1/128']],
])('reads a trusted proxy of %s', (text, value) => {
  expect(read([], { TRUST_PROXY: text }).settings.trustProxy).toEqual(value);
});

it.each([
  ['https://mirror.example/{asset}.html', 'https://mirror.example/{asset}.html'],
  ['file:///etf/{asset}.html', 'file:///etf/{asset}.html'],
  ['/etf pages/{asset}.html', 'file:///etf%20pages/{asset}.html'],
])('takes ETF pages from %s', (text, url) => {
  expect(read(['--etf-source', text]).settings.etfSource).toBe(url);
});

it('finds a file from where the program was started', () => {
  expect(read([], { ETF_SOURCE: 'etf.html' }).settings.etfSource).toBe(
    pathToFileURL(`${process.cwd()}/etf.html`).href,
  );
});

it('prints every setting with its origin and never a secret', () => {
  const { rows } = read(['--port', '1'], {
    COINALYZE_API_KEY: 'hush',
    COINGECKO_API_KEY: 'hush',
    BITCOINDATA_API_TOKEN: 'hush',
    REDIS_URL: 'redis://user:hush@x',
    ETF_SOURCE: 'https://user:hush@x/etf.html',
  });
  const text = printSettings(rows);
  expect(text).not.toContain('hush');
  expect(text).toMatch(/--port +PORT +1 +flag/);
  expect(text).toMatch(/--coinalyze-api-key +COINALYZE_API_KEY +\*+ +environment/);
  expect(text).toMatch(/COINGECKO_API_KEY +\*+ +environment/);
  expect(text).toMatch(/BITCOINDATA_API_TOKEN +\*+ +environment/);
  expect(text.split('\n')).toHaveLength(rows.length + 1);
});
