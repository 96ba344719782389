import { HOUR_MS } from '@crosstape/core';
import { describe, expect, it } from 'vitest';
import { sampleTrades } from '../../api/testing/sample-tape.ts';
import { marketSeedingTopic, type RecordedMarket, seedingTopic } from '../../topics.ts';
import { TickBuffer } from '../tape/tick-buffer.ts';
import { TickTable } from '../tape/tick-table.ts';
import { GapLedger } from '../tape/gap-ledger.ts';
import { BuildRig, NOW_MS, request } from './testing/rig.ts';

const rig = new BuildRig();

describe('while the first-run history is being created', () => {
  const recorded = (agoMs: number) => ({ fromMs: NOW_MS - agoMs, toMs: NOW_MS });

  it('a build waits for the part that it is made from, and is not degraded', async () => {
    rig.bus.publish(seedingTopic, { isDone: false, progress: 0 });
    const submission = await rig.rotations.submit({ ...request, days: 1 / 24, tick: 1 }, 'me');
    expect(submission).toMatchObject({ cached: false, degraded: false });
    rig.bus.publish(seedingTopic, { isDone: false, progress: 0.2, tape: recorded(HOUR_MS / 2) });
    expect(await rig.rotations.job(submission.jobId)).toMatchObject({ status: 'queued' });
    const all = await rig.record();
    rig.bus.publish(seedingTopic, { isDone: false, progress: 0.4, tape: recorded(HOUR_MS) });
    const job = await rig.ended(submission);
    expect(job.stats).toMatchObject({ degraded: false, trades: all.length, gaps: [] });
  });

  it('one from the newest trades does not wait', async () => {
    rig.bus.publish(seedingTopic, { isDone: false, progress: 0 });
    await rig.tape.record(sampleTrades(NOW_MS - HOUR_MS, 100), 'memory');
    const submission = await rig.rotations.submit({ ...request, degraded: true }, 'me');
    expect((await rig.ended(submission)).stats).toMatchObject({ degraded: true, trades: 100 });
  });

  it('one that waits ends with the service', async () => {
    rig.bus.publish(seedingTopic, { isDone: false, progress: 0 });
    const { jobId } = await rig.rotations.submit({ ...request, tick: 1 }, 'me');
    await rig.rotations.stop();
    expect(await rig.rotations.job(jobId)).toMatchObject({
      status: 'error',
      error: 'The service is stopping; submit it again later.',
    });
    expect(rig.errors).toEqual([]);
  });

  it('one of a market whose history is being created is not used again', async () => {
    const symbol = 'BTC-USDT-SWAP';
    const market: RecordedMarket = {
      id: `okx:${symbol}`,
      venue: 'okx',
      kind: 'perp',
      symbol,
      coin: 'BTC',
      quote: 'USDT',
      contractSize: 0.01,
      scale: 1,
      publisher: 'okx',
      isCounted: true,
    };
    const ticks = new TickTable(rig.tape.store, 'okx');
    const ledger = new GapLedger(rig.tape.store, 'okx');
    rig.jobs.table = ticks;
    const seed = async (fromMs: number): Promise<void> => {
      const trades = new TickBuffer();
      for (const trade of sampleTrades(fromMs, 600)) trades.add({ ...trade, coin: symbol, venue: 'okx' });
      await ticks.commit(ticks.sealing(symbol, trades, 600, []));
      await rig.tape.store.commit([ledger.extending({ from: fromMs, to: fromMs + HOUR_MS })]);
    };
    const submit = () => rig.rotations.submit({ ...request, market, days: 2 / 24, tick: 1 }, 'me');

    rig.bus.publish(marketSeedingTopic, { isDone: false, markets: [market.id] });
    await seed(NOW_MS - HOUR_MS);
    const early = await submit();
    expect((await rig.ended(early)).stats).toMatchObject({ trades: 600, degraded: false });
    await seed(NOW_MS - 2 * HOUR_MS);
    rig.bus.publish(marketSeedingTopic, { isDone: true, markets: [] });
    rig.clock.advance(1);
    const whole = await submit();
    expect(whole.cached).toBe(false);
    expect((await rig.ended(whole)).stats?.trades).toBeGreaterThan(1_100);
    expect(await submit()).toEqual({ ...whole, cached: true });
  });
});

it('a degraded build is shared while it runs, and not used again', async () => {
  await rig.tape.record(sampleTrades(NOW_MS - 2 * HOUR_MS, 3_000), 'memory');
  const recent = { ...request, days: 0.01 };
  rig.jobs.isHolding = true;
  const first = await rig.rotations.submit(recent, 'me');
  expect(await rig.rotations.submit(recent, 'you')).toEqual({ ...first, cached: true, degraded: true });
  rig.jobs.release();
  await rig.ended(first);
  await rig.record();
  rig.clock.advance(1);
  const second = await rig.rotations.submit(recent, 'me');
  expect(second).toMatchObject({ cached: false, degraded: false });
  expect((await rig.ended(second)).trades).toBeGreaterThan(1_000);
});
