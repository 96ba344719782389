import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { demandTopic } from '../../topics.ts';
import { publishSampleMarket, sampleOpenInterest } from '../../api/testing/sample-market.ts';
import { START_MS, startTestApi, type TestApi } from '../../api/testing/test-api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.close());

const source = { source: 'hyperliquid:contexts', gives: ['openInterest'] };

describe('a table of a failing venue', () => {
  it('is served as stale with its age, which is renewed each second', async () => {
    publishSampleMarket(api);
    api.clock.advance(20_000);
    api.health('hyperliquid', { ...source, status: 'limited', error: 'The venue answered 429.' });
    const { body, headers } = await api.get('/perps/oi');
    expect(body.meta).toEqual({
      fetchedAt: START_MS,
      source: 'hyperliquid',
      stale: true,
      ageMs: 20_000,
      partial: false,
      sources: [
        {
          source: 'hyperliquid:contexts',
          status: 'limited',
          ageMs: 20_000,
          error: 'The venue answered 429.',
        },
      ],
    });
    expect(headers.age).toBe('20');
    api.clock.advance(999);
    expect((await api.get('/perps/oi')).body.meta.ageMs).toBe(20_000);
    api.clock.advance(1);
    expect((await api.get('/perps/oi')).body.meta.ageMs).toBe(21_000);
  });

  it('turns stale by its age alone after three polls, and fresh again with the next', async () => {
    publishSampleMarket(api);
    api.clock.advance(30_000);
    expect((await api.get('/perps/oi')).body.meta).not.toHaveProperty('stale');
    api.clock.advance(1);
    expect((await api.get('/perps/oi')).body.meta).toMatchObject({ stale: true, ageMs: 30_001 });
    api.table('hyperliquid', 'openInterest', sampleOpenInterest);
    const { meta } = (await api.get('/perps/oi')).body;
    expect(meta).toEqual({ fetchedAt: START_MS + 30_001, source: 'hyperliquid' });
  });

  it('is refused with 503 once it is older than ten minutes', async () => {
    publishSampleMarket(api);
    api.clock.advance(600_000);
    expect((await api.get('/perps/oi')).status).toBe(200);
    api.clock.advance(1);
    const { status, headers, body } = await api.get('/perps/oi');
    expect(status).toBe(503);
    expect(headers['retry-after']).toBe('5');
    expect(body.meta).toMatchObject({ code: 'upstream_unavailable', sources: [{ ageMs: 600_001 }] });
  });

  it('is served for ten times its poll interval where that is longer', async () => {
    api.table('hyperliquid', 'openInterest', sampleOpenInterest, 120_000);
    api.clock.advance(1_200_000);
    expect((await api.get('/perps/oi')).status).toBe(200);
    api.clock.advance(1);
    expect((await api.get('/perps/oi')).status).toBe(503);
  });

  it('makes an answer of several venues partial', async () => {
    publishSampleMarket(api);
    api.health('bybit', {
      source: 'bybit:tickers',
      gives: ['openInterest'],
      status: 'blocked',
      error: 'HTTP 451.',
    });
    const { status, body } = await api.get('/perps/oi?venues=hyperliquid,bybit');
    expect(status).toBe(200);
    expect(body.meta).toMatchObject({
      source: 'hyperliquid',
      partial: true,
      sources: [{ source: 'bybit:tickers', status: 'blocked', ageMs: null, error: 'HTTP 451.' }],
    });
    expect(body.meta).not.toHaveProperty('stale');
  });
});

describe('a table that was never fetched', () => {
  it('is demanded and waited for', async () => {
    const answer = api.get('/perps/oi');
    await expect
      .poll(() => api.bus.latest(demandTopic)?.message)
      .toEqual({
        venue: 'hyperliquid',
        table: 'openInterest',
      });
    api.clock.advance(2_999);
    publishSampleMarket(api);
    expect((await answer).status).toBe(200);
  });

  it('is waited for three seconds, then answered 503', async () => {
    const answer = api.get('/perps/oi');
    await expect.poll(() => api.bus.latest(demandTopic)).toBeDefined();
    api.clock.advance(3_000);
    const { status, body } = await answer;
    expect(status).toBe(503);
    expect(body.meta.code).toBe('upstream_unavailable');
  });

  it('is not waited for when its venue refuses', async () => {
    api.health('hyperliquid', { ...source, status: 'changed', error: 'Not understood.' });
    expect((await api.get('/perps/oi')).status).toBe(503);
  });

  it('does not make other venues wait', async () => {
    publishSampleMarket(api);
    api.health('bybit', { gives: ['openInterest'], status: 'down', error: 'No answer yet.' });
    const { status, body } = await api.get('/perps/oi?venues=bybit,hyperliquid');
    expect(status).toBe(200);
    expect(body.meta).toMatchObject({
      partial: true,
      sources: [{ status: 'down', error: 'No answer yet.' }],
    });
  });
});
