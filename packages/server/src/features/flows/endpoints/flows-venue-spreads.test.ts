import { afterEach, beforeEach, expect, it } from 'vitest';
import { COLD_WAIT_MS } from '../../../http/request-context.ts';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import {
  publishSampleFlows,
  publishSamplePrices,
  startSampleEngine,
} from '../../../api/testing/sample-flows.ts';
import { type Body, startTestApi, START_MS, type TestApi } from '../../../api/testing/test-api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
  publishSampleMarket(api);
  publishSampleFlows(api);
});
afterEach(() => api.close());

/** Waits as long as a first caller would. */
async function askCold(coins: string): Promise<{ status: number; body: Body }> {
  const answer = api.get(`/flows/venue-spreads?coins=${coins}`);
  let isThere = false;
  void answer.then(() => (isThere = true));
  for (let ms = 0; ms <= 2 * COLD_WAIT_MS && !isThere; ms += 100) {
    await new Promise((resolve) => setImmediate(resolve));
    api.clock.advance(100);
  }
  const { status, body } = await answer;
  return { status, body };
}

const pairOf = (coin: string): object => ({ coin, symbol: `${coin}-USD`, quote: 'USD' });

it('names coins that a venue lists and has not priced yet, and does not call them unlisted', async () => {
  api.table('coinbase', 'instruments', ['BTC', 'XRP', 'kPEPE'].map(pairOf) as never);
  api.table('coinbase', 'spotTickers', []);
  const { body } = await askCold('XRP,kPEPE');
  expect(body.data).toMatchObject([{ coin: 'XRP', freshVenues: 3 }]);
  const lists = body.meta['notListed'] as { venue: string; coins: string[] }[];
  expect(lists.find(({ venue }) => venue === 'coinbase')).toBeUndefined();
  expect(lists.find(({ venue }) => venue === 'okx')?.coins).toEqual(['XRP', 'kPEPE']);
  expect(body.meta).toMatchObject({
    partial: true,
    sources: [{ source: 'coinbase', status: 'stale', ageMs: null, coins: ['XRP', 'kPEPE'] }],
  });
});

it('knows a coin that only one venue lists, before its price arrives', async () => {
  api.table('coinbase', 'instruments', ['BTC', 'ONLY'].map(pairOf) as never);
  const { status, body } = await askCold('ONLY');
  expect(status).toBe(503);
  expect(body.error).toMatch(/coinbase has not sent prices/);
});

it('names the connected venues, and when they answered, where none lists the coin', async () => {
  const { status, body } = await askCold('kPEPE');
  expect([status, body.data]).toEqual([200, []]);
  expect(body.meta).toMatchObject({
    fetchedAt: START_MS,
    source: 'coinbase+binance+kraken+okx+bybit',
    partial: false,
  });
});

it('shows the last prices of a venue that is gone for ten minutes, and names it for as long as it is', async () => {
  const silent = ['bybit-spot'];
  const reported = async (): Promise<unknown[]> => {
    publishSamplePrices(api, { silent });
    api.clock.advance(1_000);
    const { body } = await api.get('/flows/venue-spreads?coins=BTC,XRP');
    const rows = (body.data as unknown as { rows: { venue: string; stale: boolean }[] }[]).map((coin) =>
      coin.rows.filter(({ venue }) => venue === 'bybit').map(({ stale }) => stale),
    );
    const sources = (body.meta['sources'] as { source: string; ageMs: number }[]).map(({ source, ageMs }) => [
      source,
      ageMs,
    ]);
    return [rows, sources];
  };
  api.clock.advance(598_000);
  const engine = startSampleEngine(api);
  expect(await reported()).toEqual([[[true], [true]], [['bybit-spot', 600_000]]]);
  expect(await reported()).toEqual([[[], []], [['bybit-spot', 601_000]]]);
  engine.stop();
});
