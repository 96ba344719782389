import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HALF_HOUR_MS, HALF_HOURS } from '../watch-closes.ts';
import { halfHoursTopic } from '../../../topics.ts';
import { noTape } from '../../../api/testing/no-tape.ts';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi({ upstream: 'sim' });
  publishSampleMarket(api);
});
afterEach(() => api.close());

describe('/perps/tickers', () => {
  it('gives prices, the change of a day, and no closes before the tape was read', async () => {
    const { body } = await api.get('/perps/tickers?coins=btc');
    expect(body.data).toEqual([
      {
        coin: 'BTC',
        venue: 'hyperliquid',
        mark: 100_000,
        index: 100_010,
        mid: 100_000.5,
        volume24h: 5,
        volume24hUsd: 500_000,
        change24hPct: 2.0408,
        closes: [],
        closesUntil: null,
        fetchedAt: START_MS,
      },
    ]);
  });

  it('says null for what is not known, never 0', async () => {
    const { body } = await api.get('/perps/tickers?coins=PEPE');
    expect(body.data).toMatchObject([{ coin: 'kPEPE', mid: null, volume24h: null, change24hPct: null }]);
  });

  it('returns the half hours once they are read, and that nothing is recorded of a coin', async () => {
    await api.get('/perps/tickers?coins=BTC,ETH');
    const closes = Array.from({ length: HALF_HOURS }, (_, i) => (i === 3 ? null : 99_000 + i));
    api.bus.publish(halfHoursTopic, { untilMs: START_MS - 1_000, byCoin: { BTC: closes } });
    const { body } = await api.get('/perps/tickers?coins=BTC,ETH');
    expect(body.data).toMatchObject([
      { coin: 'BTC', closes, closesUntil: START_MS - 1_000 },
      { coin: 'ETH', closes: closes.map(() => null), closesUntil: START_MS - 1_000 },
    ]);
  });

  it('names unknown coins', async () => {
    const { status, body } = await api.get('/perps/tickers?coins=BTC,NOPE');
    expect(status).toBe(200);
    expect(body.meta).toMatchObject({ unknown: ['NOPE'] });
    expect((await api.get('/perps/tickers?coins=NOPE')).status).toBe(404);
  });

  it('says since when the tape is recorded until the half hours are covered', async () => {
    const untilMs = START_MS - 1_000;
    const sinceMs = untilMs - 3_600_000;
    let recordedMs = sinceMs;
    const other = await startTestApi({
      coverage: { ...noTape.coverage, recordedSinceMs: async () => recordedMs },
    });
    publishSampleMarket(other);
    expect((await other.get('/perps/tickers?coins=BTC')).body.data).not.toMatchObject([{ sinceTs: sinceMs }]);
    other.bus.publish(halfHoursTopic, { untilMs, byCoin: {} });
    expect((await other.get('/perps/tickers?coins=BTC')).body.data).toMatchObject([{ sinceTs: sinceMs }]);
    recordedMs = untilMs - HALF_HOURS * HALF_HOUR_MS;
    other.bus.publish(halfHoursTopic, { untilMs, byCoin: {} });
    const [row] = (await other.get('/perps/tickers?coins=BTC')).body.data as object[];
    expect(row).not.toHaveProperty('sinceTs');
    await other.close();
  });
});
