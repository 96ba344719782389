import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FlowDesk } from '../../analytics/flows/flow-desk.ts';
import { publishSampleMarket } from '../testing/sample-market.ts';
import {
  publishSampleFeeds,
  publishSamplePrices,
  publishSampleTrades,
  type SampleFlows,
  startSampleDesk,
} from '../testing/sample-flows.ts';
import { type Body, startTestApi, START_MS, type TestApi } from '../testing/test-api.ts';

const MINUTE_MS = 60_000;
let api: TestApi;
let desk: FlowDesk;
beforeEach(async () => {
  api = await startTestApi();
  publishSampleMarket(api);
  desk = startSampleDesk(api);
});
afterEach(async () => {
  desk.stop();
  await api.close();
});

/** Time passes; every ten seconds somebody says something. */
function pass(forMs: number, options: SampleFlows = {}): void {
  for (let ms = 0; ms < forMs; ms += 10_000) {
    publishSamplePrices(api, options);
    api.clock.advance(Math.min(10_000, forMs - ms));
  }
}

function begin(options: SampleFlows = {}): void {
  publishSampleFeeds(api);
  publishSampleTrades(api);
  pass(1_000, options);
}

async function ask(path: string): Promise<{ status: number; body: Body; data: Record<string, unknown> }> {
  const { status, body } = await api.get(`/flows/${path}`);
  return { status, body, data: body.data as Record<string, unknown> };
}

describe('?explain=1', () => {
  it.each(['venue-spreads?coins=BTC', 'kimchi?', 'etf?', 'signals?coins=BTC', 'summary?coins=BTC'])(
    'of %s tells formulas, inputs and what was left out',
    async (path) => {
      begin();
      pass(2 * MINUTE_MS, { frozen: { 'okx-spot': START_MS } });
      const { body } = await ask(`${path}&explain=1`);
      const { formulas, inputs, leftOut } = body.meta.explain as {
        formulas: { field: string }[];
        inputs: { name: string; value: number; unit: string; source: string; ts: number }[];
        leftOut: { what: string; why: string }[];
      };
      expect(formulas.map(({ field }) => field)).toContain('globalMedianUsd');
      expect(inputs).toContainEqual({
        coin: 'BTC',
        name: 'last price on binance',
        value: 100_000,
        unit: 'USDT',
        source: 'binance',
        ts: START_MS + 111_000,
      });
      const names = inputs.map(({ name }) => name);
      expect(names).toEqual(
        expect.arrayContaining(['bid', 'ask', 'volume24h'].map((one) => `${one} on okx`)),
      );
      if (path.startsWith('kimchi'))
        expect(names).toEqual(expect.arrayContaining(['bid size on upbit', 'ask size on upbit']));
      expect(leftOut.map(({ what }) => what)).toContain('okx');
      expect((await ask(path)).body.meta).not.toHaveProperty('explain');
    },
  );
});
