import { afterEach, beforeEach, expect, it } from 'vitest';
import { fxSources } from '../../rates/usd-krw.ts';
import { usdRatesTopic } from '../../../topics.ts';
import { type FlowsRig, startFlowsRig } from '../../../api/testing/flows-rig.ts';
import { publishSamplePrices, WON } from '../../../api/testing/sample-flows.ts';
import { START_MS } from '../../../api/testing/test-api.ts';

const error = 'The newest USDT/USD rate of kraken-spot is old.';
const kraken = { source: 'kraken-spot:tickers', status: 'stale', ageMs: 61_000, error } as const;

let rig: FlowsRig;
beforeEach(async () => {
  rig = await startFlowsRig();
  rig.begin();
});
afterEach(() => rig.stop());

it.each(['venue-spreads', 'kimchi', 'etf', 'signals', 'summary'])(
  '/flows/%s names a source of the USDT/USD rate that fails alone, and clears it',
  async (path) => {
    const { api } = rig;
    api.bus.publish(usdRatesTopic, { atMs: START_MS, rates: {}, failing: { USDT: [kraken] } });
    api.clock.advance(1_000);
    const failing = (await api.get(`/flows/${path}`)).body.meta;
    expect(failing).toMatchObject({ sources: [{ source: 'kraken-spot:tickers', error }] });
    publishSamplePrices(api);
    api.bus.publish(usdRatesTopic, { atMs: START_MS + 1_000, rates: {}, failing: {} });
    api.clock.advance(1_000);
    expect((await api.get(`/flows/${path}`)).body.meta).toMatchObject({ sources: [] });
  },
);

it('/flows/kimchi is stale by an old rate of the won, and as old as that', async () => {
  const { api } = rig;
  const old = { coin: 'USD', quote: 'KRW', rate: WON, asOfMs: START_MS - 5 * 86_400_000 };
  for (const source of fxSources) api.table(source, 'exchangeRates', [old], 3_600_000);
  api.clock.advance(1_000);
  const { data, meta } = (await api.get('/flows/kimchi')).body;
  expect(data).toMatchObject({ usdKrwStale: true, premiumBps: 0 });
  expect(meta).toMatchObject({ stale: true, ageMs: api.clock.now() - old.asOfMs });
});
