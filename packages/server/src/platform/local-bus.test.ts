import { ManualClock } from '@crosstape/core';
import { describe, expect, it } from 'vitest';
import type { Dated, LatestTopic, LogTopic } from './bus.ts';
import { LocalBus } from './local-bus.ts';

const state: LatestTopic<string> = { name: 'state', keep: { kind: 'latest' } };
const other: LatestTopic<string> = { name: 'other', keep: { kind: 'latest' } };
const events: LogTopic<Dated> = { name: 'events', keep: { kind: 'log', keepMs: 1_000, entriesMax: 10 } };

describe('the local bus', () => {
  it('delivers to every listener of the topic, in order, before publish returns', () => {
    const bus = new LocalBus(new ManualClock(0));
    const received: string[] = [];
    bus.subscribe(state, (message) => received.push(`first ${message}`));
    bus.subscribe(state, (message) => received.push(`second ${message}`));
    bus.publish(state, 'a');
    bus.publish(other, 'elsewhere');
    bus.publish(state, 'b');
    expect(received).toEqual(['first a', 'second a', 'first b', 'second b']);
  });

  it('takes each subscription as its own, even of one function', () => {
    const bus = new LocalBus(new ManualClock(0));
    const received: string[] = [];
    const listener = (message: string): number => received.push(message);
    const unsubscribe = bus.subscribe(state, listener);
    bus.subscribe(state, listener);
    bus.publish(state, 'a');
    unsubscribe();
    unsubscribe();
    bus.publish(state, 'b');
    expect(received).toEqual(['a', 'a', 'b']);
  });

  it('retains the newest message with a version that grows with each publication', () => {
    const bus = new LocalBus(new ManualClock(0));
    expect(bus.latest(state)).toBeUndefined();
    bus.publish(state, 'a');
    const before = bus.latest(state);
    bus.publish(state, 'a');
    const after = bus.latest(state);
    expect(after?.message).toBe('a');
    expect(after?.version).toBeGreaterThan(before?.version ?? Number.POSITIVE_INFINITY);
  });

  it('logs messages that are published without a subscriber', () => {
    const bus = new LocalBus(new ManualClock(0));
    bus.publish(events, { ts: 5 });
    expect(bus.log(events).at(0)).toEqual({ ts: 5 });
  });

  it('has an event in the log before subscribers receive it', () => {
    const bus = new LocalBus(new ManualClock(0));
    const ends: number[] = [];
    bus.subscribe(events, () => ends.push(bus.log(events).end));
    bus.publish(events, { ts: 5 });
    bus.publish(events, { ts: 6 });
    expect(ends).toEqual([1, 2]);
  });

  it('vouches for a topic since the start of the bus, not since its first message', () => {
    const clock = new ManualClock(1_000);
    const bus = new LocalBus(clock);
    clock.advance(5_000);
    bus.publish(events, { ts: 5_990 });
    expect(bus.log(events).resume(2_000)).toEqual({ position: 0, resumed: true });
    expect(bus.log(events).resume(999).resumed).toBe(false);
  });
});
