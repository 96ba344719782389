import { ManualClock, type Print, type VenueLiquidation } from '@crosstape/core';
import { describe, expect, it } from 'vitest';
import { LocalBus } from '../../platform/local-bus.ts';
import { openTestLink } from '../../cluster/testing/redis-link.ts';
import { hasRedis } from '../../cluster/testing/redis-server.ts';
import { LiquidationTable } from '../liquidations/liquidation-table.ts';
import { RedisStore } from '../../cluster/redis-store.ts';
import { printTopic } from '../../topics.ts';
import { WhaleTable } from '../whales/whale-table.ts';
import { LiquidationRecorder } from '../liquidations/liquidation-recorder.ts';
import { startWhaleRecorder } from '../whales/whale-recorder.ts';

const START_MS = 1_763_164_800_000;
/** The maximum backlog with `LONG=1`; in any case more than one script of the server takes. */
const BACKLOG = process.env.LONG === '1' ? 50_000 : 12_000;
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

describe.runIf(hasRedis)('after a long outage of a shared store', () => {
  it('every large print that waits is written', async () => {
    const link = await openTestLink();
    const store = new RedisStore({ link, prefix: '{test:store}' });
    const clock = new ManualClock(START_MS);
    const recorder = startWhaleRecorder({
      clock,
      log,
      bus: new LocalBus(clock),
      topic: printTopic,
      table: new WhaleTable(store),
      retentionDays: 7,
      keptFromMs: () => undefined,
      isRecorded: () => true,
    });
    const print: Print = {
      venue: 'hyperliquid',
      coin: 'BTC',
      side: 'buy',
      price: 100_000,
      size: 2,
      notionalUsd: 200_000,
      fills: 1,
      ts: START_MS,
      tid: 0,
    };
    recorder.add(Array.from({ length: BACKLOG }, (_, tid) => ({ ...print, tid })));
    await recorder.stop();
    // Among all coins, and among its own.
    expect(await link.zcard('{test:store}:index:whales')).toBe(2 * BACKLOG);
  });

  it('every waiting liquidation is written, with the connected spans', async () => {
    const link = await openTestLink();
    const store = new RedisStore({ link, prefix: '{test:store}' });
    const clock = new ManualClock(START_MS);
    const table = new LiquidationTable(store);
    const worthsOf = () => () => ({ quote: 'USD', rate: 1 });
    const recorder = await LiquidationRecorder.open({
      clock,
      log,
      bus: new LocalBus(clock),
      keptFromMs: () => undefined,
      table,
      worthsOf,
    });
    recorder.socket('okx', 0, 'up', START_MS);
    const amount = { side: 'sell', price: 90_000, size: 0.5 } as const;
    const reported: VenueLiquidation = { coin: 'BTC', symbol: 'BTCUSDT', ...amount, venueTs: START_MS };
    // Trades since the last attempt are not counted yet.
    const count = BACKLOG + 2_000;
    recorder.add(
      'okx',
      Array.from({ length: count }, (_, i) => ({ ...reported, id: `${i}` })),
    );
    clock.advance(1);
    await recorder.stop();
    expect(await link.zcard('{test:store}:index:liquidations')).toBe(count);
    expect(await table.spans(0)).toEqual([{ venue: 'okx', from: START_MS, to: START_MS + 1 }]);
  });
});
