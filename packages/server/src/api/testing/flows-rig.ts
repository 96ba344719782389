import type { FlowEngine } from '../../features/flows/flow-engine.ts';
import {
  publishSampleFeeds,
  publishSamplePrices,
  publishSampleTrades,
  type SampleFlows,
  startSampleEngine,
} from './sample-flows.ts';
import { publishSampleMarket } from './sample-market.ts';
import { type Body, startTestApi, type TestApi } from './test-api.ts';

const PRICES_EVERY_MS = 10_000;

/** The interface over a sample market whose flows are computed. */
export interface FlowsRig {
  readonly api: TestApi;
  readonly engine: FlowEngine;
  /** Advances the clock, with new prices every ten seconds. */
  readonly pass: (forMs: number, options?: SampleFlows) => void;
  /** Publishes feeds, trades and the first prices. */
  readonly begin: (options?: SampleFlows) => void;
  readonly ask: (path: string) => Promise<{ status: number; body: Body; data: Record<string, unknown> }>;
  readonly stop: () => Promise<void>;
}

export async function startFlowsRig(): Promise<FlowsRig> {
  const api = await startTestApi();
  publishSampleMarket(api);
  const engine = startSampleEngine(api);
  const pass: FlowsRig['pass'] = (forMs, options = {}) => {
    for (let ms = 0; ms < forMs; ms += PRICES_EVERY_MS) {
      publishSamplePrices(api, options);
      api.clock.advance(Math.min(PRICES_EVERY_MS, forMs - ms));
    }
  };
  return {
    api,
    engine,
    pass,
    begin: (options = {}) => {
      publishSampleFeeds(api);
      publishSampleTrades(api);
      pass(1_000, options);
    },
    ask: async (path) => {
      const { status, body } = await api.get(`/flows/${path}`);
      return { status, body, data: body.data as Record<string, unknown> };
    },
    stop: async () => {
      engine.stop();
      await api.close();
    },
  };
}
