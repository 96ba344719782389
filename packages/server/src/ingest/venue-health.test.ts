import { ManualClock } from '@crosstape/core';
import { expect, it } from 'vitest';
import { LocalBus } from '../platform/local-bus.ts';
import { healthTopic, NO_ANSWER_YET } from '../topics.ts';
import { VenueHealth, waitsFor } from './venue-health.ts';

function silent(): void {}

it('reports the messages of the last minute, once one has passed', () => {
  const clock = new ManualClock(0);
  const bus = new LocalBus(clock);
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const health = new VenueHealth({ venue: 'v', bus, clock, log });
  const source = health.source('trades', ['trades']);
  const reported = (): number | undefined => bus.latest(healthTopic('v'))?.message[0]?.messagesLastMinute;

  for (let i = 0; i < 10; i += 1) source.countGood();
  clock.advance(55_000);
  expect(reported()).toBeUndefined();
  clock.advance(5_000);
  expect(reported()).toBe(10);
  source.countGood();
  clock.advance(5_000);
  expect(reported()).toBe(1);
  clock.advance(60_000);
  expect(reported()).toBe(0);
  health.stop();
});

it('reports the first failure of a source, and its end, at once', () => {
  const clock = new ManualClock(0);
  const bus = new LocalBus(clock);
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const health = new VenueHealth({ venue: 'v', bus, clock, log });
  const source = health.source('oi', ['openInterest']);
  const reported = (): string | undefined => bus.latest(healthTopic('v'))?.message[0]?.error;

  source.turn('down', 'It hangs up.');
  expect(reported()).toBe('It hangs up.');
  source.turn('down', 'It never answers.');
  expect(reported()).toBe('It hangs up.');
  clock.advance(5_000);
  expect(reported()).toBe('It never answers.');
  source.turn('down', NO_ANSWER_YET);
  expect(reported()).toBe(NO_ANSWER_YET);
  health.stop();
});

it('reports since when a source fails, however its status changes meanwhile', () => {
  const clock = new ManualClock(1_000);
  const bus = new LocalBus(clock);
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const health = new VenueHealth({ venue: 'v', bus, clock, log });
  const source = health.source('trades', ['trades']);
  const since = (): number | undefined => bus.latest(healthTopic('v'))?.message[0]?.failingSinceMs;

  expect(since()).toBeUndefined();
  source.turn('ok');
  expect(since()).toBeUndefined();
  clock.advance(1_000);
  source.turn('stale', 'No data for 5 s.');
  clock.advance(1_000);
  source.turn('down', 'It hangs up.');
  clock.advance(1_000);
  source.turn('stale', 'No data for 60 s.');
  expect(since()).toBe(2_000);
  source.turn('ok');
  expect(since()).toBeUndefined();
  clock.advance(1_000);
  source.turn('limited', 'HTTP 429.');
  expect(since()).toBe(5_000);
  source.turn('down', NO_ANSWER_YET);
  expect(since()).toBeUndefined();
  health.stop();
});

it('logs once why a source that has never been well is not', () => {
  const clock = new ManualClock(0);
  const warned: unknown[] = [];
  const log = {
    debug: silent,
    info: silent,
    error: silent,
    warn: (fields: object) => void warned.push(fields),
  };
  const health = new VenueHealth({ venue: 'v', bus: new LocalBus(clock), clock, log });
  const source = health.source('trades', ['trades']);

  source.turn('down', waitsFor(['instruments']));
  source.turn('down', NO_ANSWER_YET);
  expect(warned).toEqual([]);
  source.turn('down', 'It hangs up.');
  source.turn('down', 'It never answers.');
  expect(warned).toEqual([{ source: 'v:trades', status: 'down', error: 'It hangs up.' }]);
  source.countGood();
  source.turn('ok');
  source.turn('down', 'It hangs up.');
  expect(warned).toHaveLength(2);
  health.stop();
});
