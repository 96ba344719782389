import { DAY_MS, HOUR_MS, valuationMetrics } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { demandTopic, NO_ANSWER_YET, snapshotTopic } from '../../../topics.ts';
import { publishSampleOnchain, sampleEtfFlows } from '../../../api/testing/sample-onchain.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.close());

const sources = {
  farside: ['bitcoinEtfFlows', 'ethereumEtfFlows'],
  coingecko: ['bitcoinTreasury', 'ethereumTreasury'],
  bitcoindata: valuationMetrics,
} as const;

function healths(
  publisher: keyof typeof sources,
  status: 'ok' | 'down' | 'blocked' | 'changed',
  error?: string,
): void {
  api.health(
    publisher,
    ...sources[publisher].map((table) => ({
      source: `${publisher}:${table}`,
      gives: [table],
      status,
      ...(error === undefined ? {} : { error }),
    })),
  );
}

describe('/onchain/etf-flows', () => {
  it('returns days, figures and totals; a figure not yet reported is absent, and its day partial', async () => {
    publishSampleOnchain(api);
    const { status, headers, body } = await api.get('/onchain/etf-flows');
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('public, max-age=3600');
    const today = Math.floor(START_MS / DAY_MS) * DAY_MS;
    expect(body.data).toEqual({
      asset: 'bitcoin',
      tickers: ['AAA', 'BBB', 'CCC'],
      rows: [
        { dateLabel: 'a', dateMs: today - 2 * DAY_MS, values: { AAA: 10.5, BBB: -0.5 }, total: 10 },
        { dateLabel: 'b', dateMs: today - DAY_MS, values: { AAA: -3.3, BBB: 0 }, total: -3.3 },
        { dateLabel: 'c', dateMs: today, values: { BBB: 7.1 }, total: 7.1, partial: true },
      ],
      latestTotalUsdm: -3.3,
      cumulativeUsdm: 13.8,
      fetchedAt: START_MS,
      latestDateMs: today - DAY_MS,
    });
    expect(body.meta).toEqual({ fetchedAt: START_MS, source: 'farside' });
  });

  it('keeps bytes and tag while the page is unchanged, and its age counts from the last check', async () => {
    publishSampleOnchain(api);
    const topic = snapshotTopic('farside', 'bitcoinEtfFlows');
    const first = await api.get('/onchain/etf-flows');
    const table = api.bus.latest(topic)?.message;
    if (!table) throw new Error('there is no table');
    for (const hours of [1, 2, 3, 4, 5]) {
      api.clock.advance(HOUR_MS);
      api.bus.publish(topic, { ...table, checkedAtMs: START_MS + hours * HOUR_MS });
      api.clock.advance(20_000);
      const { headers, text, body } = await api.get('/onchain/etf-flows');
      expect([headers.etag, headers.age, text]).toEqual([first.headers.etag, String(20 * hours), first.text]);
      expect(body.meta).toEqual({ fetchedAt: START_MS, source: 'farside' });
    }
    const { status } = await api.get('/onchain/etf-flows', {
      headers: { 'if-none-match': String(first.headers.etag) },
    });
    expect(status).toBe(304);
    // Seen on another day, the days of the last 30 are others.
    api.bus.publish(topic, { ...table, checkedAtMs: START_MS + 29 * DAY_MS });
    const later = await api.get('/onchain/etf-flows');
    expect(later.headers.etag).not.toBe(first.headers.etag);
    expect((later.body.data as { rows: unknown[] }).rows).toHaveLength(1);
  });

  it('says whose page an operator gives', async () => {
    publishSampleOnchain(api);
    const topic = snapshotTopic('farside', 'bitcoinEtfFlows');
    const table = api.bus.latest(topic)?.message;
    if (table) api.bus.publish(topic, { ...table, label: 'operator:file' });
    expect((await api.get('/onchain/etf-flows')).body.meta.source).toBe('operator:file');
  });

  it('names the days that were refused', async () => {
    const flows = { ...sampleEtfFlows('BTC'), refusedDays: ['14 Sep 2026'] };
    api.table('farside', 'bitcoinEtfFlows', [flows], HOUR_MS);
    const { body } = await api.get('/onchain/etf-flows');
    expect(body.data).toMatchObject({ refusedDays: ['14 Sep 2026'], cumulativeUsdm: 13.8 });
    expect(body.data).not.toHaveProperty('cumulativeFromMs');
  });

  it('says from when it adds up where the source does not go back to the launch', async () => {
    const flows = { ...sampleEtfFlows('ETH'), isSinceLaunch: false };
    api.table('farside', 'ethereumEtfFlows', [flows], HOUR_MS);
    const { body } = await api.get('/onchain/etf-flows?asset=ethereum');
    expect(body.data).toMatchObject({ asset: 'ethereum', cumulativeFromMs: flows.days[0]?.dayMs });
  });

  it.each(['blocked', 'changed', 'down'] as const)(
    'serves the last good value stale for a week while the page is %s, then nothing',
    async (status) => {
      publishSampleOnchain(api);
      healths('farside', status, 'What is wrong.');
      api.clock.advance(7 * DAY_MS);
      const { body } = await api.get('/onchain/etf-flows');
      expect(body.data).toMatchObject({ latestTotalUsdm: -3.3, fetchedAt: START_MS });
      expect(body.meta).toMatchObject({
        stale: true,
        ageMs: 7 * DAY_MS,
        partial: false,
        sources: [{ source: 'farside:bitcoinEtfFlows', status, ageMs: 7 * DAY_MS, error: 'What is wrong.' }],
      });
      api.clock.advance(2_000);
      const gone = await api.get('/onchain/etf-flows');
      expect(gone.status).toBe(503);
      expect(gone.headers['retry-after']).toBe('60');
      expect(gone.body.meta).toMatchObject({ code: 'upstream_unavailable' });
    },
  );

  it('returns one asset though the page of the other is gone', async () => {
    publishSampleOnchain(api);
    api.health(
      'farside',
      { gives: ['bitcoinEtfFlows'] },
      { gives: ['ethereumEtfFlows'], status: 'blocked', error: 'A wall.' },
    );
    expect((await api.get('/onchain/etf-flows')).body.meta).not.toHaveProperty('stale');
    expect((await api.get('/onchain/etf-flows?asset=ethereum')).body.meta).toMatchObject({ stale: true });
  });
});

describe('/onchain/treasuries', () => {
  it('of one asset are waited for though nothing but the health of the other is known', async () => {
    api.health('coingecko', { source: 'coingecko:bitcoin-treasury', gives: ['bitcoinTreasury'] });
    const asked = api.get('/onchain/treasuries?asset=ethereum');
    await vi.waitFor(() => expect(api.bus.latest(demandTopic)).toBeDefined());
    publishSampleOnchain(api);
    expect((await asked).status).toBe(200);
  });

  it('that are new are not called stale because their source was not polled since a takeover', async () => {
    publishSampleOnchain(api);
    const idle = { status: 'down', error: NO_ANSWER_YET, gives: ['ethereumTreasury'] } as const;
    api.health('coingecko', { source: 'coingecko:ethereum-treasury', ...idle });
    expect((await api.get('/onchain/treasuries?asset=ethereum')).body.meta).not.toHaveProperty('stale');
  });

  it('returns totals once, and the companies of all pages', async () => {
    publishSampleOnchain(api);
    const { headers, body } = await api.get('/onchain/treasuries?asset=ethereum');
    expect(headers['cache-control']).toBe('public, max-age=1800');
    expect(body.data).toMatchObject({
      asset: 'ethereum',
      totalHoldings: 5,
      totalValueUsd: 500,
      marketCapDominance: 0.2,
      companies: [{ name: 'One', symbol: '', totalEntryValueUsd: 0 }, { name: 'Two' }, { name: 'Three' }],
      fetchedAt: START_MS,
    });
    expect(body.meta).toEqual({ fetchedAt: START_MS, source: 'coingecko' });
  });

  it('computes what the source leaves out from the rest of its answer', async () => {
    const company = { symbol: '', country: '', entryValueUsd: 0 };
    const companies = [
      { ...company, name: 'One', holdings: 2, valueUsd: 200, supplyPct: 0.1 },
      { ...company, name: 'Two', holdings: 3 },
    ];
    api.table('coingecko', 'bitcoinTreasury', [{ coin: 'BTC', companies }], HOUR_MS);
    const { body } = await api.get('/onchain/treasuries');
    expect(body.data).toMatchObject({
      totalHoldings: 5,
      totalValueUsd: 500,
      marketCapDominance: 0,
      companies: [
        { totalCurrentValueUsd: 200, percentageOfTotalSupply: 0.1 },
        { totalCurrentValueUsd: 300, percentageOfTotalSupply: 0 },
      ],
    });
  });
});

describe('/onchain/valuation', () => {
  it('returns five metrics, the oldest of their days, and the day of each', async () => {
    publishSampleOnchain(api);
    const { headers, body } = await api.get('/onchain/valuation');
    expect(headers['cache-control']).toBe('public, max-age=1800');
    expect(body.data).toEqual({
      asset: 'bitcoin',
      mvrvZScore: 0.5,
      nupl: 1.5,
      puellMultiple: 2.5,
      reserveRisk: 3.5,
      realizedCap: 4.5,
      asOfDate: '2026-09-01',
      fetchedAt: START_MS,
      asOfByMetric: {
        mvrvZScore: '2026-09-05',
        nupl: '2026-09-04',
        puellMultiple: '2026-09-03',
        reserveRisk: '2026-09-02',
        realizedCap: '2026-09-01',
      },
    });
  });

  it('is stale when one metric is, and names it', async () => {
    publishSampleOnchain(api);
    api.clock.advance(2 * DAY_MS);
    for (const metric of valuationMetrics.slice(1))
      api.table('bitcoindata', metric, [{ coin: 'BTC', day: '2026-09-07', value: 1 }], DAY_MS);
    api.health('bitcoindata', {
      source: 'bitcoindata:mvrv-zscore',
      gives: ['mvrvZScore'],
      status: 'limited',
      error: 'Too many.',
    });
    const { body } = await api.get('/onchain/valuation');
    expect(body.meta).toMatchObject({
      fetchedAt: START_MS + 2 * DAY_MS,
      stale: true,
      ageMs: 2 * DAY_MS,
      partial: false,
      sources: [{ source: 'bitcoindata:mvrv-zscore', status: 'limited' }],
    });
  });

  it('is waited for at first, when not even its health is known', async () => {
    const asked = api.get('/onchain/valuation');
    await vi.waitFor(() => expect(api.bus.latest(demandTopic)).toBeDefined());
    publishSampleOnchain(api);
    expect((await asked).status).toBe(200);
  });

  it('says to come back soon while the first answer is under way', async () => {
    const asked = api.get('/onchain/valuation');
    await vi.waitFor(() => expect(api.bus.latest(demandTopic)).toBeDefined());
    api.clock.advance(3_000);
    const { status, headers } = await asked;
    expect([status, headers['retry-after']]).toEqual([503, '5']);
  });

  it('returns nothing while one of them is missing', async () => {
    for (const metric of valuationMetrics.slice(1))
      api.table('bitcoindata', metric, [{ coin: 'BTC', day: '2026-09-07', value: 1 }], DAY_MS);
    healths('bitcoindata', 'blocked', 'A wall.');
    const { status, headers, body } = await api.get('/onchain/valuation');
    expect([status, headers['retry-after']]).toEqual([503, '3600']);
    expect(body.error).toContain('bitcoindata');
  });
});

it.each(['etf-flows', 'treasuries', 'valuation'])(
  'keeps the tag of /onchain/%s while its data are the same, whatever else happens',
  async (name) => {
    publishSampleOnchain(api);
    for (const publisher of ['farside', 'coingecko', 'bitcoindata'] as const) healths(publisher, 'ok');
    const { headers } = await api.get(`/onchain/${name}`);
    api.clock.advance(HOUR_MS);
    for (const publisher of ['farside', 'coingecko', 'bitcoindata'] as const) healths(publisher, 'ok');
    const again = await api.get(`/onchain/${name}`, { headers: { 'if-none-match': String(headers.etag) } });
    expect(again.status).toBe(304);
    publishSampleOnchain(api);
    expect((await api.get(`/onchain/${name}`)).headers.etag).not.toBe(headers.etag);
  },
);
