import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { DAY_MS } from '@crosstape/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishSampleMarket } from '../../api/testing/sample-market.ts';
import { sampleTrades } from '../../api/testing/sample-tape.ts';
import { START_MS, startTestApi, type TestApi } from '../../api/testing/test-api.ts';
import type { Context } from '../context.ts';
import { LiquidationEvents } from '../liquidations/liquidation-events.ts';
import { LiquidationTable } from '../liquidations/liquidation-table.ts';
import { MarketTable } from '../market-tape/market-table.ts';
import { HistoryTable } from '../perps/history-table.ts';
import { GapLedger } from '../tape/gap-ledger.ts';
import { TickBuffer } from '../tape/tick-buffer.ts';
import { TickTable } from '../tape/tick-table.ts';
import { clockTopic } from '../../topics.ts';
import { derivativeLines, liquidationLines } from './other-lines.ts';

const day = Math.floor(START_MS / DAY_MS) * DAY_MS - DAY_MS;
const pathOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '/');
const date = pathOf(day);

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ hasTape: true });
  publishSampleMarket(api);
  const [first, second, third] = sampleTrades(day + 1_000, 3);
  await api.tape.record([first!, { ...second!, venueTs: second!.ts - 3 }], 'sealed');
  await api.tape.record([third!, { ...third!, ts: day + DAY_MS }], 'tail');
  const gap = {
    coin: 'BTC',
    from: day - 6_000,
    to: day - 5_000,
    state: 'missing',
    reason: 'no socket',
  } as const;
  await api.tape.connected(day - DAY_MS, START_MS, gap);
  const { store } = api.tape;
  const market = {
    id: 'binance:BTCUSDT',
    venue: 'binance',
    kind: 'perp',
    symbol: 'BTCUSDT',
    coin: 'BTC',
  } as const;
  const unit = {
    quote: 'USDT',
    scale: 1,
    contractSize: 0.01,
    tick: 0.1,
    publisher: 'binance',
    isCounted: false,
  };
  await new MarketTable(store).put([{ ...market, ...unit }], day);
  const ticks = new TickBuffer();
  ticks.add({ ...first!, coin: 'BTCUSDT', venue: 'binance', size: 3 });
  await store.commit([
    ...new TickTable(store, 'binance').sealing('BTCUSDT', ticks, 1, []),
    new GapLedger(store, 'binance').extending({ from: day, to: day + DAY_MS }),
  ]);
  const liquidation = {
    coin: 'BTC',
    venue: 'binance',
    symbol: 'BTCUSDT',
    price: 99_000,
    notionalUsd: 49_500,
  };
  await new LiquidationTable(store).append(
    [
      { ...liquidation, size: 0.5, side: 'buy', ts: day + 9, inferred: false },
      { ...liquidation, size: 0.7, side: 'sell', ts: day + 7, inferred: false, id: 'x' },
    ],
    [],
  );
  const funding = { hyperliquid: { rate: 0.0001, nativePeriodHours: 1 } };
  await new HistoryTable(store).append([{ coin: 'BTC', t: day, openInterest: 5, funding }]);
});
afterAll(() => api.close());

async function linesOf(path: string): Promise<readonly string[]> {
  const { status, headers, raw, text } = await api.fetch(`/datasets/${path}.csv.gz`);
  expect([status, headers['content-type'], headers['content-encoding']], text).toEqual([
    200,
    'application/gzip',
    undefined,
  ]);
  return String(gunzipSync(raw)).trimEnd().split('\n').slice(1);
}

it('has the trades of a day with its venue time, in microseconds', async () => {
  expect(await linesOf(`hyperliquid/trades/${date}/BTC`)).toEqual([
    `hyperliquid,BTC,${day + 1_000}000,${day + 1_000}000,0,buy,100000,0.001`,
    `hyperliquid,BTC,${day + 1_497}000,${day + 1_500}000,1,sell,100003,0.002`,
    `hyperliquid,BTC,${day + 2_000}000,${day + 2_000}000,2,buy,100005,0.003`,
  ]);
});

it("takes Tardis' names of exchanges, and converts contracts to coins", async () => {
  expect(await linesOf(`binance-futures/trades/${date}/BTCUSDT`)).toEqual([
    `binance-futures,BTCUSDT,${day + 1_000}000,${day + 1_000}000,0,buy,100000,0.03`,
  ]);
});

it('has liquidations by time, and funding with open interest', async () => {
  const { store, markets } = api.tape;
  const [liquidationEvents, histories] = [new LiquidationEvents(store), new HistoryTable(store)];
  const resources = { liquidationEvents, histories, markets, primaryVenue: 'hyperliquid' };
  const context = { resources } as unknown as Context;
  const range = { fromTs: day, toTs: day + DAY_MS };
  const ofBinance = { exchange: 'binance-futures', prefix: 'binance', symbol: 'BTCUSDT', ...range };
  expect(
    String(Buffer.concat(await liquidationLines(context, ofBinance)))
      .split('\n')
      .slice(1),
  ).toEqual([
    `binance-futures,BTCUSDT,${day + 7}000,${day + 7}000,x,sell,99000,0.7`,
    `binance-futures,BTCUSDT,${day + 9}000,${day + 9}000,,buy,99000,0.5`,
    '',
  ]);
  const ofPrimary = { exchange: 'hyperliquid', prefix: 'hyperliquid', symbol: 'BTC', ...range };
  expect(
    String(Buffer.concat(await derivativeLines(context, ofPrimary)))
      .split('\n')
      .slice(1),
  ).toEqual([`hyperliquid,BTC,${day}000,${day}000,,0.0001,,5,,,`, '']);
});

it('gives the same bytes each time, and none to a client that has them', async () => {
  const path = `/datasets/hyperliquid/trades/${date}/BTC.csv.gz?retryAttempt=2`;
  const [one, two] = [await api.fetch(path), await api.fetch(path)];
  expect(one.raw).toEqual(two.raw);
  const etag = one.headers.etag as string;
  expect(one.headers['cache-control']).toBe('no-cache');
  expect((await api.fetch(path, { headers: { 'If-None-Match': etag } })).status).toBe(304);
});

describe('a large day of liquidations', () => {
  const PAGE = 5_000;
  const name = { exchange: 'binance-futures', prefix: 'binance', symbol: 'BTCUSDT' };
  const range = { fromTs: day, toTs: day + DAY_MS };
  const pagesOf = (count: number, event: unknown) => {
    let pages = 0;
    const newest = async () => {
      pages += 1;
      return {
        events: Array.from({ length: PAGE }, () => event),
        ...(pages < count && { nextEndMs: range.toTs - pages }),
      };
    };
    return { resources: { liquidationEvents: { newest } } } as unknown as Context;
  };
  const event = { coin: 'BTC', venue: 'binance', symbol: 'BTCUSDT', side: 'buy', price: 1, size: 1, ts: day };

  it('is printed a page at a time, with turns for others in between', async () => {
    let printed = 0;
    let most = 0;
    let next = setImmediate(function turn() {
      printed = 0;
      next = setImmediate(turn);
    });
    const counting = {
      ...event,
      get size() {
        printed += 1;
        most = Math.max(most, printed);
        return 1;
      },
    };
    const lines = await liquidationLines(pagesOf(10, counting), { ...name, ...range });
    clearImmediate(next);
    expect(String(Buffer.concat(lines)).split('\n')).toHaveLength(10 * PAGE + 2);
    expect(most).toBe(PAGE);
  });

  it('is refused rather than cut off', async () => {
    await expect(liquidationLines(pagesOf(2, event), { ...name, ...range }, PAGE)).rejects.toMatchObject({
      code: 'too_large',
    });
  });
});

it('has the tag of the text of other files, so that nothing is compressed for a client that has it', async () => {
  const path = `/datasets/binance-futures/liquidations/${date}/BTCUSDT.csv.gz`;
  const { status, raw, headers } = await api.fetch(path);
  expect(status).toBe(200);
  const text = gunzipSync(raw);
  expect(String(text).split('\n')).toHaveLength(3);
  const etag = `"${createHash('sha256').update(text).digest('hex').slice(0, 32)}"`;
  expect(headers.etag).toBe(etag);
  expect((await api.fetch(path, { headers: { 'If-None-Match': etag } })).status).toBe(304);
});

it('has no trades while the clock is ahead, by which a day is over before it is', async () => {
  const path = `/datasets/hyperliquid/trades/${date}/BTC.csv.gz`;
  const ahead = { skewMs: 8 * 3_600_000, stepMs: 0, isWrong: true };
  api.bus.publish(clockTopic, ahead);
  const { status, text } = await api.fetch(path);
  expect([status, text]).toEqual([503, expect.stringContaining('clock')]);
  // The machine's clock was set, and the service goes by its own.
  api.bus.publish(clockTopic, { ...ahead, stepMs: ahead.skewMs });
  expect((await api.fetch(path)).status).toBe(200);
});

it.each([
  [`hyperliquid/trades/${pathOf(START_MS)}/BTC`, 404, 'is not over yet'],
  [`hyperliquid/trades/${pathOf(day - DAY_MS)}/BTC`, 404, 'is not complete: no socket'],
  [`hyperliquid/trades/${date}/NOPE`, 404, 'No market NOPE'],
  [`okex/derivative_ticker/${date}/BTC`, 404, 'No sample of BTC'],
  [`hyperliquid/liquidations/${date}/ETH`, 404, 'No liquidation of ETH'],
  [`hyperliquid/quotes/${date}/BTC`, 400, 'not of quotes'],
  ['hyperliquid/trades/2026/02/30/BTC', 400, 'is not a date'],
  ['hyperliquid/trades/BTC', 404, 'A dataset is'],
])('refuses %s', async (path, status, message) => {
  const answer = await api.fetch(`/datasets/${path}.csv.gz`);
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(message)]);
});
