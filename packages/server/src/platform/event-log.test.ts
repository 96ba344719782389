import { ManualClock } from '@crosstape/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventLog } from './event-log.ts';
import { runs } from '../../../../test/runs.ts';

const OPENED_AT = 10_000;

interface Mark {
  readonly ts: number;
  readonly name: string;
}

function logOf({ keepMs = 1_000, entriesMax = 100, isPacked = false } = {}) {
  const clock = new ManualClock(OPENED_AT);
  const log = new EventLog<Mark>({ clock, keepMs, entriesMax, isPacked, openedAtMs: OPENED_AT });
  const publish = (...times: number[]): void => {
    for (const ts of times) log.append({ ts, name: `at ${ts}` });
  };
  return { clock, log, publish };
}

function timesFrom(log: EventLog<Mark>, position: number): number[] {
  return log.read(position, log.end).map(({ ts }) => ts);
}

describe.each([{ isPacked: false }, { isPacked: true }])('an event log (%j)', ({ isPacked }) => {
  const openLog = (options: Parameters<typeof logOf>[0] = {}) => logOf({ ...options, isPacked });

  it('keeps an event at the same position while older ones leave', () => {
    const { log, publish } = openLog({ entriesMax: 3 });
    publish(10_001, 10_002, 10_003, 10_004);
    expect([log.start, log.end]).toEqual([1, 4]);
    expect(log.at(0)).toBeUndefined();
    expect(log.at(3)?.ts).toBe(10_004);
    expect(log.at(4)).toBeUndefined();
    expect(log.read(2, 5).map(({ ts }) => ts)).toEqual([10_003, 10_004]);
    expect(log.read(1, 1).map(({ ts }) => ts)).toEqual([10_002]);
  });

  it('keeps positions when the dead part is cut off', () => {
    const { log, publish } = openLog({ entriesMax: 10 });
    for (let i = 0; i < 5_000; i += 1) publish(OPENED_AT + i);
    expect([log.start, log.end]).toEqual([4_990, 5_000]);
    expect(timesFrom(log, log.start)[0]).toBe(OPENED_AT + 4_990);
  });

  it('drops by time of publication, not by the time an event carries', () => {
    const { clock, log, publish } = openLog({ keepMs: 1_000 });
    publish(9_000, 10_000);
    clock.advance(1_000);
    publish(10_500);
    expect(log.start).toBe(0);
    clock.advance(1);
    publish(11_001);
    expect(timesFrom(log, log.start)).toEqual([10_500, 11_001]);
  });

  it('keeps recorded events for a shorter time while there are many', () => {
    const clock = new ManualClock(OPENED_AT);
    const whileRecorded = { keepMs: 100, entriesMax: 3 };
    const log = new EventLog<Mark>({
      clock,
      keepMs: 1_000,
      entriesMax: 10,
      isPacked,
      whileRecorded,
      openedAtMs: OPENED_AT,
    });
    const publish = (ts: number): void => log.append({ ts, name: `at ${ts}` });
    for (const ts of [10_001, 10_002, 10_003]) publish(ts);
    clock.advance(500);
    publish(10_500);
    // Three are few, whatever their age; the fourth drops what is older than the shorter time.
    expect(timesFrom(log, log.start)).toEqual([10_002, 10_003, 10_500]);
    for (const ts of [10_501, 10_502, 10_503]) publish(ts);
    expect(timesFrom(log, log.start)).toEqual([10_500, 10_501, 10_502, 10_503]);
    expect(log.resume(10_003).lost).toEqual({ fromTs: 10_003, toTs: 10_003 });
    clock.advance(1_001);
    publish(11_501);
    expect(timesFrom(log, log.start)).toEqual([11_501]);
  });

  it('resumes with the first event of the given time, also when several share it', () => {
    const { clock, log, publish } = openLog();
    clock.advance(5);
    publish(10_001, 10_010, 10_010, 10_012);
    expect(log.resume(10_010)).toEqual({ position: 1, resumed: true });
    expect(log.resume(10_011)).toEqual({ position: 3, resumed: true });
  });

  it('replays late events that were published after the one resumed from', () => {
    const { clock, log, publish } = openLog();
    clock.advance(5);
    publish(10_001, 10_100, 10_050, 10_120);
    expect(timesFrom(log, log.resume(10_100).position)).toEqual([10_100, 10_050, 10_120]);
    expect(timesFrom(log, log.resume(10_050).position)).toEqual([10_100, 10_050, 10_120]);
  });

  it('reports dropped events, and then sends all that is left, late events included', () => {
    const { clock, log, publish } = openLog({ entriesMax: 2 });
    clock.advance(5);
    publish(10_001, 10_100, 10_050, 10_120);
    expect(log.resume(10_100)).toEqual({
      position: 2,
      resumed: false,
      lost: { fromTs: 10_100, toTs: 10_100 },
    });
    publish(10_130);
    // The dropped 10,050 was published after 10,100.
    expect(log.resume(10_100)).toMatchObject({ lost: { fromTs: 10_050, toTs: 10_100 } });
  });

  it('cannot vouch for what came before it was opened', () => {
    const { log, publish } = openLog();
    expect(log.resume(9_000)).toEqual({ position: 0, resumed: false, lost: { fromTs: 9_000, toTs: 9_999 } });
    publish(8_000, 10_001);
    expect(log.resume(9_000)).toEqual({ position: 0, resumed: false, lost: { fromTs: 9_000, toTs: 9_999 } });
  });

  it('knows from when on it is complete', () => {
    const { log, publish } = openLog({ entriesMax: 2 });
    expect(log.completeFromTs).toBe(OPENED_AT);
    // Older than the log, which does not know other events of that time.
    publish(8_000, 10_003);
    expect(log.completeFromTs).toBe(OPENED_AT);
    publish(10_004, 10_005);
    expect(log.completeFromTs).toBe(10_004);
  });

  it('resumes from an event that carries a time before the opening but was published here', () => {
    const { log, publish } = openLog();
    publish(8_000, 9_000, 9_500);
    expect(log.resume(9_000)).toEqual({ position: 1, resumed: true });
  });

  it('does not resume from a time ahead of everything published', () => {
    const { clock, log, publish } = openLog();
    expect(log.resume(10_001)).toEqual({ position: 0, resumed: false });
    clock.advance(50);
    publish(10_040);
    expect(log.resume(10_051)).toEqual({ position: 1, resumed: false });
  });

  it('gives the clock as id before the first event, and resumes from it with the first event', () => {
    const { clock, log, publish } = openLog();
    clock.advance(100);
    const id = log.idAt(0);
    expect(id).toBe(10_100);
    expect(log.resume(id)).toEqual({ position: 0, resumed: true });
    clock.advance(100);
    publish(10_090, 10_100);
    expect(log.resume(id)).toEqual({ position: 0, resumed: true });
    expect(log.idAt(0)).toBe(10_200);
  });

  it('reports a loss to a reader from before the first event when that event is gone', () => {
    const { clock, log, publish } = openLog({ entriesMax: 2 });
    clock.advance(100);
    publish(10_090, 10_300, 10_400);
    expect(log.resume(10_100)).toEqual({
      position: 1,
      resumed: false,
      lost: { fromTs: 10_090, toTs: 10_090 },
    });
  });

  it('never lets a reader miss an event without a report, whatever the order of times', () => {
    const step = fc.record({
      waitMs: fc.nat(300),
      /** Negative: the event's time is older than its publication, as with a late venue. */
      lagMs: fc.integer({ min: -5, max: 400 }),
    });
    const scenario = fc.record({
      steps: fc.array(step, { maxLength: 40 }),
      readTo: fc.nat(40),
      usesLastEvent: fc.boolean(),
      entriesMax: fc.integer({ min: 1, max: 20 }),
      keepMs: fc.integer({ min: 0, max: 2_000 }),
    });
    fc.assert(
      fc.property(scenario, ({ steps, readTo, usesLastEvent, entriesMax, keepMs }) => {
        const { clock, log } = openLog({ keepMs, entriesMax });
        const published: Mark[] = [];
        const seenMax = Math.min(readTo, steps.length);
        let id = log.idAt(0);
        steps.forEach(({ waitMs, lagMs }, i) => {
          clock.advance(waitMs);
          if (i === seenMax) id = usesLastEvent ? (published.at(-1)?.ts ?? log.idAt(i)) : log.idAt(i);
          const event = { ts: clock.now() - lagMs, name: `event ${i}` };
          published.push(event);
          log.append(event);
        });
        if (seenMax === steps.length) {
          id = usesLastEvent ? (published.at(-1)?.ts ?? log.idAt(seenMax)) : log.idAt(seenMax);
        }

        const { position, resumed, lost } = log.resume(id);
        expect(position).toBeGreaterThanOrEqual(log.start);
        expect(log.read(position, published.length)).toEqual(published.slice(position));
        expect(log.at(position)).toEqual(published[position]);
        if (resumed || seenMax >= log.start) expect(position).toBeLessThanOrEqual(seenMax);
        if (resumed) expect(lost).toBeUndefined();
        else expect(lost ?? seenMax).toEqual(lost ?? published.length);
        for (const { ts } of published.slice(seenMax, log.start)) {
          expect(ts).toBeGreaterThanOrEqual(lost?.fromTs ?? Number.POSITIVE_INFINITY);
          expect(ts).toBeLessThanOrEqual(lost?.toTs ?? Number.NEGATIVE_INFINITY);
        }
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('reads, finds and seeks over many blocks, also when part of the oldest is gone', () => {
    const { log, publish } = openLog({ entriesMax: 4_000 });
    const times = Array.from({ length: 5_000 }, (_, i) => OPENED_AT + Math.floor(i / 3));
    publish(...times);
    expect([log.start, log.end]).toEqual([1_000, 5_000]);
    expect(timesFrom(log, 0)).toEqual(times.slice(1_000));
    expect(log.read(2_047, 3).map(({ ts }) => ts)).toEqual(times.slice(2_047, 2_050));
    expect(log.at(999)).toBeUndefined();
    for (const position of [1_000, 1_023, 1_024, 4_998]) {
      const ts = times[position] as number;
      expect(log.seek(ts)).toBe(Math.max(1_000, times.indexOf(ts)));
      expect(log.idAt(position + 1)).toBe(ts);
    }
    expect(log.seek(OPENED_AT + 5_000)).toBe(5_000);
  });

  it('searches from the newest back, by the least of a number and by equality', () => {
    const { log, publish } = openLog({ entriesMax: 3_000 });
    publish(...Array.from({ length: 4_000 }, (_, i) => OPENED_AT + i));
    publish(10_500);
    const late = [...log.search({ equals: { field: 'name', value: 'at 10500' } })];
    expect(late).toEqual([{ event: { ts: 10_500, name: 'at 10500' }, reachedTs: 13_999 }]);
    const large = [...log.search({ atLeast: { field: 'ts', value: 13_990 } })];
    expect(large.map(({ event }) => event.ts)).toEqual(Array.from({ length: 10 }, (_, i) => 13_999 - i));
    expect([...log.search({ equals: { field: 'name', value: 'at 10001' } })]).toEqual([]);
    const both = { atLeast: { field: 'ts', value: 11_000 }, equals: { field: 'name', value: 'at 10500' } };
    expect([...log.search(both as Parameters<typeof log.search>[0])]).toEqual([]);
    expect([...log.search({})]).toHaveLength(3_000);
  });

  it('forgets everything, and begins again at a later position', () => {
    const { clock, log, publish } = openLog({ entriesMax: 3_000 });
    publish(...Array.from({ length: 2_500 }, (_, i) => OPENED_AT + i));
    clock.advance(10);
    log.forget();
    expect([log.start, log.end]).toEqual([2_501, 2_501]);
    expect(log.resume(12_000)).toMatchObject({ resumed: false, lost: { toTs: 12_499 } });
    publish(10_005);
    expect(timesFrom(log, 0)).toEqual([10_005]);
    expect(log.idAt(2_502)).toBe(10_005);
  });
});
