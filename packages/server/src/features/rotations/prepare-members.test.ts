import { HOUR_MS, ManualClock } from '@crosstape/core';
import { expect, it } from 'vitest';
import { sampleTrades } from '../../api/testing/sample-tape.ts';
import { TestTape } from '../../api/testing/test-tape.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { type RecordedMarket, recordedMarketsTopic } from '../../topics.ts';
import { awaitedMarketsTopic } from '../market-tape/followed-tape.ts';
import { MarketTable } from '../market-tape/market-table.ts';
import { prepareMerged } from './prepare-members.ts';
import { HeldJobs } from './testing/held-jobs.ts';

const NOW_MS = 1_790_000_000_000;

function market(symbol: string): RecordedMarket {
  return {
    id: `okx:${symbol}`,
    venue: 'okx',
    kind: 'perp',
    symbol,
    coin: 'BTC',
    quote: symbol.split('-')[1]!,
    contractSize: 0.01,
    scale: 1,
    publisher: 'okx',
    isCounted: true,
  };
}

it('has bars carried on with markets whose recording is about to begin', async () => {
  const clock = new ManualClock(NOW_MS);
  const bus = new LocalBus(clock);
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const tape = await TestTape.open({ clock, bus, log, jobs: new HeldJobs() });
  await tape.connected(NOW_MS - HOUR_MS, NOW_MS);
  await tape.record(sampleTrades(NOW_MS - HOUR_MS, 10), 'sealed');
  const [recorded, awaited, left] = ['BTC-USDT-SWAP', 'BTC-USDC-SWAP', 'BTC-USD-SWAP'].map(market);
  await new MarketTable(tape.store).put([recorded!, awaited!, left!], NOW_MS);
  bus.publish(recordedMarketsTopic, [recorded!]);
  bus.publish(awaitedMarketsTopic, [awaited!]);

  const spec = {
    coin: 'BTC',
    bars: { kind: 'time', params: { seconds: 5 }, tick: 1 },
    days: 1,
    degraded: null,
  } as const;
  const { ticks, coverage, folder, markets } = tape;
  const options = { bus, log, ticks, tape: tape.tape, coverage, folder, markets, venue: 'hyperliquid' };
  const prepared = await prepareMerged(spec, { scope: 'perp', coin: 'BTC' }, NOW_MS, options);
  await tape.close();
  const members = 'order' in prepared ? prepared.order.merged?.members : undefined;
  expect(members?.map(({ id, isFollowed }) => [id, isFollowed]).toSorted()).toEqual([
    ['hyperliquid:BTC', true],
    [left!.id, false],
    [awaited!.id, true],
    [recorded!.id, true],
  ]);
});
