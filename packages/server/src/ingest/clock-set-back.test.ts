import { seededRandom, SteadyClock } from '@crosstape/core';
import { allPublishers } from '@crosstape/venues';
import { afterEach, expect, test } from 'vitest';
import { LateClock } from '../platform/testing/late-clock.ts';
import { Breaker } from './breaker.ts';
import { SourceFailure } from './source-failure.ts';
import { fakeLookup } from './testing/fake-venue.ts';
import { type Rig, startRig } from './testing/rig.ts';
import { VenueGate } from './venue-gate.ts';

const HOUR_MS = 3_600_000;
const AHEAD_MS = 3 * HOUR_MS;
let rig: Rig | undefined;
afterEach(async () => {
  await rig?.stop();
  rig = undefined;
});

test.each([false, true])(
  'keys are requested and published on when a clock that was hours ahead is set right (aligned: %s)',
  async (isAligned) => {
    let aheadMs = AHEAD_MS;
    let steady: SteadyClock | undefined;
    rig = await startRig({
      lookups: [fakeLookup({ keys: () => ['A', 'B', 'C'], isAligned })],
      clockOf: (clock) =>
        (steady = new SteadyClock({
          wallMs: () => clock.now() + aheadMs,
          monotonicMs: () => clock.now(),
          after: (delayMs, run) => clock.after(delayMs, run),
          every: (periodMs, run) => clock.every(periodMs, run),
        })),
    });
    const { venue, clock, snapshot } = rig;
    await rig.passUntil(() => snapshot()?.rows.length === 3, 20_000);
    aheadMs = 0;
    steady?.follow();
    venue.asked.length = 0;
    await rig.pass(2 * 60_000, 1_000);
    expect(new Set(venue.asked).size).toBe(3);
    const ageMs = clock.now() - (snapshot()?.fetchedAtMs ?? 0);
    expect(ageMs).toBeGreaterThanOrEqual(0);
    expect(ageMs).toBeLessThan(70_000);
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
