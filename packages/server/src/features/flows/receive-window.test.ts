import { ManualClock, type SourceHealth, type SpotTrade } from '@crosstape/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { LocalBus } from '../../platform/local-bus.ts';
import { healthTopic, gapTopic, spotTradeTopic } from '../../topics.ts';
import { ReceiveWindow } from './receive-window.ts';

const START_MS = 1_790_000_000_000;
const WINDOW_MS = 300_000;
const topic = spotTradeTopic('coinbase', 'BTC');

let clock: ManualClock;
let bus: LocalBus;
let window: ReceiveWindow;
beforeEach(() => {
  clock = new ManualClock(START_MS);
  bus = new LocalBus(clock);
  window = new ReceiveWindow({ clock, bus, topic, publisher: 'coinbase', gaps: gapTopic('BTC') });
});

function trade(more: Partial<SpotTrade> = {}): void {
  bus.publish(topic, {
    coin: 'BTC',
    venue: 'coinbase',
    side: 'buy',
    price: 100,
    size: 1,
    notionalUsd: 100,
    ts: clock.now(),
    tid: 1,
    sameOrder: false,
    ...more,
  });
}

function health(status: SourceHealth['status'], sinceMs: number): void {
  const counters = { messages: 1, refused: 0, reconnects: 0, lastGoodMs: clock.now() };
  const source = { source: 'coinbase:trades', venue: 'coinbase', gives: ['trades'], status, sinceMs };
  bus.publish(healthTopic('coinbase'), [{ ...source, ...counters }]);
}

describe('the window of a venue', () => {
  it('is unknown before the first trade of the coin, even while the venue is connected', () => {
    health('ok', START_MS);
    expect(window.read(clock.now())).toBeUndefined();
    trade();
    expect(window.read(clock.now())).toMatchObject({ netUsd: 100, isReceiving: true, isWhole: false });
  });

  it('is whole once the feed was connected for its full length', () => {
    health('ok', START_MS - 1_000_000);
    trade();
    clock.advance(WINDOW_MS - 1);
    expect(window.read(clock.now())?.isWhole).toBe(false);
    clock.advance(1);
    expect(window.read(clock.now())?.isWhole).toBe(true);
  });

  it('believes the newest word on a gap', () => {
    health('ok', START_MS);
    trade();
    clock.advance(2 * WINDOW_MS);
    const nowMs = clock.now();
    const gap = { ts: nowMs, from: nowMs - 2 * WINDOW_MS, reason: 'late' } as const;
    bus.publish(gapTopic('BTC'), { ...gap, to: nowMs, state: 'missing' });
    expect(window.read(nowMs)?.isWhole).toBe(false);
    bus.publish(gapTopic('BTC'), { ...gap, to: nowMs - WINDOW_MS, state: 'missing' });
    expect(window.read(nowMs)?.isWhole).toBe(true);
    bus.publish(gapTopic('BTC'), { ...gap, to: nowMs, state: 'missing' });
    bus.publish(gapTopic('BTC'), { ...gap, to: nowMs, state: 'refilled' });
    expect(window.read(nowMs)?.isWhole).toBe(true);
  });

  it('is whole again only its length after a break', () => {
    health('ok', START_MS);
    trade();
    clock.advance(WINDOW_MS);
    health('down', clock.now());
    expect(window.read(clock.now())).toMatchObject({ isReceiving: false, isWhole: false });
    clock.advance(60_000);
    health('ok', clock.now());
    clock.advance(WINDOW_MS - 1);
    expect(window.read(clock.now())).toMatchObject({ isReceiving: true, isWhole: false });
    clock.advance(1);
    expect(window.read(clock.now())?.isWhole).toBe(true);
  });

  it('is whole again only its length after trades that were missed', () => {
    health('ok', START_MS);
    clock.advance(WINDOW_MS);
    trade({ missedBefore: 3 });
    expect(window.read(clock.now())?.isWhole).toBe(false);
    clock.advance(WINDOW_MS);
    expect(window.read(clock.now())?.isWhole).toBe(true);
  });

  it('is whole again one window length after a reported gap, unless nothing is missing there', () => {
    health('ok', START_MS);
    trade();
    clock.advance(WINDOW_MS);
    const gap = { from: clock.now() - 9_000, to: clock.now() - 8_000, reason: 'a frame was not understood' };
    bus.publish(gapTopic('BTC'), { ts: clock.now(), ...gap, state: 'refilled' });
    expect(window.read(clock.now())?.isWhole).toBe(true);
    bus.publish(gapTopic('BTC'), { ts: clock.now(), ...gap, state: 'partial' });
    // An earlier gap that is reported later does not clear it.
    bus.publish(gapTopic('BTC'), {
      ts: clock.now(),
      ...gap,
      from: gap.from - 9,
      to: gap.from,
      state: 'missing',
    });
    expect(window.read(clock.now())).toMatchObject({ isReceiving: true, isWhole: false });
    clock.advance(WINDOW_MS - 8_001);
    expect(window.read(clock.now())?.isWhole).toBe(false);
    clock.advance(1);
    expect(window.read(clock.now())?.isWhole).toBe(true);
  });

  it('is not known any more ten minutes after the last word', () => {
    health('ok', START_MS);
    trade();
    health('down', START_MS);
    clock.advance(600_000);
    expect(window.read(clock.now())).toBeDefined();
    clock.advance(1);
    expect(window.read(clock.now())).toBeUndefined();
  });
});
