import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Demand, demandTopic } from '../../topics.ts';
import { publishSampleMarket, publishSamplePositioning } from '../testing/sample-market.ts';
import { START_MS, startTestApi, type TestApi } from '../testing/test-api.ts';

let api: TestApi;
let demands: Demand[];
beforeEach(async () => {
  api = await startTestApi();
  demands = [];
  api.bus.subscribe(demandTopic, (demand) => demands.push(demand));
  publishSampleMarket(api);
});
afterEach(() => api.close());

it('tells both views of Binance and the top traders of OKX, and what each counts', async () => {
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

it('asks the venues for the contracts of the coins, in the period asked for', async () => {
  publishSamplePositioning(api);
  await api.get('/perps/positioning?coins=BTC');
  const keyed = demands.filter(({ keys }) => keys !== undefined);
  expect(keyed).toEqual([
    { venue: 'binance', table: 'positioning', keys: ['BTCUSDT 1h'] },
    { venue: 'okx', table: 'positioning', keys: ['BTC-USDT-SWAP 1h'] },
  ]);
});

it('gives what it has after a while, and names the coins that are still missing', async () => {
  publishSamplePositioning(api);
  api.table('binance', 'instruments', [
    { coin: 'BTC', symbol: 'BTCUSDT' },
    { coin: 'ETH', symbol: 'ETHUSDT' },
  ]);
  const asking = api.get('/perps/positioning?coins=BTC,ETH,kPEPE');
  await expect.poll(() => demands.some(({ keys }) => keys?.includes('ETHUSDT 1h'))).toBe(true);
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

it('is unavailable when nobody answers', async () => {
  api.table('binance', 'instruments', [{ coin: 'BTC', symbol: 'BTCUSDT' }]);
  const asking = api.get('/perps/positioning?coins=BTC');
  await expect.poll(() => demands.length > 0).toBe(true);
  api.clock.advance(3_001);
  expect((await asking).status).toBe(503);
});

it('does not know a coin that nobody lists', async () => {
  expect((await api.get('/perps/positioning?coins=NOPE')).status).toBe(404);
});
