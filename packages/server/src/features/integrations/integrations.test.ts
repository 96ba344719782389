import { aggregatesOf, MINUTE_MS } from '@crosstape/core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { publishSampleMarket, samplePrints } from '../../api/testing/sample-market.ts';
import { recordSampleTape, sampleTrades } from '../../api/testing/sample-tape.ts';
import { START_MS, startTestApi, type TestApi } from '../../api/testing/test-api.ts';
import { takesCsv } from '../../http/with-csv.ts';
import { liquidationTopic, printTopic } from '../../topics.ts';
import { endpoints } from '../endpoints.ts';
import { aggrName } from './aggr.ts';
import { aggregateTicker, marketOfTicker, tickerOf } from './market.ts';

const end = Math.floor(START_MS / MINUTE_MS) * MINUTE_MS;
const from = end - 10 * MINUTE_MS;

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ hasTape: true, prints: samplePrints });
  publishSampleMarket(api);
  await recordSampleTape(api);
});
afterAll(() => api.close());

const json = async <Data>(url: string): Promise<Data> => JSON.parse((await api.fetch(url)).text) as Data;

interface Row {
  readonly ts: number;
  readonly [field: string]: unknown;
}
async function candles(search: string): Promise<readonly Row[]> {
  const { body } = await api.get(`/candles?market=hyperliquid:BTC&${search}`);
  return body.data as readonly Row[];
}

describe('names', () => {
  it.each([
    [{ venue: 'hyperliquid', kind: 'perp', symbol: 'kPEPE' }, 'HYPERLIQUID:kPEPE', 'HYPERLIQUID:kPEPE'],
    [{ venue: 'binance', kind: 'perp', symbol: 'BTCUSDT' }, 'BINANCE:BTCUSDT.P', 'BINANCE_FUTURES:btcusdt'],
    [{ venue: 'binance', kind: 'spot', symbol: 'BTCUSDT' }, 'BINANCE:BTCUSDT', 'BINANCE:btcusdt'],
    [{ venue: 'okx', kind: 'perp', symbol: 'BTC-USDT-SWAP' }, 'OKX:BTC-USDT-SWAP.P', 'OKEX:BTC-USDT-SWAP'],
    [{ venue: 'bybit', kind: 'spot', symbol: 'BTCUSDT' }, 'BYBIT:BTCUSDT', 'BYBIT:BTCUSDT-SPOT'],
  ] as const)('%o is %s in charts and %s in aggr', (market, ticker, aggr) => {
    expect(tickerOf(market, 'hyperliquid')).toBe(ticker);
    expect(marketOfTicker(ticker, 'hyperliquid')).toBe(
      `${market.venue}${market.kind === 'spot' ? '-spot' : ''}:${market.symbol}`,
    );
    expect(aggrName(market)).toBe(aggr);
  });
});

it('aggregates are those of coins with several markets', () => {
  const markets = [
    { coin: 'BTC', kind: 'perp' },
    { coin: 'BTC', kind: 'spot' },
    { coin: 'ETH', kind: 'perp' },
  ] as const;
  const tickers = aggregatesOf(markets).map(aggregateTicker);
  expect(tickers).toEqual(['AGG:BTC.ALL']);
  const three = aggregatesOf([...markets, ...markets]).map(aggregateTicker);
  expect(three).toEqual(['AGG:BTC', 'AGG:BTC.SPOT', 'AGG:BTC.ALL', 'AGG:ETH', 'AGG:ETH.ALL']);
  expect(three.map((ticker) => marketOfTicker(ticker.toLowerCase(), 'hyperliquid'))).toEqual([
    'perp:btc',
    'spot:btc',
    'all:btc',
    'perp:eth',
    'all:eth',
  ]);
});

describe('/udf', () => {
  const history = (search: string) =>
    json<Record<string, number[]>>(`/udf/history?symbol=HYPERLIQUID:BTC&resolution=1&${search}`);

  it('answers with the candles of the range, its end left out', async () => {
    const rows = await candles(`start=${from}&end=${end}`);
    const { t, o, h, l, c, v, s } = await history(`from=${from / 1_000}&to=${end / 1_000}&currencyCode=USD`);
    expect(s).toBe('ok');
    expect(t).toEqual(rows.map(({ ts }) => ts / 1_000));
    const column = (name: string) => rows.map((row) => row[name]);
    expect([o, h, l, c, v]).toEqual(['open', 'high', 'low', 'close', 'volume'].map(column));
    expect(t).toHaveLength(10);
  });

  it('reaches back past `from` for `countback` bars, and names the nearest older bar where there is none', async () => {
    const two = await history(`from=${(end - 1_000) / 1_000}&to=${end / 1_000}&countback=2`);
    expect(two.t).toEqual([(end - 2 * MINUTE_MS) / 1_000, (end - MINUTE_MS) / 1_000]);
    const late = (START_MS + 3_600_000) / 1_000;
    expect(await history(`from=${late}&to=${late + 60}`)).toEqual({
      s: 'no_data',
      nextTime: end / 1_000,
    });
    expect(await history('from=1000&to=2000')).toEqual({ s: 'no_data' });
  });

  it('describes and finds symbols', async () => {
    expect(await json('/udf/config')).toMatchObject({ supports_search: true, supports_group_request: false });
    expect((await api.fetch('/udf/time')).text).toBe(String(Math.floor(START_MS / 1_000)));
    const found = await json<{ ticker: string }[]>('/udf/search?query=BTC&type=&exchange=&limit=30');
    expect(found.map(({ ticker }) => ticker)).toContain('HYPERLIQUID:BTC');
    expect(await json('/udf/search?query=BTC&type=crypto')).toEqual([]);
    expect(await json('/udf/symbols?symbol=hyperliquid:btc')).toMatchObject({
      name: 'BTC',
      ticker: 'HYPERLIQUID:BTC',
      session: '24x7',
      timezone: 'Etc/UTC',
      type: 'swap',
    });
    expect(await json('/udf/quotes?symbols=HYPERLIQUID:BTC,NOWHERE:X')).toMatchObject({
      s: 'ok',
      d: [{ s: 'ok', n: 'HYPERLIQUID:BTC' }, { s: 'error' }],
    });
  });

  it('has bars of seconds, with the trades of their minutes', async () => {
    const minute = end - 5 * MINUTE_MS;
    const search = `symbol=HYPERLIQUID:BTC&resolution=15S&from=${minute / 1_000}&to=${minute / 1_000 + 60}`;
    const bars = await json<Record<'t' | 'o' | 'h' | 'c' | 'v', number[]>>(`/udf/history?${search}`);
    const [row] = await candles(`start=${minute}&end=${minute + MINUTE_MS}`);
    expect(bars.t).toEqual([0, 15, 30, 45].map((second) => minute / 1_000 + second));
    expect([bars.o[0], Math.max(...bars.h), bars.c[3]]).toEqual([row?.open, row?.high, row?.close]);
    expect(bars.v.reduce((sum, v) => sum + v, 0)).toBeCloseTo(row?.volume as number, 9);
  });

  it('has bars that are not of the clock as symbols, and continues them', async () => {
    const ticker = 'HYPERLIQUID:BTC.TICK400';
    expect(await json('/udf/search?query=BTC.TICK400')).toMatchObject([{ ticker, symbol: 'BTC.TICK400' }]);
    expect(await json(`/udf/symbols?symbol=hyperliquid:btc.tick400`)).toMatchObject({
      ticker,
      has_seconds: true,
      supported_resolutions: ['1S'],
      intraday_multipliers: [],
    });
    const bars = async () => {
      const search = `symbol=${ticker}&resolution=1S&from=0&to=${START_MS / 1_000 + 600}&countback=2`;
      return json<Record<'t' | 'c' | 'v', number[]>>(`/udf/history?${search}`);
    };
    const before = await bars();
    const trades = sampleTrades(START_MS, 600, 7_200);
    // 7,192 trades are recorded: the bar in progress has 392 of them.
    expect(before.v).toHaveLength(18);
    await api.tape.record(trades, 'memory');
    api.clock.advance(2_000);
    const after = await bars();
    expect(after.t.slice(0, 18)).toEqual(before.t);
    expect(after.v.slice(0, 17)).toEqual(before.v.slice(0, 17));
    const inProgress = trades.slice(0, 8).reduce((sum, { size }) => sum + size, before.v[17] ?? NaN);
    expect(after.v[17]).toBeCloseTo(inProgress, 9);
    expect([after.v.length, after.c[19]]).toEqual([20, trades.at(-1)?.price]);
    const marks = await json<{ time: number[]; label: string[] }>(
      `/udf/marks?symbol=${ticker}&resolution=1S&from=${(START_MS - 3_600_000) / 1_000}&to=${end / 1_000}`,
    );
    expect(marks.time[marks.label.indexOf('G')]).toBe(before.t[0]);
  });

  it('marks gaps at the start of their bar', async () => {
    const start = START_MS - 3_600_000;
    const search = `symbol=HYPERLIQUID:BTC&resolution=1&from=${start / 1_000}&to=${end / 1_000}`;
    const { time, label } = await json<{ time: number[]; label: string[] }>(`/udf/marks?${search}`);
    const bar = Math.floor((start + 8_000) / MINUTE_MS) * 60;
    expect(time[label.indexOf('G')]).toBe(bar);
  });

  it('marks large taker orders and liquidations', async () => {
    const liquidated = { coin: 'BTC', venue: 'hyperliquid', price: 100_000, inferred: true } as const;
    api.bus.publish(liquidationTopic, {
      ...liquidated,
      side: 'sell',
      size: 2,
      notionalUsd: 200_000,
      ts: START_MS - 90_000,
    });
    const search = `symbol=HYPERLIQUID:BTC&resolution=1&from=${from / 1_000}&to=${START_MS / 1_000 + 60}`;
    const { time, label, text } = await json<Record<'label' | 'text', string[]> & { time: number[] }>(
      `/udf/marks?${search}`,
    );
    const barOf = (ts: number): number => Math.floor(ts / MINUTE_MS) * 60;
    const marks = label.map((one, i) => [one, time[i], text[i]]);
    const orders = samplePrints.filter(({ coin }) => coin === 'BTC');
    for (const { side, ts, notionalUsd, price } of orders)
      expect(marks).toContainEqual([
        side === 'buy' ? 'B' : 'S',
        barOf(ts),
        `Taker order: ${side} of $${Math.round(notionalUsd)} at ${price}`,
      ]);
    expect(marks).toContainEqual(['L', barOf(START_MS - 90_000), 'Liquidated: longs $200000, shorts $0']);
  });

  it.each([
    ['symbols?symbol=HYPERLIQUID:NOSUCH', 'unknown_symbol'],
    ['symbols?symbol=NOPE:BTC', 'unknown_symbol'],
    ['symbols', 'unknown_symbol'],
    ['search?limit=x', 'limit must be a number'],
    ['history?symbol=nowhere&resolution=1&from=1&to=2', 'unknown_symbol'],
    ['history?symbol=HYPERLIQUID:BTC&resolution=7&from=1&to=2', 'resolution'],
    ['history?symbol=HYPERLIQUID:BTC.RANGE50&resolution=1&from=1&to=2', '1S'],
    ['history?symbol=AGG:BTC&resolution=1S&from=1&to=2', 'resolution'],
    ['symbols?symbol=HYPERLIQUID:BTC.TICK0', 'trades'],
    ['symbols?symbol=AGG:BTC.TICK5', 'unknown_symbol'],
    ['history?symbol=HYPERLIQUID:BTC&resolution=1&from=x&to=2', 'from'],
    ['history?symbol=HYPERLIQUID:BTC&resolution=1&from=3&to=2', 'from'],
  ])('reports %s as the protocol does', async (path, word) => {
    const { status, headers, text } = await api.fetch(`/udf/${path}`);
    const { s, errmsg } = JSON.parse(text) as { s: string; errmsg: string };
    expect([status, headers['access-control-allow-origin'], s]).toEqual([200, '*', 'error']);
    expect(errmsg).toContain(word);
  });
});

describe('/metrics/market', () => {
  it('has the figures of the named coins, and counts from the start', async () => {
    const lines = async (search = ''): Promise<string> => (await api.fetch(`/metrics/market${search}`)).text;
    const [print] = samplePrints;
    api.bus.publish(printTopic, {
      ...(print as (typeof samplePrints)[0]),
      coin: 'BTC',
      side: 'buy',
      notionalUsd: 250,
    });
    const { body } = await api.get('/perps/oi?coins=BTC');
    const [{ oiUsd } = { oiUsd: 0 }] = body.data as { oiUsd: number }[];
    const text = await lines('?coins=BTC');
    expect(text).toContain(`crosstape_open_interest_usd{venue="hyperliquid",coin="BTC"} ${oiUsd}\n`);
    expect(text).toContain(
      'crosstape_trade_volume_usd_total{venue="hyperliquid",coin="BTC",side="buy"} 250\n',
    );
    for (const name of ['open_interest_usd', 'funding_rate_8h', 'mark_price_usd', 'liquidations_usd_total'])
      expect(text).toMatch(
        new RegExp(`^# HELP crosstape_${name} .*\\.\n# TYPE crosstape_${name} (gauge|counter)$`, 'm'),
      );
    expect(text).not.toContain('coin="ETH"');
    expect((await api.fetch(`/metrics/market?coins=${'A,'.repeat(60)}A`)).status).toBe(400);
  });
});

describe('an address that leads nowhere', () => {
  it.each(['/udf', '/udf/', '/udf/nothing', '/udf/history/BTC', '/openbb/udf/nothing'])(
    'is reported as charts expect: %s',
    async (path) => {
      const { status, headers, text } = await api.fetch(`${path}?symbol=BTC`, {
        headers: { accept: 'text/html' },
      });
      expect([status, JSON.parse(text)]).toEqual([404, { s: 'error', errmsg: `No such path: ${path}.` }]);
      expect(headers['access-control-allow-origin']).toBe('*');
    },
  );

  it.each(['/aggr', '/aggr/nothing', '/aggr/historical/1/2'])(
    'is reported as aggr expects: %s',
    async (path) => {
      const { status, text } = await api.fetch(path);
      expect([status, JSON.parse(text)]).toEqual([404, { error: `No such path: ${path}.` }]);
    },
  );

  it.each([
    ['/udf/history?symbol=BTC', { s: 'error', errmsg: 'POST is not allowed here.' }],
    ['/aggr/products', { error: 'POST is not allowed here.' }],
    ['/aggr/historical/1/2/60000/HYPERLIQUID:BTC', { error: 'POST is not allowed here.' }],
  ])('and so is another method: %s', async (path, body) => {
    const { status, headers, text } = await api.fetch(path, { method: 'POST', body: 'no JSON' });
    expect([status, headers.allow, JSON.parse(text)]).toEqual([405, 'GET, HEAD', body]);
    expect(headers['access-control-allow-origin']).toBe('*');
  });
});

describe('/openbb', () => {
  interface Widget {
    readonly type: string;
    readonly endpoint: string;
    readonly data: { readonly dataKey?: string };
    readonly params?: readonly { readonly paramName: string; readonly value: string | number }[];
  }

  it('has a widget for every list, and answers what a widget asks for with its empty parameters', async () => {
    const widgets = await json<Record<string, Widget>>('/openbb/widgets.json');
    const tables = Object.values(widgets).filter(({ type }) => type === 'table');
    expect(tables).toHaveLength(endpoints.filter(takesCsv).length);
    const apps = await json<{ tabs: { market: { layout: { i: string }[] } } }[]>('/openbb/apps.json');
    for (const { i } of apps[0]?.tabs.market.layout ?? []) expect(widgets).toHaveProperty(i);
    for (const name of ['perps_oi', 'candles', 'perps_tickers']) {
      const { endpoint, data, params = [] } = widgets[name] as Widget;
      const search = params.map(({ paramName, value }) => `${paramName}=${value}`).join('&');
      const answer = await api.fetch(`/openbb/${endpoint}?${search}`);
      expect([answer.status, data.dataKey, name], answer.text.slice(0, 200)).toEqual([200, 'data', name]);
      expect((answer.body.data as unknown[]).length).toBeGreaterThan(0);
    }
    expect((await api.fetch('/openbb/udf/config')).status).toBe(200);
  });

  it('sends a list as the interface does, without parsing and printing it again', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    const search = `candles?market=hyperliquid:BTC&start=${from}&end=${end}`;
    const own = await api.fetch(`/api/v1/${search}`);
    parse.mockClear();
    const integration = await api.fetch(`/openbb/api/v1/${search}`);
    // The client of the test parses it once.
    expect(parse.mock.calls.filter(([text]) => text === integration.text)).toHaveLength(1);
    expect([integration.text, integration.headers.etag]).toEqual([own.text, own.headers.etag]);
    parse.mockRestore();
  });

  it('reports failures as the interface does', async () => {
    const { status, body } = await api.fetch('/openbb/api/v1/candles?market=&interval=1m');
    expect([status, body.meta.code]).toEqual([400, 'bad_request']);
    expect(body.error).toContain('market');
  });
});

describe('/aggr', () => {
  it('answers with points whose sums are those of the candles', async () => {
    expect(await json('/aggr/products')).toContain('HYPERLIQUID:BTC');
    const rows = await candles(`start=${from}&end=${end}`);
    const { columns, results } = await json<{
      columns: Record<string, number>;
      results: (number | string)[][];
    }>(`/aggr/historical/${from}/${end}/60000/HYPERLIQUID%3ABTC%2BNOWHERE%3AX`);
    const value = (row: readonly (number | string)[], name: string): number =>
      Number(row[columns[name] ?? -1]);
    for (const [i, row] of rows.entries()) {
      const point = results[i] ?? [];
      expect(value(point, 'time')).toBe(row.ts / 1_000);
      for (const name of ['open', 'high', 'low', 'close']) expect(value(point, name)).toBe(row[name]);
      expect(value(point, 'vbuy') + value(point, 'vsell')).toBeCloseTo(row.notionalUsd as number, 6);
      expect(value(point, 'cbuy') + value(point, 'csell')).toBe(row.trades);
    }
    expect(results).toHaveLength(rows.length);
  });

  it.each([
    [`${end}/${from}/60000/HYPERLIQUID:BTC`, 400, 'from > to'],
    [`${from}/${end}/61000/HYPERLIQUID:BTC`, 400, 'missing interval'],
    [`0/${end}/60000/HYPERLIQUID:BTC`, 400, 'too many bars'],
    [`a/${end}/60000/HYPERLIQUID:BTC`, 400, 'milliseconds'],
    [`${from}/${end}/60000/NOWHERE:X`, 404, 'no results'],
  ])('reports %s', async (path, status, words) => {
    const answer = await api.fetch(`/aggr/historical/${path}`);
    expect(answer.status).toBe(status);
    expect((JSON.parse(answer.text) as { error: string }).error).toContain(words);
  });
});

it('counts a request for many symbols or bars as several', async () => {
  // Requests of other tests no longer count.
  api.clock.advance(MINUTE_MS);
  const left = async (url: string): Promise<number> =>
    Number(/r=(\d+)/.exec(String((await api.fetch(url)).headers.ratelimit))?.[1]);
  const many = Array.from({ length: 25 }, () => 'HYPERLIQUID:BTC').join(',');
  const dear = `/aggr/historical/${end - 25_000 * MINUTE_MS}/${end}/60000/HYPERLIQUID:BTC`;
  const before = await left('/udf/time');
  expect(await left(`/udf/quotes?symbols=${many}`)).toBe(before - 3);
  expect(await left(dear)).toBe(before - 6);
  expect(await left('/udf/quotes?symbols=HYPERLIQUID:BTC')).toBe(before - 7);
  // Escapes do not make it cheaper.
  expect(await left(dear.replace('/60000/HYPERLIQUID:BTC', '/6%30000/HYPERLIQUID:BTC%2BX'))).toBe(
    before - 12,
  );
  expect(await left('/udf/quotes?symbols=%')).toBe(before - 13);
});
