import { HOUR_MS } from '@crosstape/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import { buildRequest, buildSampleBars, recordSampleTape } from '../../../api/testing/sample-tape.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';
import { GapLedger } from '../../tape/gap-ledger.ts';
import { TickBuffer } from '../../tape/tick-buffer.ts';
import { TickTable } from '../../tape/tick-table.ts';
import { VENUE_WHALES, WhaleTable } from '../../whales/whale-table.ts';
import { createWhaleReader } from '../../whales/whales.ts';
import { MarketTable } from '../market-table.ts';
import { usdRatesTopic } from '../../../topics.ts';

const symbol = 'BTC-USDT-SWAP';
const id = `okx:${symbol}`;
const from = START_MS - HOUR_MS;
const gap = { coin: symbol, from: from + 100_000, to: from + 101_000, state: 'partial' } as const;

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ hasTape: true });
  publishSampleMarket(api);
  await recordSampleTape(api);
  const { store } = api.tape;
  const market = { id, venue: 'okx', kind: 'perp', symbol, coin: 'BTC', quote: 'USDT', scale: 1 } as const;
  const recorded = { ...market, contractSize: 0.01, tick: 0.1, publisher: 'okx', isCounted: true };
  await new MarketTable(store).put([recorded], from);
  const ticks = new TickTable(store, 'okx');
  const buffer = new TickBuffer();
  const one = { coin: symbol, venue: 'okx', side: 'buy', notionalUsd: 0, sameOrder: false } as const;
  for (let i = 0; i < 10; i += 1)
    buffer.add({ ...one, ts: from + i * 20_000, price: 96_500.5, size: 3, tid: 70 + i });
  const ledger = new GapLedger(store, 'okx');
  const counted = { ...gap, reason: 'no socket', method: 'count', missing: 4 } as const;
  await store.commit([
    ...ticks.sealing(symbol, buffer, 6, []),
    ...ticks.appending(symbol, buffer, 6, 10, 1),
    ...ledger.entering([counted]),
    ledger.extending({ from, to: START_MS, recordCoins: symbol }),
  ]);
});
afterAll(() => api.close());

describe('history of a market', () => {
  it('keeps the numbers of the venue in packed chunks, and says its unit', async () => {
    const { status, body } = await api.get(`/perps/trades/history?market=OKEX:btc-usdt-swap`);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      coin: 'BTC',
      market: id,
      unit: { contractSize: 0.01, scale: 1, quote: 'USDT' },
      chunks: [{ trades: 6 }, { trades: 4 }],
    });
    expect(body.meta).toMatchObject({ source: 'okx', recordingSince: from });
    expect(body.meta.gaps).toContainEqual(expect.objectContaining({ method: 'count', missing: 4 }));
  });

  it('counts coins in JSON', async () => {
    const { body } = await api.get(`/perps/trades/history?market=${id}&format=json`);
    expect(body.data).toHaveLength(10);
    expect((body.data as unknown[])[0]).toEqual({
      ts: from,
      price: 96_500.5,
      size: 0.03,
      side: 'buy',
      tid: 70,
    });
  });

  it('is in one unit per page where the venue has changed it', async () => {
    const untilMs = from + 8 * 20_000;
    const changed = { id: 'okx:XRP-USDT-SWAP', venue: 'okx', kind: 'perp', symbol: 'XRP-USDT-SWAP' } as const;
    const own = { coin: 'XRP', quote: 'USDT', scale: 1, publisher: 'okx', isCounted: true };
    const units = { contractSize: 1, unitsBefore: [{ contractSize: 0.1, scale: 1, untilMs }] };
    const { store } = api.tape;
    await new MarketTable(store).put([{ ...changed, ...own, ...units }], from);
    const ticks = new TickTable(store, 'okx');
    const buffer = new TickBuffer();
    const one = {
      coin: changed.symbol,
      venue: 'okx',
      side: 'buy',
      notionalUsd: 0,
      sameOrder: false,
    } as const;
    for (let i = 0; i < 10; i += 1)
      buffer.add({ ...one, ts: from + i * 20_000, price: 2_500, size: i < 8 ? 30 : 3, tid: 70 + i });
    await store.commit([
      ...ticks.sealing(changed.symbol, buffer, 6, []),
      ...ticks.appending(changed.symbol, buffer, 6, 10, 1),
    ]);
    const path = `/perps/trades/history?market=${changed.id}`;
    const first = (await api.get(path)).body;
    expect(first.data).toMatchObject({ unit: { contractSize: 0.1 }, chunks: [{ trades: 6 }, { trades: 2 }] });
    expect(first.meta).toMatchObject({ nextStart: untilMs });
    const second = (await api.get(`${path}&start=${untilMs}`)).body;
    expect(second.data).toMatchObject({ unit: { contractSize: 1 }, chunks: [{ trades: 2 }] });
    expect(second.meta).toMatchObject({ nextStart: null });
    const sizes: number[] = [];
    for (const start of [from, untilMs])
      for (const { size } of (await api.get(`${path}&format=json&start=${start}`)).body.data as {
        size: number;
      }[])
        sizes.push(size);
    expect(sizes).toEqual(Array.from({ length: 10 }, () => 3));
  });

  it('of the primary venue is that of its coin', async () => {
    const own = await api.get('/perps/trades/history?coin=BTC');
    const named = await api.get('/perps/trades/history?market=hl:btc');
    expect(named.body).toEqual(own.body);
  });

  it.each([
    ['', 400, 'Parameter `coin` is missing; it must be a ticker of 1 to 32 characters.'],
    [`coin=BTC&market=${id}`, 400, /exclude each other/],
    ['market=perp:BTC', 400, /has no tape of its own/],
    ['market=nowhere:BTC', 400, /not a venue/],
    ['market=okx:DOGE-USDT-SWAP', 404, /is not recorded/],
  ])('%s is refused', async (search, status, error) => {
    const answer = await api.get(`/perps/trades/history?${search}`);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatch(error);
  });
});

it('says how many trades there were and how many are recorded', async () => {
  const { body } = await api.get(`/coverage?market=${id}&from=${from - 1_000}&to=${from + 200_000}`);
  expect(body.data).toEqual([
    expect.objectContaining({ to: from, state: 'missing', method: 'count', recordedTrades: 0 }),
    { from, to: gap.from, state: 'complete', method: 'count', recordedTrades: 5, expectedTrades: 5 },
    {
      from: gap.from,
      to: gap.to,
      state: 'partial',
      reason: 'no socket',
      method: 'count',
      recordedTrades: 1,
      expectedTrades: 5,
    },
    expect.objectContaining({ state: 'complete', recordedTrades: 4, expectedTrades: 4 }),
  ]);
  // The number of trades before the record is unknown.
  expect((body.data as readonly object[])[0]).not.toHaveProperty('expectedTrades');
});

it('lists every recorded market', async () => {
  const { status, body } = await api.get('/markets/recorded?coin=btc');
  expect(status).toBe(200);
  expect(body.data).toMatchObject([
    { market: 'hyperliquid:BTC', venue: 'hyperliquid', counted: false },
    {
      market: id,
      kind: 'perp',
      unit: { contractSize: 0.01, scale: 1 },
      tick: 0.1,
      recordingSince: from,
      firstTs: from,
      lastTs: from + 180_000,
      trades24h: 10,
      sinceTs: from,
      completeness24h: (HOUR_MS - 1_000) / HOUR_MS,
      counted: true,
    },
  ]);
  expect((await api.get('/markets/recorded?kind=spot')).body.data).toEqual([]);
});

it.each([
  ['OKEX', [id]],
  ['okx', [id]],
  ['okx-spot', []],
  ['HL', ['hyperliquid:BTC']],
])('lists those of venue %s', async (venue, markets) => {
  const { status, body } = await api.get(`/markets/recorded?coin=btc&venue=${venue}`);
  expect(status).toBe(200);
  expect((body.data as { market: string }[]).map(({ market }) => market)).toEqual(markets);
});

it.each(['nowhere', 'perp', 'hyperliquid-spot'])('refuses venue %s', async (venue) => {
  const { status, body } = await api.get(`/markets/recorded?venue=${venue}`);
  expect(status).toBe(400);
  expect(body.error).toMatch(/^Parameter `venue`: /);
});

it('lists a market whose newest day has a damaged chunk, by the number that it was written with', async () => {
  const { store } = api.tape;
  const kept = new TickTable(store, 'okx');
  const edge = START_MS - 24 * HOUR_MS;
  const damaged = 'ETH-USDT-SWAP';
  const market = { id: `okx:${damaged}`, venue: 'okx', kind: 'perp', symbol: damaged, coin: 'ETH' } as const;
  const unit = { quote: 'USDT', contractSize: 1, scale: 1, publisher: 'okx', isCounted: true };
  await new MarketTable(store).put([{ ...market, ...unit }], from);
  const buffer = new TickBuffer();
  const one = { coin: damaged, venue: 'okx', side: 'buy', notionalUsd: 0, sameOrder: false } as const;
  for (const ts of [edge - 5, edge + 5]) buffer.add({ ...one, ts, price: 3_000, size: 1, tid: ts });
  const changes = kept.sealing(damaged, buffer, 2, []);
  const isChunk = (value: unknown): value is Uint8Array => value instanceof Uint8Array;
  for (const { put } of changes) for (const { value } of put) if (isChunk(value)) value.fill(0);
  await store.commit(changes);
  const { status, body } = await api.get('/markets/recorded?coin=eth&venue=okx');
  expect(status).toBe(200);
  expect(body.data).toMatchObject([{ market: market.id, trades24h: 2, firstTs: edge - 5 }]);
});

it('knows no times of a market that has no trade yet', async () => {
  const idle = 'SOL-USDT-SWAP';
  const market = { id: `okx:${idle}`, venue: 'okx', kind: 'perp', symbol: idle, coin: 'SOL' } as const;
  const unit = { quote: 'USDT', contractSize: 1, scale: 1, publisher: 'okx', isCounted: true };
  await new MarketTable(api.tape.store).put([{ ...market, ...unit }], from);
  const { body } = await api.get('/markets/recorded?coin=sol&venue=okx');
  expect(body.data).toMatchObject([{ market: market.id, trades24h: 0, firstTs: null, lastTs: null }]);
});

it('says what the currency of a market is worth, once that is known', async () => {
  const worths = async () => {
    const { body } = await api.get('/markets/recorded?coin=BTC');
    return (body.data as { quote: string; usdRate: number | null }[]).map(({ usdRate }) => usdRate);
  };
  expect((await worths()).at(-1)).toBeNull();
  const rate = { rate: 0.999, asOfMs: START_MS, isStale: false, venues: ['kraken'] };
  api.bus.publish(usdRatesTopic, { atMs: START_MS, rates: { USDT: rate }, failing: {} });
  expect((await worths()).at(-1)).toBe(0.999);
});

describe('bars of a market', () => {
  const build = { kind: 'tick', params: { trades: 5 } };

  it('are built over its stored and unsealed trades, in coins, apart from those of the coin', async () => {
    const { jobId, cacheKey } = await buildSampleBars(
      api,
      buildRequest({ ...build, market: 'OKEX:btc-usdt-swap' }),
    );
    const job = await api.get(`/perps/rotations/job?id=${jobId}`);
    expect(job.body.data).toMatchObject({
      status: 'done',
      stats: { market: id, trades: 10, bars: 2, tick: 0.1, gaps: [{}, { reason: 'no socket' }] },
    });
    const { body } = await api.get(`/perps/rotations/result?key=${cacheKey}&format=json`);
    expect(body.data).toMatchObject({
      coin: 'BTC',
      bars: [{ close: 96_500.5, volume: 0.15 }, { volume: 0.15 }],
    });
    const own = await buildSampleBars(api, buildRequest({ ...build, coin: 'BTC' }));
    expect(own.cacheKey).not.toBe(cacheKey);
  });

  it('of all markets of a coin are built over their trades together, at the prices of the reference', async () => {
    const seconds = { kind: 'time', params: { intervalMs: 20_000 }, market: 'PERP:btc' };
    const { jobId, cacheKey } = await buildSampleBars(api, buildRequest(seconds));
    const { stats } = (await api.get(`/perps/rotations/job?id=${jobId}`)).body.data as {
      stats: { trades: number; market: string; merged: { members: object[] }; gaps: { reason: string }[] };
    };
    // Before its record a market is no member; its gaps are those of the bars.
    expect(stats.gaps.map(({ reason }) => reason)).toEqual([
      'before the record begins',
      'no socket to the venue was up',
      'no socket',
    ]);
    expect(stats).toMatchObject({
      market: 'perp:BTC',
      trades: 7_202,
      merged: {
        reference: 'hyperliquid:BTC',
        members: [
          { market: 'hyperliquid:BTC', trades: 7_192 },
          { market: id, trades: 10, cursor: null },
        ],
      },
    });
    const { body } = await api.get(`/perps/rotations/result?key=${cacheKey}&format=json`);
    const bars = (
      body.data as { bars: { openTs: number; high: number; trades: number; complete: boolean }[] }
    ).bars;
    const own = await buildSampleBars(api, buildRequest({ ...seconds, market: 'hyperliquid:BTC' }));
    const { body: alone } = await api.get(`/perps/rotations/result?key=${own.cacheKey}&format=json`);
    const reference = (alone.data as { bars: typeof bars }).bars;
    expect(bars.map(({ high }) => high)).toEqual(reference.map(({ high }) => high));
    expect(bars.filter(({ trades }, i) => trades === reference[i]!.trades + 1)).toHaveLength(10);
    const gapped = bars.find(({ openTs }) => openTs === Math.floor(gap.from / 20_000) * 20_000);
    expect(gapped?.complete).toBe(false);
  });

  it.each([
    [{ market: 'perp:BTC', degraded: true }, 400],
    [{ market: 'perp:BTC', from: 1, to: 8 * 24 * HOUR_MS }, 400],
    [{ market: 'perp:NOPE' }, 404],
  ])('%o are refused', async (body, status) => {
    expect((await api.get('/perps/rotations/build', buildRequest({ ...build, ...body }))).status).toBe(
      status,
    );
  });

  it('over a market without a record are refused', async () => {
    const body = buildRequest({ ...build, market: 'okx:DOGE-USDT-SWAP' });
    expect((await api.get('/perps/rotations/build', body)).status).toBe(404);
  });
});

it('finds the prints of a market on its tape, valued in coins', async () => {
  const { jobs, folder, markets } = api.tape;
  const { clock, bus } = api;
  const table = new WhaleTable(api.tape.store);
  const recordedSinceMs = () => Promise.resolve(from);
  const whales = createWhaleReader({
    clock,
    bus,
    table,
    venueTable: new WhaleTable(api.tape.store, VENUE_WHALES),
    jobs,
    folder,
    venue: 'hyperliquid',
    recordedSinceMs,
  });
  const [market] = await markets.list();
  if (!market) throw new Error('no market');
  const prints = await whales.ofMarket(market, { minUsd: 2_000, limit: 3 });
  expect(prints.map(({ tid }) => tid)).toEqual([79, 78, 77]);
  expect(prints[0]).toMatchObject({ coin: 'BTC', venue: 'okx', size: 0.03, notionalUsd: 2895.02 });
  expect(await whales.ofMarket(market, { minUsd: 3_000, limit: 3 })).toEqual([]);
});

it('with prints of all venues says when the record of the last of them begins', async () => {
  const { body } = await api.get('/perps/whales?venues=all');
  expect(body.meta.recordedSince).toBe(from);
  const late = { id: 'okx:late', venue: 'okx', kind: 'spot', symbol: 'late', coin: 'SOL' } as const;
  const unit = { quote: 'USDT', contractSize: 1, scale: 1, isCounted: true };
  await new MarketTable(api.tape.store).put([{ ...late, ...unit, publisher: 'okx-spot' }], START_MS - 1_000);
  api.clock.advance(2_000);
  const all = await api.get('/perps/whales?venues=all');
  expect(all.body.meta.recordedSince).toBe(START_MS - 1_000);
  expect((await api.get('/perps/whales?venues=all&coin=BTC')).body.meta.recordedSince).toBe(from);
});
