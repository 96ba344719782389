import { DAY_MS } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { optionFigures, optionFiguresTopic } from '../option-figures.ts';
import { type Demand, demandTopic, snapshotTopic } from '../../../topics.ts';
import {
  bookSources,
  FIRST_EXPIRY_MS,
  publishBooks,
  publishSampleOptions,
  sampleChain,
  sampleFigures,
} from '../../../api/testing/sample-options.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';

const noIndex = {
  source: 'deribit:index-price',
  gives: ['indexPrices'],
  status: 'down',
  error: 'No answer.',
} as const;
type Row = Readonly<Record<string, unknown>>;

let api: TestApi;
let demands: Demand[];
beforeEach(async () => {
  api = await startTestApi();
  demands = [];
  api.bus.subscribe(demandTopic, (demand) => demands.push(demand));
});
afterEach(() => api.close());

async function get(
  path: string,
): Promise<{ status: number; data: Row & readonly Row[]; meta: Row; error?: string }> {
  const { status, body } = await api.get(path);
  return {
    status,
    data: body.data as Row & readonly Row[],
    meta: body.meta,
    ...(body.error !== undefined && { error: body.error }),
  };
}

describe('/options/chain', () => {
  it('has the inverse options of BTC alone, by expiry, strike and type, in the form of the interface', async () => {
    publishSampleOptions(api);
    const { data, meta } = await get('/options/chain?underlying=BTC');
    expect(data).toHaveLength(28);
    expect(data[0]).toEqual({
      instrument: 'BTC-22SEP26-70000-C',
      underlying: 'BTC',
      strike: 70_000,
      expiryMs: FIRST_EXPIRY_MS,
      type: 'C',
      oi: 70,
      volume24h: 5,
      markIv: 62,
      markPrice: 0.02,
      underlyingPrice: 100_100,
      markPriceUsd: 2_002,
      delta: expect.closeTo(0.99, 1),
      gamma: expect.any(Number),
      vega: expect.any(Number),
      theta: expect.any(Number),
      venueInstrument: 'BTC-22SEP26-70000-C',
    });
    expect(data[1]).toMatchObject({ strike: 70_000, type: 'P' });
    expect(meta).toEqual({ fetchedAt: START_MS, source: 'deribit' });
  });

  it('prints decimal strikes as decimals, and a price in dollars as it is', async () => {
    publishSampleOptions(api);
    const { data } = await get('/options/chain?underlying=xrp');
    expect(data[0]).toMatchObject({
      instrument: 'XRP-22SEP26-1.75-C',
      venueInstrument: 'XRP_USDC-22SEP26-1.75-C',
      markPrice: 0.05,
      markPriceUsd: 0.05,
    });
  });

  it('is empty for a coin without options', async () => {
    publishSampleOptions(api);
    expect((await get('/options/chain?underlying=SOL')).data).toEqual([]);
  });

  it('drops an option the moment it expires, though nothing was fetched since', async () => {
    publishSampleOptions(api);
    api.clock.advance(FIRST_EXPIRY_MS - 1_000 - START_MS);
    publishSampleOptions(api);
    expect((await get('/options/chain?underlying=BTC')).data).toHaveLength(28);
    api.clock.advance(1_000);
    const { data } = await get('/options/chain?underlying=BTC');
    expect(data).toHaveLength(14);
    expect(data[0]?.['expiryMs']).toBe(FIRST_EXPIRY_MS + 14 * DAY_MS);
  });
});

describe('/options/gex', () => {
  it('returns the figures of the chain, and their conventions', async () => {
    publishSampleOptions(api);
    const { data, meta } = await get('/options/gex?underlying=BTC');
    const { fetchedAtMs: fetchedAt, ...gex } = sampleFigures('BTC', 100_000, START_MS).gex ?? {};
    expect(data).toMatchObject({ underlying: 'BTC', ...gex, fetchedAt });
    expect(data['oiCoveredPct']).toBe(50);
    expect(data['convention']).toContain('long calls and short puts');
    expect(data['flipMethod']).toContain('201');
    expect(meta).toEqual({ fetchedAt: START_MS, source: 'deribit' });
  });

  it('is as new as its newest fetch, which is often that of the index', async () => {
    publishSampleOptions(api);
    api.clock.advance(20_000);
    const rows = ['BTC', 'ETH'].map((coin) => ({ coin, symbol: coin, index: 100_000 }));
    api.table('deribit', 'indexPrices', rows, 30_000);
    expect((await get('/options/gex?underlying=BTC')).meta).toMatchObject({ fetchedAt: START_MS + 20_000 });
    expect((await get('/options/skew?underlying=BTC')).meta).toMatchObject({ fetchedAt: START_MS });
  });

  it('returns null where no spot flips the exposure', async () => {
    const calls = sampleChain('BTC', 100_000, false).map((one) =>
      one.type === 'P' ? { ...one, openInterest: 1e-6 } : one,
    );
    publishSampleOptions(api, calls);
    expect((await get('/options/gex?underlying=BTC')).data['gammaFlip']).toBeNull();
  });

  it('says that it is old when only the index is', async () => {
    publishSampleOptions(api);
    api.health('deribit', ...bookSources(), {
      source: 'deribit:index-price',
      gives: ['indexPrices'],
      status: 'down',
      error: 'No answer.',
    });
    api.clock.advance(5_000);
    const { meta } = await get('/options/gex?underlying=BTC');
    expect(meta).toMatchObject({ stale: true, ageMs: 5_000, partial: false });
    expect(meta['sources']).toMatchObject([{ source: 'deribit:index-price', status: 'down' }]);
    expect((await get('/options/skew?underlying=BTC')).meta).not.toHaveProperty('stale');
  });

  it('is the last good one while the index is gone, though the chain continues, and then 503 with the source', async () => {
    publishSampleOptions(api);
    const { gex } = sampleFigures('BTC', 100_000, START_MS);
    const nextChain = (laterMs: number): void => {
      api.clock.advance(laterMs);
      const options = sampleChain('BTC', 100_000, false);
      publishBooks(api, options);
      // The index of another coin is known, but not of this one.
      api.bus.publish(snapshotTopic('deribit', 'indexPrices'), {
        venue: 'deribit',
        rows: ['BTC', 'ETH'].map((coin) => ({ coin, symbol: coin, index: 100_000 })),
        rowsAtMs: [START_MS, api.clock.now()],
        fetchedAtMs: api.clock.now(),
        everyMs: 30_000,
      });
      const figures = optionFigures({ coin: 'BTC', options, atMs: api.clock.now() });
      api.bus.publish(optionFiguresTopic('BTC'), { ...figures, ...(gex && { gex }) });
    };
    api.health('deribit', ...bookSources(), noIndex);
    nextChain(120_000);
    const { status, data, meta } = await get('/options/gex?underlying=BTC');
    expect(status).toBe(200);
    expect(data).toMatchObject({ totalGex: gex?.totalGex, fetchedAt: START_MS });
    expect(meta).toMatchObject({ fetchedAt: START_MS, stale: true, ageMs: 120_000 });
    expect(meta['sources']).toMatchObject([{ source: 'deribit:index-price', ageMs: 120_000 }]);
    expect((await get('/options/skew?underlying=BTC')).meta).not.toHaveProperty('stale');
    nextChain(490_000);
    const gone = await get('/options/gex?underlying=BTC');
    expect(gone.status).toBe(503);
    expect(gone.meta['sources']).toMatchObject([{ source: 'deribit:index-price', status: 'down' }]);
  });

  it('is 503 without an index price, and the skew is not', async () => {
    publishSampleOptions(api);
    const options = sampleChain('SOL', 150, true);
    api.bus.publish(optionFiguresTopic('SOL'), optionFigures({ coin: 'SOL', options, atMs: START_MS }));
    const asking = get('/options/gex?underlying=SOL');
    await expect.poll(() => demands.length > 0).toBe(true);
    api.clock.advance(3_000);
    const { status, meta, error } = await asking;
    expect(status).toBe(503);
    expect(meta['code']).toBe('upstream_unavailable');
    expect(error).toContain('index price');
    expect((await get('/options/skew?underlying=SOL')).status).toBe(200);
  });
});

describe('/options/skew', () => {
  it('has a smile for every expiry and its place in the term structure', async () => {
    publishSampleOptions(api);
    const { data } = await get('/options/skew?underlying=BTC');
    const smiles = data['smileByExpiry'] as Readonly<Record<string, readonly Row[]>>;
    expect(Object.keys(smiles)).toEqual(['22SEP26', '06OCT26']);
    expect(smiles['22SEP26']?.[0]).toEqual({ strike: 70_000, iv: 0.62, type: 'P', moneyness: 0.699301 });
    expect(data['termStructure']).toMatchObject([
      { expiryMs: FIRST_EXPIRY_MS, expiryLabel: '22SEP26', dteDays: 0.74, atmIv: 0.5004 },
      { expiryLabel: '06OCT26', dteDays: 14.74 },
    ]);
  });
});

const books = ['btc', 'eth', 'usdc'];

describe('/options/history', () => {
  const levels = {
    coin: 'BTC',
    t: START_MS - 600_000,
    spot: 100_000,
    totalGex: 5,
    callWall: 110_000,
    putWall: 90_000,
    gammaFlip: null,
    callOi: 7,
    putOi: 8,
  };

  it('returns recorded levels, and an empty series when the record cannot be read', async () => {
    const requests: unknown[] = [];
    const since = async (...asked: readonly unknown[]): Promise<readonly (typeof levels)[]> => {
      requests.push(asked);
      if (asked[0] === 'ETH') throw new Error('unreadable');
      return [levels];
    };
    const recording = await startTestApi({ optionLevels: { since } });
    const { body } = await recording.get('/options/history?underlying=btc&sinceMs=7');
    const { coin: _, ...point } = levels;
    expect(body.data).toMatchObject({ underlying: 'BTC', points: [point], enabled: true, retention: '90d' });
    expect(body.meta.fetchedAt).toBe(levels.t);
    const unreadable = await recording.get('/options/history?underlying=ETH');
    expect(unreadable.body.data).toMatchObject({ points: [], enabled: false });
    expect(requests).toEqual([
      ['BTC', 7],
      ['ETH', 0],
    ]);
    await recording.close();
  });

  it('returns the first sample of each hour on request', async () => {
    // The record begins at 14:13:20.
    const samples = [0, 40, 50, 190].map((minutes) => ({ ...levels, t: START_MS + minutes * 60_000 }));
    const recording = await startTestApi({ optionLevels: { since: async () => samples } });
    const { body } = await recording.get('/options/history?underlying=BTC&interval=1h');
    const [first, , second, third] = samples;
    const points = [first, second, third].map((one) => ({ t: one?.t }));
    expect(body.data).toMatchObject({ points, cadenceMs: 3_600_000 });
    await recording.close();
  });
});

describe('all of them', () => {
  it.each(['chain', 'gex', 'skew'])(
    '/options/%s asks the venue when it was not polled for a while',
    async (name) => {
      api.health('deribit', ...bookSources({ status: 'down', error: 'No answer yet.' }, books), noIndex);
      const asking = get(`/options/${name}?underlying=XRP`);
      await expect
        .poll(() => demands.flatMap(({ table }) => (table === 'indexPrices' ? [] : table)))
        .toEqual(['usdcOptions', 'btcOptions', 'ethOptions']);
      if (name === 'gex')
        expect(demands).toContainEqual({ venue: 'deribit', table: 'indexPrices', keys: ['XRP'] });
      publishSampleOptions(api);
      expect((await asking).status).toBe(200);
    },
  );

  it.each(['chain', 'gex', 'skew'])(
    '/options/%s serves stale data while the venue is down, and names the source',
    async (name) => {
      publishSampleOptions(api);
      api.health('deribit', ...bookSources({ status: 'down', error: 'No answer.' }, books), noIndex);
      api.clock.advance(120_000);
      const { status, meta } = await get(`/options/${name}?underlying=BTC`);
      expect(status).toBe(200);
      expect(meta).toMatchObject({ stale: true, ageMs: 120_000, fetchedAt: START_MS });
      api.clock.advance(600_000);
      expect((await get(`/options/${name}?underlying=BTC`)).status).toBe(503);
    },
  );

  it.each(['chain', 'gex', 'skew'])(
    '/options/%s waits for the venue when it was not polled for long, and serves fresh data',
    async (name) => {
      publishSampleOptions(api);
      api.clock.advance(3_600_000);
      const asking = get(`/options/${name}?underlying=BTC`);
      await expect.poll(() => demands.length).toBeGreaterThan(0);
      publishSampleOptions(api);
      const { status, meta } = await asking;
      expect(status).toBe(200);
      expect(meta).toMatchObject({ fetchedAt: START_MS + 3_600_000 });
      expect(meta).not.toHaveProperty('stale');
    },
  );

  it('wait for what was never requested, though the health of the rest is known', async () => {
    api.health('deribit', ...bookSources());
    publishBooks(api);
    expect((await get('/options/chain?underlying=BTC')).status).toBe(200);
    const asking = get('/options/gex?underlying=BTC');
    await expect
      .poll(() => demands)
      .toContainEqual({ venue: 'deribit', table: 'indexPrices', keys: ['BTC'] });
    publishSampleOptions(api);
    expect((await asking).status).toBe(200);
  });

  it('wait for a source that had failed before it became idle', async () => {
    publishSampleOptions(api);
    api.health('deribit', ...bookSources({ status: 'down', error: 'No answer yet.' }, books), {
      ...noIndex,
      error: 'No answer yet.',
    });
    api.clock.advance(3_600_000);
    const asking = get('/options/gex?underlying=BTC');
    await expect.poll(() => demands.length).toBeGreaterThan(0);
    publishSampleOptions(api);
    const { status, meta } = await asking;
    expect(status).toBe(200);
    expect(meta).not.toHaveProperty('stale');
  });

  it('wait for three seconds in total, whatever they wait for', async () => {
    const silent = { status: 'down', error: 'No answer yet.' } as const;
    api.health('deribit', ...bookSources(silent, books), noIndex);
    const asking = get('/options/gex?underlying=XRP');
    await expect.poll(() => demands).toContainEqual({ venue: 'deribit', table: 'ethOptions' });
    api.clock.advance(2_000);
    publishBooks(api);
    api.table('deribit', 'indexPrices', [{ coin: 'XRP', symbol: 'xrp_usdc', index: 2.5 }], 30_000);
    // No engine makes the figures.
    api.clock.advance(1_000);
    const { status, error } = await asking;
    expect(status).toBe(503);
    expect(error).toBe('The figures of XRP are not computed yet.');
  });

  it('says so while the figures of the first chain are not computed yet', async () => {
    api.health('deribit', ...bookSources(), { source: 'deribit:index-price', gives: ['indexPrices'] });
    publishBooks(api);
    api.table('deribit', 'indexPrices', [{ coin: 'BTC', symbol: 'BTC', index: 100_000 }], 30_000);
    const asking = get('/options/gex?underlying=BTC');
    await expect.poll(() => demands.length).toBeGreaterThan(0);
    api.clock.advance(3_000);
    const { status, meta, error } = await asking;
    expect(status).toBe(503);
    const words = 'The figures of BTC are not computed yet.';
    expect(error).toBe(words);
    expect(meta['sources']).toMatchObject([
      { source: 'deribit', status: 'stale', ageMs: null, error: words },
    ]);
  });

  it('are not affected by books that they are not made from', async () => {
    publishSampleOptions(api);
    api.health('deribit', ...bookSources({ status: 'changed', error: 'Odd.' }, ['usdc']), {
      source: 'deribit:index-price',
      gives: ['indexPrices'],
    });
    for (const name of ['chain', 'gex', 'skew']) {
      expect((await get(`/options/${name}?underlying=BTC`)).meta).toEqual({
        fetchedAt: START_MS,
        source: 'deribit',
      });
      const { meta } = await get(`/options/${name}?underlying=XRP`);
      expect(meta['sources']).toMatchObject([{ source: 'deribit:usdc-book-summary', status: 'changed' }]);
    }
  });

  it('says so when the figures of the newest chain cannot be made', async () => {
    publishSampleOptions(api);
    api.clock.advance(30_000);
    publishBooks(api);
    api.table('deribit', 'indexPrices', [{ coin: 'BTC', symbol: 'BTC', index: 100_000 }], 30_000);
    const asking = get('/options/gex?underlying=BTC');
    await expect.poll(() => demands.length).toBeGreaterThan(0);
    api.clock.advance(3_000);
    const { status, meta } = await asking;
    expect(status).toBe(200);
    expect(meta).toMatchObject({ stale: true, fetchedAt: START_MS });
  });

  it('are made once per fetch, with a tag that stays', async () => {
    publishSampleOptions(api);
    const path = '/options/gex?underlying=BTC';
    const [one, again] = [await api.get(path), await api.get(path)];
    expect(again.headers.etag).toBe(one.headers.etag);
    expect(one.headers['cache-control']).toBe('public, max-age=60');
    api.clock.advance(30_000);
    publishSampleOptions(api);
    expect((await api.get(path)).headers.etag).not.toBe(one.headers.etag);
  });
});
