import type { Positioning } from '@crosstape/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Demand, demandTopic, snapshotTopic } from '../../../topics.ts';
import { publishSampleMarket, publishSamplePositioning } from '../../../api/testing/sample-market.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';

const okxRows: readonly Positioning[] = [
  {
    coin: 'BTC',
    symbol: 'BTC-USDT-SWAP',
    period: '1h',
    view: 'top',
    basis: 'positions',
    longFraction: 0.5,
    longShortRatio: 1,
    asOfMs: START_MS,
  },
];

let api: TestApi;
let demands: Demand[];
beforeEach(async () => {
  api = await startTestApi();
  demands = [];
  api.bus.subscribe(demandTopic, (demand) => demands.push(demand));
  publishSampleMarket(api);
});
afterEach(() => api.close());

it('returns both views of Binance and the top traders of OKX, and what each counts', async () => {
  publishSamplePositioning(api);
  const { body } = await api.get('/perps/positioning?coins=btc');
  const head = { coin: 'BTC', fetchedAt: START_MS };
  expect(body.data).toEqual([
    {
      ...head,
      venue: 'binance',
      view: 'global',
      longFraction: 0.6,
      longShortRatio: 0.6 / 0.4,
      basis: 'accounts',
    },
    {
      ...head,
      venue: 'binance',
      view: 'top',
      longFraction: 0.55,
      longShortRatio: 0.55 / (1 - 0.55),
      basis: 'positions',
    },
    { ...head, venue: 'okx', view: 'top', longFraction: 0.5, longShortRatio: 1, basis: 'positions' },
  ]);
  expect(body.meta).toEqual({ fetchedAt: START_MS, source: 'binance+okx' });
});

it('asks the venues for the contracts of the coins, in the period requested', async () => {
  publishSamplePositioning(api);
  await api.get('/perps/positioning?coins=BTC');
  const keyed = demands.filter(({ keys }) => keys !== undefined);
  expect(keyed).toEqual([
    { venue: 'binance', table: 'positioning', keys: ['BTCUSDT 1h global', 'BTCUSDT 1h top'] },
    { venue: 'okx', table: 'positioning', keys: ['BTC-USDT-SWAP 1h top'] },
  ]);
});

it('gives what it has after a while, and names the coins that are still missing', async () => {
  publishSamplePositioning(api);
  api.table('binance', 'instruments', [
    { coin: 'BTC', symbol: 'BTCUSDT' },
    { coin: 'ETH', symbol: 'ETHUSDT' },
  ]);
  const asking = api.get('/perps/positioning?coins=BTC,ETH,kPEPE');
  await expect.poll(() => demands.some(({ keys }) => keys?.includes('ETHUSDT 1h top'))).toBe(true);
  api.clock.advance(3_001);
  const { status, body } = await asking;
  expect(status).toBe(200);
  expect(body.data).toHaveLength(3);
  expect(body.meta).toMatchObject({
    partial: true,
    notListed: [
      { venue: 'binance', coins: ['kPEPE'] },
      { venue: 'okx', coins: ['ETH', 'kPEPE'] },
    ],
    sources: [{ source: 'binance:positioning', coins: ['ETH'] }],
  });
});

it('waits for the first ratios though nothing but the health of the venue’s other tables is known', async () => {
  api.table('binance', 'instruments', [{ coin: 'BTC', symbol: 'BTCUSDT' }]);
  api.table('okx', 'instruments', [{ coin: 'BTC', symbol: 'BTC-USDT-SWAP' }]);
  for (const venue of ['binance', 'okx']) api.health(venue, { gives: ['instruments', 'openInterest'] });
  const asking = api.get('/perps/positioning?coins=BTC');
  await expect.poll(() => demands.some(({ venue }) => venue === 'okx')).toBe(true);
  publishSamplePositioning(api);
  const { status, body } = await asking;
  expect(status).toBe(200);
  expect(body.data).toHaveLength(3);
});

it('waits for new ratios of a source that had failed before it became idle', async () => {
  publishSamplePositioning(api);
  for (const venue of ['binance', 'okx'])
    api.health(venue, { gives: ['positioning'], status: 'down', error: 'No answer yet.' });
  api.clock.advance(1_200_000);
  demands.length = 0;
  const asking = api.get('/perps/positioning?coins=BTC');
  await expect.poll(() => demands.length).toBeGreaterThan(0);
  publishSamplePositioning(api);
  expect((await asking).body.meta).toEqual({ fetchedAt: api.clock.now(), source: 'binance+okx' });
});

it('is unavailable when no source answers', async () => {
  api.table('binance', 'instruments', [{ coin: 'BTC', symbol: 'BTCUSDT' }]);
  const asking = api.get('/perps/positioning?coins=BTC');
  await expect.poll(() => demands.length > 0).toBe(true);
  api.clock.advance(3_001);
  expect((await asking).status).toBe(503);
});

it('rejects a coin that no venue lists', async () => {
  expect((await api.get('/perps/positioning?coins=NOPE')).status).toBe(404);
});

it('returns no rows, and reports it as not listed, for a coin without a ratio', async () => {
  publishSamplePositioning(api);
  const { status, body } = await api.get('/perps/positioning?coins=kPEPE');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    data: [],
    meta: {
      notListed: [
        { venue: 'binance', coins: ['kPEPE'] },
        { venue: 'okx', coins: ['kPEPE'] },
      ],
    },
  });
});

it('does not wait for a ratio that the venue does not have, and says so', async () => {
  publishSamplePositioning(api);
  api.bus.publish(snapshotTopic('okx', 'positioning'), {
    venue: 'okx',
    rows: [],
    fetchedAtMs: START_MS,
    everyMs: 300_000,
    absent: ['BTC-USDT-SWAP 1h top'],
  });
  const { body } = await api.get('/perps/positioning?coins=BTC');
  expect(body.data).toHaveLength(2);
  expect(body.meta).toMatchObject({
    partial: false,
    sources: [{ source: 'okx:positioning', status: 'ok', coins: ['BTC'] }],
  });
});

it('after a while without callers waits for new ratios rather than serve old ones', async () => {
  publishSamplePositioning(api);
  const ok = { gives: ['positioning'], status: 'ok' } as const;
  api.health('binance', ok);
  api.health('okx', ok);
  for (const minutes of [20, 200]) {
    api.clock.advance(minutes * 60_000);
    const before = demands.length;
    const asking = api.get('/perps/positioning?coins=BTC');
    await expect.poll(() => demands.length > before).toBe(true);
    publishSamplePositioning(api);
    const { status, body } = await asking;
    expect(status).toBe(200);
    expect(body.data).toMatchObject([{}, {}, {}].map(() => ({ fetchedAt: api.clock.now() })));
    expect(body.meta).toEqual({ fetchedAt: api.clock.now(), source: 'binance+okx' });
  }
});

it('serves old ratios as stale while their source fails, and none that are too old', async () => {
  publishSamplePositioning(api);
  api.health('okx', { gives: ['positioning'], status: 'ok' });
  api.health('binance', {
    source: 'binance:topLongShortPositionRatio-1h',
    gives: ['positioning'],
    status: 'limited',
    error: 'HTTP 429.',
  });
  api.clock.advance(20 * 60_000);
  api.table('okx', 'positioning', okxRows, 300_000);
  const { body } = await api.get('/perps/positioning?coins=BTC');
  expect(body.data).toHaveLength(3);
  expect(body.meta).toMatchObject({
    stale: true,
    ageMs: 20 * 60_000,
    partial: false,
    sources: [{ source: 'binance:topLongShortPositionRatio-1h', status: 'limited', coins: ['BTC'] }],
  });
  api.clock.advance(31 * 60_000);
  api.table('okx', 'positioning', okxRows, 300_000);
  const later = (await api.get('/perps/positioning?coins=BTC')).body;
  expect(later.data).toMatchObject([{ venue: 'okx' }]);
  expect(later.meta).toMatchObject({
    partial: true,
    sources: [{ source: 'binance:topLongShortPositionRatio-1h', status: 'limited', coins: ['BTC'] }],
  });
});
