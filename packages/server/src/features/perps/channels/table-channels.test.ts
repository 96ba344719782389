import { afterEach, beforeEach, expect, it } from 'vitest';
import { liquidationTopic } from '../../../topics.ts';
import { GatewayService, START_MS } from '../../../gateway/testing/gateway-service.ts';

let service: GatewayService;
beforeEach(async () => {
  service = await GatewayService.start();
});
afterEach(() => service.close());

it('sends liquidations of its coin from every venue, with the liquidated amount', async () => {
  const client = await service.connect();
  await client.ask({ op: 'subscribe', id: 1, channel: 'liquidations', symbol: 'BTC' });
  const liquidation = {
    venue: 'okx',
    side: 'sell',
    price: 100,
    size: 2,
    notionalUsd: 200,
    ts: START_MS,
  } as const;
  service.bus.publish(liquidationTopic, { ...liquidation, coin: 'ETH', inferred: false });
  service.bus.publish(liquidationTopic, { ...liquidation, coin: 'BTC', inferred: false, isLate: true });
  service.bus.publish(liquidationTopic, { ...liquidation, coin: 'BTC', inferred: true });
  await client.until(() => client.data('liquidations').length > 0);
  expect(client.data('liquidations').map(({ payload }) => payload)).toEqual([
    { ...liquidation, quote: 'USD', position: 'long', inferred: true },
  ]);
});

it('sends the funding rate, then every change of it', async () => {
  const row = { coin: 'BTC', symbol: 'BTC', periodHours: 1, nextFundingMs: START_MS + 3_600_000 };
  service.table('funding', [{ ...row, rate: 0.0000125 }]);
  const client = await service.connect();
  await client.ask({ op: 'subscribe', id: 1, channel: 'funding', symbol: 'BTC' });
  await client.until(() => client.data('funding').length === 1);
  service.clock.advance(1_000);
  service.table('funding', [{ ...row, rate: 0.0000125 }]);
  service.clock.advance(1_000);
  service.table('funding', [{ ...row, rate: 0.00002 }]);
  await client.until(() => client.data('funding').length === 2);
  const [first, second] = client.data('funding');
  expect(first?.payload).toEqual({
    rate: 0.0000125,
    periodHours: 1,
    prevRate: 0.0000125,
    delta: 0,
    ts: START_MS,
  });
  expect(second).toMatchObject({
    seq: (first?.seq as number) + 1,
    payload: { rate: 0.00002, prevRate: 0.0000125, delta: 0.0000075, ts: START_MS + 2_000 },
  });
  const late = await service.connect();
  await late.ask({ op: 'subscribe', id: 1, channel: 'funding', symbol: 'BTC' });
  await late.until(() => late.data('funding').length === 1);
  expect(late.data('funding')[0]).toEqual(second);
});

it('sends open interest and marks whenever a poll finds them changed', async () => {
  const oi = { coin: 'BTC', symbol: 'BTC', contracts: 31_204.5, coins: 31_204.5, value: 3_120_450_000 };
  const price = { coin: 'BTC', symbol: 'BTC', mark: 100_010, index: 100_000, mid: 100_005 };
  const client = await service.connect();
  await client.ask({ op: 'subscribe', id: 1, channel: 'openInterest', symbol: 'BTC' });
  await client.ask({ op: 'subscribe', id: 2, channel: 'markPrice', symbol: 'BTC' });
  for (const [usd, mark] of [
    [3_120_450_000, 100_010],
    [3_120_450_000, 100_010],
    [3_120_450_001, 100_011],
  ] as const) {
    service.table('openInterest', [
      { ...oi, usd },
      { ...oi, coin: 'ETH' },
    ]);
    const { mid: _, ...noMid } = price;
    service.table('prices', [mark === 100_011 ? { ...noMid, mark } : price]);
  }
  await client.until(() => client.data('openInterest').length === 2 && client.data('markPrice').length === 2);
  expect(client.data('openInterest').map(({ payload }) => payload)).toEqual([
    { oiContracts: 31_204.5, oiUsd: 3_120_450_000, quote: 'USD', ts: START_MS },
    { oiContracts: 31_204.5, oiUsd: 3_120_450_001, quote: 'USD', ts: START_MS },
  ]);
  expect(client.data('markPrice').map(({ payload }) => payload)).toEqual([
    { mark: 100_010, index: 100_000, mid: 100_005, premium: 0.0001, ts: START_MS },
    { mark: 100_011, index: 100_000, mid: null, premium: 0.00011, ts: START_MS },
  ]);
});
