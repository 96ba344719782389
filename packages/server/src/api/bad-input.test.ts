import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../features/endpoints.ts';
import { publishSampleMarket } from './testing/sample-market.ts';
import { askToBuild } from './testing/sample-tape.ts';
import { startTestApi, type TestApi } from './testing/test-api.ts';
import { streamDefinitions } from '../features/streams.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ settings: { quota: 'off', trustProxy: false } });
  publishSampleMarket(api);
});
afterAll(() => api.close());

const coinList = { empty: ['', ',', 'BTC,', 'BTC,,ETH'], malformed: ['B T C', 'A'.repeat(33)] };
const venueList = { empty: ['', ',', 'hl,'], malformed: ['nope', 'hl;okx', 'coinbase', 'hl, okx'] };
const asset = { empty: [''], malformed: ['BTC', 'Bitcoin', 'solana', 'bitcoin,ethereum'] };
const coin = { empty: [''], malformed: ['BTC,ETH', 'A B', 'A'.repeat(33)] };
const underlying = { empty: [''], malformed: ['DOGE', 'BTC,ETH', 'BTC_USDC', 'bitcoin'] };
const atLeastZero = {
  empty: [''],
  malformed: ['abc', '1,000', '0x1', 'NaN', '1e999', '+1'],
  outOfRange: ['-1', '-0.001'],
};
const limit = { empty: [''], malformed: ['ten', '1.5', '1e1', '010'], outOfRange: ['0', '-1', '1001'] };
const timeMs = { empty: [''], malformed: ['now', '1.5', '1e12'], outOfRange: ['-1'] };
const format = { empty: [''], malformed: ['JSON', 'csv', 'packed,json'] };
const exchange = { empty: [''], malformed: ['nope', 'hl,okx', 'upbit', 'binance-spot'] };
const page = { empty: [''], malformed: ['one', '1.5', '01', '1e1'], outOfRange: ['-1'] };
const pageSize = { ...page, outOfRange: ['0', '-1', '501'] };
const tokenId = { empty: [''], malformed: ['0x12', '1.5', '-1', '1e9', 'BTC', '1,2', '9'.repeat(79)] };
const explain = { empty: [''], malformed: ['0', 'true'] };
const lastEventId = { empty: [''], malformed: ['abc', '1.5'], outOfRange: ['-1'] };

/** No parameter takes one of these anywhere in it. */
const controls = ['\u0000', '\n', '\u001f', '\u007f', '\u0085'];

interface Rows {
  readonly empty: readonly string[];
  readonly malformed: readonly string[];
  readonly outOfRange?: readonly string[];
  /** May be given more than once. */
  readonly isRepeatable?: boolean;
}

/** Every parameter of every path, with values that it must refuse. */
const table: Readonly<
  Record<string, { readonly required: string; readonly rows: Readonly<Record<string, Rows>> }>
> = {
  '/perps/oi': { required: '', rows: { coins: coinList, venues: venueList } },
  '/perps/funding': { required: '', rows: { coins: coinList, venues: venueList } },
  '/perps/oi/history': { required: 'coin=BTC', rows: { coin, sinceMs: timeMs } },
  '/perps/funding/history': { required: 'coin=BTC', rows: { coin, sinceMs: timeMs } },
  '/perps/positioning': {
    required: '',
    rows: {
      coins: { ...coinList, outOfRange: [Array.from({ length: 51 }, (_, i) => `C${i}`).join(',')] },
      period: { empty: [''], malformed: ['1H', '5m', '1h,4h'] },
    },
  },
  '/perps/liquidations': { required: '', rows: { coins: coinList } },
  '/perps/tickers': { required: '', rows: { coins: coinList } },
  '/markets/spot': {
    required: '',
    rows: { coins: { ...coinList, outOfRange: [Array.from({ length: 21 }, (_, i) => `C${i}`).join(',')] } },
  },
  '/perps/whales': { required: '', rows: { minUsd: atLeastZero, coin, sinceMs: atLeastZero, limit } },
  '/perps/trades/history': {
    required: 'coin=BTC',
    rows: { coin, start: timeMs, end: timeMs, format, ids: { empty: [''], malformed: ['0', 'true'] } },
  },
  '/perps/rotations/build': { required: '', rows: {} },
  '/perps/rotations/job': {
    required: 'id=b-1',
    rows: { id: { empty: [''], malformed: ['b 1', 'é', 'b'.repeat(65)] } },
  },
  '/perps/rotations/result': {
    required: 'key=rot:res:1',
    rows: { key: { empty: [''], malformed: ['1', 'rot:res:', 'rot:res:XYZ'] }, format },
  },
  '/options/chain': { required: 'underlying=BTC', rows: { underlying } },
  '/options/gex': { required: 'underlying=BTC', rows: { underlying } },
  '/options/skew': { required: 'underlying=BTC', rows: { underlying } },
  '/onchain/etf-flows': { required: '', rows: { asset } },
  '/onchain/treasuries': { required: '', rows: { asset } },
  '/onchain/valuation': { required: '', rows: {} },
  '/flows/venue-spreads': {
    required: '',
    rows: {
      coins: { ...coinList, outOfRange: [Array.from({ length: 51 }, (_, i) => `C${i}`).join(',')] },
      explain,
    },
  },
  '/flows/kimchi': { required: '', rows: { coin, explain } },
  '/flows/etf': { required: '', rows: { asset, explain } },
  '/flows/signals': { required: '', rows: { coins: coinList, explain } },
  '/flows/summary': { required: '', rows: { coins: coinList, explain } },
  '/flows/history': {
    required: 'coin=BTC&metric=sourcePartial',
    rows: {
      coin,
      metric: { empty: [''], malformed: ['kimchi', 'sourcepartial', 'sourcePartial,etf'] },
      interval: { empty: [''], malformed: ['5m', '1M', '60'] },
      sinceMs: atLeastZero,
      explain,
    },
  },
  '/markets': { required: '', rows: { exchange, page, pageSize } },
  '/points': {
    required: 'type=OI_AGG&exchange=hl',
    rows: {
      type: { empty: [''], malformed: ['oi_agg', 'OI', 'VOLUME_AGG', 'OI_AGG,SPOT'] },
      exchange,
      coin: { ...coin, isRepeatable: true },
      coins: coinList,
      'transform.groupBy.type': { empty: [''], malformed: ['SUM', 'GROUP_BY_TYPE_AVG', 'group_by_type_sum'] },
    },
  },
  '/prediction/events': { required: '', rows: {} },
  '/prediction/orderbook': { required: 'tokenId=1', rows: { tokenId } },
  '/coverage': { required: 'coin=BTC', rows: { coin, from: timeMs, to: timeMs } },
  '/sources': { required: '', rows: {} },
  '/openapi': { required: '', rows: {} },
  '/asyncapi': { required: '', rows: {} },
  '/streams/whales': { required: '', rows: { minUsd: atLeastZero, coin, lastEventId } },
  '/streams/trades': { required: 'coin=BTC', rows: { coin, minUsd: atLeastZero, lastEventId } },
  '/streams/funding': { required: '', rows: { coins: coinList, minDeltaBps: atLeastZero, lastEventId } },
};

const served = [...endpoints, ...streamDefinitions];

interface Case {
  readonly path: string;
  readonly search: string;
  readonly names: string;
}

const cases: readonly Case[] = Object.entries(table).flatMap(([path, { required, rows }]) => {
  const others = (name: string): string[] =>
    required.split('&').filter((one) => one !== '' && !one.startsWith(`${name}=`));
  const searchOf = (name: string, ...values: readonly string[]): string =>
    [...others(name), ...values.map((value) => `${name}=${encodeURIComponent(value)}`)].join('&');
  return [
    ...['unknown=1', 'Coins=BTC', 'api-key=x', '=1', '__proto__=1'].map((extra) => ({
      path,
      search: [required, extra].filter((part) => part !== '').join('&'),
      names: extra.split('=')[0] ?? '',
    })),
    ...Object.entries(rows).flatMap(([name, { empty, malformed, outOfRange = [], isRepeatable = false }]) => [
      ...[...empty, ...malformed, ...outOfRange].map((value) => ({
        path,
        search: searchOf(name, value),
        names: name,
      })),
      ...(isRepeatable ? [] : [{ path, search: searchOf(name, '1', '1'), names: name }]),
      ...controls.map((control) => ({ path, search: searchOf(name, `1${control}`), names: name })),
      { path, search: `${searchOf(name)}${searchOf(name) === '' ? '' : '&'}${name}=%zz`, names: '%zz' },
    ]),
    ...(required === '' ? [] : [{ path, search: '', names: required.split('=')[0] ?? '' }]),
  ];
});

describe('bad input', () => {
  it('is tried on every parameter of every path', () => {
    const tabled = Object.entries(table).map(([path, { rows }]) => [path, Object.keys(rows).toSorted()]);
    const expected = served.map(({ path, query }) => [path, Object.keys(query.properties).toSorted()]);
    expect(Object.fromEntries(tabled)).toEqual(Object.fromEntries(expected));
  });

  it.each(cases)('$path?$search is 400 and names `$names`', async ({ path, search, names }) => {
    const isPost = endpoints.some((one) => one.path === path && one.method === 'POST');
    const { status, body } = await api.get(`${path}?${search}`, isPost ? askToBuild({}) : {});
    expect(status).toBe(400);
    expect(body.meta.code).toBe('bad_request');
    expect(body.data).toEqual([]);
    expect(body.error).toContain(`\`${names}\``);
  });

  it.each([
    '/perps/oi?coins=NOPE',
    '/perps/funding?coins=NOPE',
    '/perps/whales?coin=NOPE',
    '/perps/trades/history?coin=NOPE',
    '/perps/rotations/job?id=b-1',
    '/perps/rotations/result?key=rot:res:1',
    '/coverage?coin=NOPE',
    '/streams/trades?coin=NOPE',
    '/streams/whales?coin=NOPE',
    '/streams/funding?coins=NOPE',
  ])('%s is 404: well formed but unknown', async (path) => {
    const { status, body } = await api.get(path);
    expect(status).toBe(404);
    expect(body.meta.code).toBe('not_found');
  });

  it('lists the valid venues when one is unknown', async () => {
    const { body } = await api.get('/perps/funding?venues=nope');
    expect(body.error).toBe(
      'Parameter `venues` must be one of hyperliquid, bybit, okx, binance, bitget, gate, mexc, dydx, kraken, not `nope`.',
    );
  });
});
