import { ManualClock, type TableName, type Tables } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalBus } from '../../platform/local-bus.ts';
import { type Demand, demandTopic, healthTopic, gapTopic, snapshotTopic, tradeTopic } from '../../topics.ts';
import { type FlowEngine, startFlowEngine } from './flow-engine.ts';
import { type FlowReport, flowTopic } from './flow-report.ts';

const START_MS = 1_790_000_000_000;
let clock: ManualClock;
let bus: LocalBus;
let engine: FlowEngine;
beforeEach(() => {
  clock = new ManualClock(START_MS);
  bus = new LocalBus(clock);
  engine = startFlowEngine({
    clock,
    bus,
    coins: ['BTC', 'DOGE'],
    primaryVenue: 'hyperliquid',
    history: new Map(),
  });
});
afterEach(() => engine.stop());

function table<Name extends TableName>(venue: string, name: Name, rows: readonly Tables[Name][]): void {
  bus.publish(snapshotTopic(venue, name), { venue, rows, fetchedAtMs: clock.now(), everyMs: 10_000 });
}

describe('the engine', () => {
  it('reports every coin once a second, and no more when it is stopped', () => {
    const reports: FlowReport[] = [];
    for (const coin of ['BTC', 'DOGE']) bus.subscribe(flowTopic(coin), (report) => reports.push(report));
    clock.advance(3_000);
    expect(reports.map(({ coin, atMs }) => [coin, atMs - START_MS])).toEqual(
      [1_000, 2_000, 3_000].flatMap((ms) => [
        ['BTC', ms],
        ['DOGE', ms],
      ]),
    );
    engine.stop();
    clock.advance(10_000);
    expect(reports).toHaveLength(6);
  });

  it('keeps asking for the sources of its coins that are polled on demand', () => {
    const demands: Demand[] = [];
    bus.subscribe(demandTopic, (demand) => demands.push(demand));
    table('coinbase', 'instruments', [
      { symbol: 'BTC-USD', coin: 'BTC', quote: 'USD' },
      { symbol: 'DOGE-USDT', coin: 'DOGE', quote: 'USDT' },
      { symbol: 'DOGE-USD', coin: 'DOGE', quote: 'USD' },
      { symbol: 'ETH-USD', coin: 'ETH', quote: 'USD' },
    ]);
    const won = { quote: 'KRW', last: 1, volume24hCoins: 1 };
    table('upbit', 'spotTickers', [
      { coin: 'DOGE', symbol: 'KRW-DOGE', ...won },
      { coin: 'ETH', symbol: 'KRW-ETH', ...won },
    ]);
    clock.advance(20_000);
    const round = [
      { venue: 'coinbase', table: 'spotTickers', keys: ['BTC-USD', 'DOGE-USD'] },
      { venue: 'coinbase', table: 'dayOpens', keys: ['BTC-USD', 'DOGE-USD'] },
      { venue: 'upbit', table: 'spotBooks', keys: ['KRW-DOGE'] },
    ];
    expect(demands).toEqual([...round, ...round]);
  });

  it('does not call the window of the primary venue whole across a gap in the tape, be its feed well', () => {
    const times = { sinceMs: START_MS, lastGoodMs: START_MS };
    const counters = { messages: 1, refused: 0, reconnects: 0 };
    const source = {
      source: 'hyperliquid:trades',
      venue: 'hyperliquid',
      gives: ['trades'],
      status: 'ok',
    } as const;
    bus.publish(healthTopic('hyperliquid'), [{ ...source, ...times, ...counters }]);
    for (const coin of ['BTC', 'DOGE']) {
      const amount = { price: 1, size: 1, notionalUsd: 1 };
      const trade = { coin, venue: 'hyperliquid', side: 'buy', ...amount, tid: 1, sameOrder: false } as const;
      bus.publish(tradeTopic(coin), { ...trade, ts: START_MS });
    }
    clock.advance(310_000);
    const gap = { from: clock.now() - 1_000, to: clock.now(), reason: 'a frame was not understood' };
    bus.publish(gapTopic('BTC'), { ts: clock.now(), ...gap, state: 'partial' });
    clock.advance(1_000);
    const [btc, doge] = ['BTC', 'DOGE'].map((coin) => bus.latest(flowTopic(coin))?.message.figures);
    expect(btc?.primaryTape).toMatchObject({ isReceiving: true, isWhole: false });
    expect(btc?.coverage.primaryMicro).toBe('stale');
    expect(doge?.primaryTape?.isWhole).toBe(true);
  });
});
