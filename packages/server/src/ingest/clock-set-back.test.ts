import { type Clock, HOUR_MS, seededRandom, SteadyClock } from '@crosstape/core';
import { allPublishers, Malformed } from '@crosstape/venues';
import { afterEach, expect, test } from 'vitest';
import { LateClock } from '../platform/testing/late-clock.ts';
import { Breaker } from './breaker.ts';
import { SourceFailure } from './source-failure.ts';
import { fakeLookup, fakeResource } from './testing/fake-venue.ts';
import { type Rig, type RigOptions, startRig } from './testing/rig.ts';
import { VenueGate } from './venue-gate.ts';

const AHEAD_MS = 3 * HOUR_MS;
let running: Rig | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

/** A rig whose clock is hours ahead until it is set right. */
async function startAhead(
  options: RigOptions,
): Promise<{ readonly rig: Rig; readonly setRight: () => void }> {
  let aheadMs = AHEAD_MS;
  let steady: SteadyClock | undefined;
  running = await startRig({
    ...options,
    clockOf: (clock): Clock =>
      (steady = new SteadyClock({
        wallMs: () => clock.now() + aheadMs,
        monotonicMs: () => clock.now(),
        after: (delayMs, run) => clock.after(delayMs, run),
        every: (periodMs, run) => clock.every(periodMs, run),
      })),
  });
  const setRight = (): void => {
    aheadMs = 0;
    steady?.follow();
  };
  return { rig: running, setRight };
}

test.each([false, true])(
  'keys are requested and published on when a clock that was hours ahead is set right (aligned: %s)',
  async (isAligned) => {
    const lookups = [fakeLookup({ keys: () => ['A', 'B', 'C'], isAligned })];
    const { rig, setRight } = await startAhead({ lookups });
    const { venue, clock, snapshot } = rig;
    await rig.passUntil(() => snapshot()?.rows.length === 3, 20_000);
    setRight();
    venue.asked.length = 0;
    await rig.pass(2 * 60_000, 1_000);
    expect(new Set(venue.asked).size).toBe(3);
    const ageMs = clock.now() - (snapshot()?.fetchedAtMs ?? 0);
    expect(ageMs).toBeGreaterThanOrEqual(0);
    expect(ageMs).toBeLessThan(70_000);
  },
);

test.each([
  ['a resource', { resources: [fakeResource({ polled: 'demand' })] }, undefined],
  ['a key', { lookups: [fakeLookup({ polled: 'demand', everyMs: 5_000, keys: (_, keys) => keys })] }, ['A']],
])('%s that callers no longer want is not kept warm for hours after that', async (_, options, keys) => {
  const { rig, setRight } = await startAhead(options);
  rig.want(keys);
  await rig.passUntil(() => rig.snapshot() !== undefined, 5_000);
  setRight();
  await rig.pass(60_000, 1_000);
  rig.venue.asked.length = 0;
  await rig.pass(600_000, 5_000);
  expect(rig.venue.asked).toEqual([]);
});

test('a resource does not wait for hours for tables that it can do without', async () => {
  const { rig, setRight } = await startAhead({ resources: [fakeResource({ prefers: ['prices'] })] });
  await rig.pass(1_000, 100);
  expect(rig.venue.asked).toEqual([]);
  setRight();
  await rig.passUntil(() => rig.snapshot() !== undefined, 12_000);
});

test.each([false, true])(
  'a few keys with malformed answers do not fail their source then (under way: %s)',
  async (isUnderWay) => {
    const keys = 'ABCDEFGHIJKL'.split('');
    const malformed = new Set(['A', 'B', 'C']);
    const { parse } = fakeLookup();
    const lookup = fakeLookup({
      everyMs: 5_000,
      keys: () => keys,
      parse: (body, atMs, known, key) => {
        if (malformed.has(key)) throw new Malformed('no such field');
        return parse(body, atMs, known, key);
      },
    });
    const waiting: (() => void)[] = [];
    let isHeld = false;
    const { rig, setRight } = await startAhead({
      lookups: [lookup],
      prepare: (venue) => {
        venue.answer = ({ url = '' }, response) => {
          const key = url.slice(4);
          const answer = (): void => void response.end(JSON.stringify([[key, 1]]));
          if (isHeld && malformed.has(key)) waiting.push(answer);
          else answer();
        };
      },
    });
    await rig.passUntil(() => rig.snapshot()?.rows.length === 9, 10_000);
    await rig.pass(10_000, 100);
    expect(rig.health('oi')?.status).toBe('ok');
    isHeld = isUnderWay;
    if (isHeld) await rig.passUntil(() => waiting.length > 0, 10_000);
    setRight();
    isHeld = false;
    for (const answer of waiting) answer();
    const turns = new Set<unknown>();
    for (let i = 0; i < 100; i += 1) {
      await rig.pass(100);
      turns.add(rig.health('oi')?.status);
    }
    expect(turns).toEqual(new Set(['ok']));
  },
);

test('a venue that asked to wait a moment is not left alone for hours when the clock is set right', () => {
  const clock = new LateClock();
  const { connector } = allPublishers.find(({ id }) => id === 'binance')!;
  const limits = { ...connector!.limits, forbiddenMs: 60_000 };
  const gate = new VenueGate({ connector: { ...connector!, limits }, clock, random: seededRandom(1) });
  gate.limited('HTTP 429', '10');
  gate.refused(403);
  expect(() => gate.check()).toThrow(SourceFailure);
  clock.setRight();
  expect(() => gate.check()).not.toThrow();
  // The next pause is as long as the venue says.
  expect(gate.limited('HTTP 429', '10').retryAtMs).toBe(clock.now() + 10_000);
  expect(() => gate.check()).toThrow(SourceFailure);
});

test('a venue that did not respond is tried again when the clock is set right', async () => {
  const clock = new LateClock();
  const breaker = new Breaker({ clock, random: seededRandom(1) });
  const fail = () => Promise.reject(new SourceFailure('down', 'no answer'));
  for (let i = 0; i < 5; i += 1) await breaker.run(fail).catch(() => undefined);
  expect(() => breaker.check()).toThrow('did not respond');
  clock.setRight();
  expect(() => breaker.check()).not.toThrow();
});
