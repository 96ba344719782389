import { MINUTE_MS } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FlowsRig, startFlowsRig } from '../../../api/testing/flows-rig.ts';
import { START_MS } from '../../../api/testing/test-api.ts';

let rig: FlowsRig;
let { pass, begin, ask } = {} as FlowsRig;
beforeEach(async () => {
  rig = await startFlowsRig();
  ({ pass, begin, ask } = rig);
});
afterEach(() => rig.stop());

describe('?explain=1', () => {
  it.each(['venue-spreads?coins=BTC', 'kimchi?', 'etf?', 'signals?coins=BTC', 'summary?coins=BTC'])(
    'of %s has formulas, inputs and what was left out',
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
