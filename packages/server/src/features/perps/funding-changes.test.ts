import { type Funding, type FundingChange, ManualClock } from '@crosstape/core';
import { expect, it } from 'vitest';
import { LocalBus } from '../../platform/local-bus.ts';
import { fundingTopic, snapshotTopic } from '../../topics.ts';
import { watchFundingChanges } from './funding-changes.ts';

function poll(bus: LocalBus, fetchedAtMs: number, rates: Record<string, number>): void {
  const rows: Funding[] = Object.entries(rates).map(([coin, rate]) => ({
    coin,
    symbol: coin,
    rate,
    periodHours: 1,
    nextFundingMs: 3_600_000,
  }));
  bus.publish(snapshotTopic('hyperliquid', 'funding'), {
    venue: 'hyperliquid',
    rows,
    fetchedAtMs,
    everyMs: 30_000,
  });
}

it('publishes a rate that moved, with its exact difference to the poll before', () => {
  const bus = new LocalBus(new ManualClock(0));
  const changes: FundingChange[] = [];
  bus.subscribe(fundingTopic, (change) => changes.push(change));
  watchFundingChanges(bus, 'hyperliquid');
  poll(bus, 30_000, { BTC: 0.0001, ETH: 0.0000125 });
  expect(changes).toEqual([]);
  poll(bus, 60_000, { BTC: 0.00015, ETH: 0.0000125, SOL: 0.0002 });
  expect(changes).toEqual([
    {
      coin: 'BTC',
      venue: 'hyperliquid',
      rate: 0.00015,
      periodHours: 1,
      prevRate: 0.0001,
      delta: 0.00005,
      ts: 60_000,
    },
  ]);
});

it('compares a coin that was away with nothing rather than with an old rate', () => {
  const bus = new LocalBus(new ManualClock(0));
  const changes: FundingChange[] = [];
  bus.subscribe(fundingTopic, (change) => changes.push(change));
  watchFundingChanges(bus, 'hyperliquid');
  poll(bus, 30_000, { BTC: 0.0001 });
  poll(bus, 60_000, {});
  poll(bus, 90_000, { BTC: 0.0003 });
  expect(changes).toEqual([]);
});
