import { DAY_MS, HOUR_MS } from '@crosstape/core';
import { afterEach, expect, it } from 'vitest';
import { recordedTrades, sampleTrade } from '../../../api/testing/sample-option-trades.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';

const trades = [
  sampleTrade({ id: '1', ts: START_MS - 1_000 }),
  sampleTrade({ id: '2', ts: START_MS - 2_000, side: 'sell', size: 2, block: 'BLOCK-7', blockLegs: 2 }),
  sampleTrade({ id: '3', ts: START_MS - 2_000, type: 'P', strike: 90_000, size: 3, block: 'BLOCK-7' }),
  sampleTrade({ id: '4', ts: START_MS - 2 * HOUR_MS, expiryMs: Date.UTC(2026, 10, 27, 8) }),
  sampleTrade({ id: '5', ts: START_MS - 3 * DAY_MS }),
  sampleTrade({
    id: 'XRP_USDC-6',
    coin: 'XRP',
    symbol: 'XRP_USDC-22SEP26-1d25-P',
    type: 'P',
    strike: 1.25,
    isLinear: true,
    price: 0.04,
    size: 25_000,
    index: 1.2,
    liquidated: 'taker',
    combo: 'XRP_USDC-RR',
  }),
];
const since = (from: number, to = START_MS) => ({ from, to });

let api: TestApi;
afterEach(() => api.close());

async function open(spans = [since(START_MS - 10 * DAY_MS)]): Promise<void> {
  api = await startTestApi({ optionTrades: await recordedTrades(trades, spans) });
}

async function get(path: string) {
  const { status, body } = await api.get(path);
  return { status, error: body.error, meta: body.meta, data: body.data as Record<string, unknown>[] };
}

const idsOf = (data: readonly Record<string, unknown>[]): unknown[] => data.map(({ id }) => id);

it('returns trades, newest first, with premiums in USD of both kinds of options', async () => {
  await open();
  const { data, meta } = await get('/options/trades?underlying=btc');
  expect(idsOf(data)).toEqual(['1', '3', '2', '4']);
  expect(data[0]).toEqual({
    ts: START_MS - 1_000,
    id: '1',
    instrument: 'BTC-22SEP26-100000-C',
    underlying: 'BTC',
    strike: 100_000,
    expiryMs: sampleTrade().expiryMs,
    type: 'C',
    side: 'buy',
    price: 0.02,
    priceUsd: 2_000,
    size: 25,
    premiumUsd: 50_000,
    iv: 50,
    markPrice: 0.0201,
    indexPrice: 100_000,
    delta: 0.5,
    vega: 40,
    venueInstrument: 'BTC-22SEP26-100000-C',
  });
  expect(meta).toEqual({
    fetchedAt: START_MS,
    source: 'deribit',
    recordedSince: START_MS - 10 * DAY_MS,
    nextEnd: null,
  });
  expect((await get('/options/trades?underlying=XRP')).data).toMatchObject([
    { price: 0.04, priceUsd: 0.04, premiumUsd: 1_000, liquidated: 'taker', combo: 'XRP_USDC-RR' },
  ]);
});

it.each([
  ['type=P', ['3']],
  ['side=sell', ['2']],
  ['blocks=only', ['3', '2']],
  ['blocks=none', ['1', '4']],
  ['minPremium=6000', ['1', '3', '4']],
  ['expiry=27NOV26', ['4']],
  [`start=0`, ['1', '3', '2', '4', '5']],
  [`end=${START_MS - 2_000}`, ['4']],
])('takes %s', async (search, expected) => {
  await open();
  expect(idsOf((await get(`/options/trades?underlying=BTC&${search}`)).data)).toEqual(expected);
});

it('pages without splitting a millisecond', async () => {
  await open();
  const pages: unknown[][] = [];
  for (let end: number | null = START_MS; end !== null; ) {
    const search = `underlying=BTC&limit=2&start=0&end=${end}`;
    const { data, meta }: Awaited<ReturnType<typeof get>> = await get(`/options/trades?${search}`);
    pages.push(idsOf(data));
    end = meta['nextEnd'] as number | null;
  }
  expect(pages).toEqual([
    ['1', '3', '2'],
    ['4', '5'],
  ]);
});

it.each([
  'underlying=DOGE',
  'underlying=BTC&expiry=31FEB26',
  'underlying=BTC&expiry=nov',
  'underlying=BTC&type=X',
])('refuses %s', async (search) => {
  await open();
  expect((await get(`/options/trades?${search}`)).status).toBe(400);
});

it('returns CSV', async () => {
  await open();
  const { text } = await api.get('/options/trades?underlying=BTC&format=csv&limit=1');
  expect(text.split('\r\n')[0]).toMatch(/^ts,id,instrument,underlying,strike,.*premiumUsd/);
});

it('names the gaps of the range after the record begins, and is stale when it was not read lately', async () => {
  await open([since(START_MS - 2 * DAY_MS, START_MS - HOUR_MS), since(START_MS - HOUR_MS / 2)]);
  const gaps = [{ from: START_MS - HOUR_MS, to: START_MS - HOUR_MS / 2 }];
  const range = `underlying=BTC&start=${START_MS - 3 * DAY_MS}`;
  const { meta } = await get(`/options/trades?${range}`);
  expect(meta).toMatchObject({ partial: true, gaps, recordedSince: START_MS - 2 * DAY_MS });
  const recent = `underlying=BTC&start=${START_MS - HOUR_MS / 2}`;
  expect((await get(`/options/trades?${recent}`)).meta).not.toHaveProperty('gaps');
  api.clock.advance(60_000);
  expect((await get(`/options/trades?${recent}`)).meta).not.toHaveProperty('stale');
  api.clock.advance(2_000);
  expect((await get(`/options/trades?${recent}`)).meta).toMatchObject({
    stale: true,
    ageMs: 62_000,
    fetchedAt: START_MS,
    partial: false,
    sources: [{ source: 'deribit:option-trades', status: 'stale', ageMs: 62_000 }],
  });
});

it('names a source that fails before its record is stale, and is not of the future', async () => {
  await open([since(START_MS - 2 * DAY_MS, START_MS + 5_000)]);
  api.health('deribit', { source: 'deribit:option-trades', status: 'down', error: 'No answer.' });
  expect((await get('/options/trades?underlying=BTC')).meta).toEqual({
    fetchedAt: START_MS,
    source: 'deribit',
    recordedSince: START_MS - 2 * DAY_MS,
    sources: [{ source: 'deribit:option-trades', status: 'down', ageMs: 0, error: 'No answer.' }],
    nextEnd: null,
  });
});

it('is 503 with the source before anything is recorded', async () => {
  await open([]);
  api.health('deribit', { source: 'deribit:option-trades', status: 'down', error: 'No answer.' });
  for (const path of ['/options/trades?underlying=BTC', '/options/flow?underlying=BTC']) {
    const { status, meta } = await get(path);
    expect(status).toBe(503);
    expect(meta['sources']).toMatchObject([
      { source: 'deribit:option-trades', status: 'down', error: 'No answer.' },
    ]);
  }
});

it('sums the flow of a window, and says which part of it is not recorded', async () => {
  await open();
  const flow = await api.get('/options/flow?underlying=BTC&window=1h');
  expect(flow.body.data).toMatchObject({
    underlying: 'BTC',
    fromMs: START_MS - HOUR_MS,
    toMs: START_MS,
    calls: { trades: 2, boughtUsd: 50_000, soldUsd: 4_000, netUsd: 46_000, deltaCoins: 11.5, vegaUsd: 920 },
    puts: { trades: 1, netUsd: 6_000 },
    blocks: { calls: { netUsd: -4_000 }, puts: { netUsd: 6_000 } },
    byExpiry: [{ expiryLabel: '22SEP26', calls: { trades: 2 } }],
    byStrike: [{ strike: 90_000 }, { strike: 100_000 }],
    largest: [{ id: '1' }, { id: '3' }, { id: '2' }],
  });
  expect(flow.body.meta).not.toHaveProperty('partial');
  const screen = await api.get('/options/flow?underlying=BTC&window=7d&blocks=none');
  expect(screen.body.data).toMatchObject({
    calls: { trades: 3 },
    puts: { trades: 0 },
    blocks: { calls: { trades: 0 } },
  });

  await api.close();
  await open([since(START_MS - DAY_MS)]);
  expect((await api.get('/options/flow?underlying=BTC&window=7d')).body.meta).toMatchObject({
    partial: true,
    recordedSince: START_MS - DAY_MS,
    gaps: [{ from: START_MS - 7 * DAY_MS, to: START_MS - DAY_MS }],
  });
});

it.each([
  ['&window=1h', 1],
  ['&window=4h', 4],
  ['&window=24h', 24],
  ['&window=7d', 168],
  ['', 24],
])('sums the window of "%s": %i hours', async (search, hours) => {
  await open();
  const { data } = (await api.get(`/options/flow?underlying=BTC${search}`)).body;
  expect(data).toMatchObject({ fromMs: START_MS - hours * HOUR_MS, toMs: START_MS });
});

it('rounds sums to cents and millionths of a coin', async () => {
  const small = ['1', '2', '3'].map((id) => sampleTrade({ id, size: 0.1, delta: 0.123_457, vega: 0.7 }));
  const odd = sampleTrade({ id: '4', type: 'P', size: 0.123_456_7, price: 0.000_123, delta: -1, vega: 1.11 });
  api = await startTestApi({ optionTrades: await recordedTrades([...small, odd]) });
  expect((await api.get('/options/flow?underlying=BTC')).body.data).toMatchObject({
    calls: {
      trades: 3,
      boughtUsd: 600,
      soldUsd: 0,
      netUsd: 600,
      boughtCoins: 0.3,
      soldCoins: 0,
      deltaCoins: 0.037037,
      vegaUsd: 0.21,
    },
    puts: { boughtUsd: 1.52, netUsd: 1.52, boughtCoins: 0.123457, deltaCoins: -0.123457, vegaUsd: 0.14 },
  });
});

it('reads again after two seconds, sums after ten, and those of a week after a minute', async () => {
  const table = await recordedTrades([sampleTrade()]);
  api = await startTestApi({ optionTrades: table });
  const counts = async (): Promise<readonly number[]> => {
    const flowOf = async (window: string) => {
      const { data } = (await api.get(`/options/flow?underlying=BTC&window=${window}`)).body;
      return (data as { readonly calls: { readonly trades: number } }).calls.trades;
    };
    const { data } = await get('/options/trades?underlying=BTC');
    return [data.length, await flowOf('4h'), await flowOf('7d')];
  };
  expect(await counts()).toEqual([1, 1, 1]);
  await table.append([sampleTrade({ id: '2' })], { book: 'btc', from: START_MS, to: START_MS });
  const later: (readonly number[])[] = [];
  for (const advanceMs of [1_999, 1, 7_999, 1, 49_999, 1]) {
    api.clock.advance(advanceMs);
    later.push(await counts());
  }
  expect(later).toEqual([
    [1, 1, 1],
    [2, 1, 1],
    [2, 1, 1],
    [2, 2, 1],
    [2, 2, 1],
    [2, 2, 2],
  ]);
});
