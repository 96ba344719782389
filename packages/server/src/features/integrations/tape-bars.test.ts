import { DAY_MS, MINUTE_MS } from '@crosstape/core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { publishSampleMarket } from '../../api/testing/sample-market.ts';
import { sampleTrades } from '../../api/testing/sample-tape.ts';
import { START_MS, startTestApi, type TestApi } from '../../api/testing/test-api.ts';
import { TickTable } from '../tape/tick-table.ts';

const midnight = Math.ceil(START_MS / DAY_MS) * DAY_MS;
const ticker = 'HYPERLIQUID:BTC.TICK400';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ hasTape: true });
  publishSampleMarket(api);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await api.close();
});

async function volume(): Promise<number> {
  const range = `from=${(midnight - DAY_MS) / 1_000}&to=${midnight / 1_000}`;
  const search = `symbol=${ticker}&resolution=1S&${range}&countback=1`;
  const { v } = JSON.parse((await api.fetch(`/udf/history?${search}`)).text) as { v: number[] };
  return v.reduce((sum, one) => sum + one, 0);
}

it('has the trades of a day that were requested after an outage over its end', async () => {
  const before = sampleTrades(midnight - 60 * MINUTE_MS, 1_000);
  const refilled = sampleTrades(midnight - 10 * MINUTE_MS, 500, 1_000);
  const live = sampleTrades(midnight + 10 * MINUTE_MS, 10, 1_500);
  const sum = (trades: readonly { readonly size: number }[]): number =>
    trades.reduce((total, { size }) => total + size, 0);
  await api.tape.record(before, 'tail');
  // The feed has been down since before midnight.
  api.clock.advance(midnight + 5 * MINUTE_MS - START_MS);
  expect(await volume()).toBeCloseTo(sum(before), 9);
  api.clock.advance(5 * MINUTE_MS);
  await api.tape.record(refilled, 'tail');
  expect(await volume()).toBeCloseTo(sum([...before, ...refilled]), 9);
  api.clock.advance(2_000);
  await api.tape.record(live, 'tail');
  const decoded = vi.spyOn(TickTable.prototype, 'tail');
  expect(await volume()).toBeCloseTo(sum([...before, ...refilled]), 9);
  expect(decoded).toHaveBeenCalledTimes(1);
  // The day is over: it is not read again.
  api.clock.advance(2_000);
  expect(await volume()).toBeCloseTo(sum([...before, ...refilled]), 9);
  expect(decoded).toHaveBeenCalledTimes(1);
});
