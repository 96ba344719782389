import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import {
  buildRequest,
  buildEnd,
  buildSampleBars,
  recordSampleTape,
} from '../../../api/testing/sample-tape.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';

const path = '/perps/rotations/build';
const range = { coin: 'BTC', kind: 'range', params: { rangeTicks: 20 } };

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ hasTape: true });
  publishSampleMarket(api);
  await recordSampleTape(api);
});
afterAll(() => api.close());

describe('a build', () => {
  it('is accepted, returned as a job, and not cacheable', async () => {
    const { status, headers, body } = await api.get(path, buildRequest(range));
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    expect(body.data).toEqual({
      jobId: expect.stringMatching(/^b-/),
      cacheKey: expect.stringMatching(/^rot:res:[0-9a-f]{32}$/),
      cached: false,
      degraded: false,
    });
    expect(body.meta).toEqual({ fetchedAt: START_MS, source: 'hyperliquid' });
    const again = await api.get(path, buildRequest({ ...range, coin: 'btc', days: 1 }));
    expect(again.body.data).toEqual({ ...(body.data as object), cached: true });
    await buildEnd(api, (body.data as { jobId: string }).jobId);
  });

  it('says when it will be degraded', async () => {
    const { body } = await api.get(path, buildRequest({ ...range, degraded: true }));
    expect(body.data).toMatchObject({ degraded: true });
    await buildEnd(api, (body.data as { jobId: string }).jobId);
  });

  it('covers a fixed window instead of the last days', async () => {
    const [from, to] = [START_MS - 1_800_000, START_MS - 900_000];
    const { cacheKey } = await buildSampleBars(api, buildRequest({ ...range, from, to }));
    const { text } = await api.get(`/perps/rotations/result?key=${cacheKey}&format=json`);
    expect(text).toContain(`"firstTs":${from}`);
    expect(text).toContain('"trades":1800');
  });

  it.each([
    [{ to: START_MS }, 'Field `to` needs `from`.'],
    [{ from: 2, to: 1 }, 'Field `from` must be less than `to`.'],
    [{ from: 1, days: 1 }, 'Field `days` cannot be used with `from`.'],
    [{ from: 1, to: 367 * 86_400_000 }, 'Fields `from` and `to` must be at most 366 days apart.'],
  ])('refuses the window %j', async (window, message) => {
    const { status, body } = await api.get(path, buildRequest({ ...range, ...window }));
    expect([status, body.error]).toEqual([400, message]);
  });

  it('of an unknown coin is 404', async () => {
    const { status, body } = await api.get(path, buildRequest({ ...range, coin: 'NOPE' }));
    expect(status).toBe(404);
    expect(body.error).toContain('NOPE');
  });

  it('beyond two of a caller is 429', async () => {
    const own = await startTestApi({ hasTape: true });
    publishSampleMarket(own);
    await recordSampleTape(own);
    const answers = await Promise.all(
      [1, 2, 3].map((rangeTicks) => own.get(path, buildRequest({ ...range, params: { rangeTicks } }))),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(1);
    expect(refused[0]).toMatchObject({ status: 429, headers: { 'retry-after': '5' } });
    expect(refused[0]?.body.meta.code).toBe('rate_limited');
    await own.close();
  });
});

describe('a body', () => {
  it.each([
    ['[]', 'The body must be a JSON object.'],
    ['null', 'The body must be a JSON object.'],
    ['{"coin":', 'The body must be JSON'],
    ['{"kind":"tick"}', 'Field `coin` is missing; it must be a ticker of 1 to 32 characters.'],
    [
      '{"coin":"BTC","market":"okx:BTC-USDT-SWAP","kind":"tick"}',
      'Fields `coin` and `market` exclude each other.',
    ],
    ['{"coin":"BTC"}', 'Field `kind` is missing; it must be one of time, tick, volume'],
    ['{"coin":1,"kind":"tick"}', 'Field `coin` must be a ticker of 1 to 32 characters, not `1`.'],
    ['{"coin":"B C","kind":"tick"}', 'Field `coin` must be a ticker'],
    ['{"coin":"BTC\\u0000","kind":"tick"}', 'Field `coin` must be a ticker'],
    ['{"coin":"BTC","kind":"candle"}', 'Field `kind` must be one of time, tick'],
    [
      '{"coin":"BTC","kind":"tick","day":1}',
      'Unknown field `day`; allowed: `coin`, `market`, `kind`, `params`, `days`',
    ],
    ['{"coin":"BTC","kind":"tick","days":0}', 'Field `days` must be a number'],
    ['{"coin":"BTC","kind":"tick","days":7.01}', 'at most 7'],
    ['{"coin":"BTC","kind":"tick","days":"1"}', 'Field `days`'],
    ['{"coin":"BTC","kind":"tick","tick":0}', 'Field `tick` must be a number, greater than 0'],
    [
      '{"coin":"BTC","kind":"tick","tick":0.000000001}',
      'Field `tick` must be a number above 0 with at most 8',
    ],
    ['{"coin":"BTC","kind":"tick","degraded":"yes"}', 'Field `degraded` must be true or false, not `"yes"`.'],
    ['{"coin":"BTC","kind":"tick","params":[]}', 'Field `params` must be an object of numbers and texts'],
    ['{"coin":"BTC","kind":"tick","params":{"trades":0}}', 'Field `params.trades` must be a whole number'],
    ['{"coin":"BTC","kind":"tick","params":{"trades":1.5}}', 'Field `params.trades`'],
    ['{"coin":"BTC","kind":"tick","params":{"volume":1}}', 'Field `params.volume` is not a parameter'],
    ['{"coin":"BTC","kind":"volume"}', 'Field `params.volume` is required'],
    ['{"coin":"BTC","kind":"volume","params":{"volume":1,"unit":"eur"}}', 'one of base, usd'],
    ['{"__proto__":{"x":1},"coin":"BTC","kind":"tick"}', ''],
  ])('%s is 400: %s', async (body, message) => {
    const answer = await api.get(path, { ...buildRequest({}), body });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain(message);
  });

  it('that is too large is 413', async () => {
    const { status } = await api.get(path, buildRequest({ ...range, coin: 'A'.repeat(70_000) }));
    expect(status).toBe(413);
  });
});

describe('a job', () => {
  it('is found by its id, with what the build was made from', async () => {
    const { jobId, cacheKey } = await buildSampleBars(
      api,
      buildRequest({ ...range, kind: 'tick', params: {} }),
    );
    const { status, headers, body } = await api.get(`/perps/rotations/job?id=${jobId}`);
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    const trades = 7_192;
    expect(body.data).toMatchObject({
      status: 'done',
      pct: 1,
      trades,
      totalTrades: trades,
      bars: Math.floor(trades / 500),
      resultKey: cacheKey,
      submittedAt: START_MS,
      stats: { trades, degraded: false, tick: 1, gaps: [{}, { reason: 'no socket to the venue was up' }] },
    });
  });
});
