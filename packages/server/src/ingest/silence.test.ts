import { seededRandom } from '@crosstape/core';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Silence } from './silence.ts';

const MAX_MS = 60_000;
const HOUR_MS = 3_600_000;

test('is never more patient than the feed allows, nor less than five seconds', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(200_000), { maxLength: 50 }), (gaps) => {
      const silence = new Silence(MAX_MS);
      let nowMs = 1_000_000;
      silence.begin(nowMs);
      for (const gapMs of gaps) {
        nowMs += gapMs;
        silence.end(nowMs);
        expect(silence.limitMs(nowMs)).toBeGreaterThanOrEqual(5_000);
        expect(silence.limitMs(nowMs)).toBeLessThanOrEqual(MAX_MS);
      }
    }),
  );
});

test.each([10, 100, 1_000, 4_000])(
  'bears the chance silences of a day of trades, one in %i ms on average',
  (meanGapMs) => {
    const silence = new Silence(MAX_MS);
    const random = seededRandom(meanGapMs);
    let nowMs = 0;
    let alarms = 0;
    silence.begin(nowMs);
    while (nowMs < (meanGapMs < 1_000 ? HOUR_MS : 24 * HOUR_MS)) {
      const gapMs = -Math.log(1 - random()) * meanGapMs;
      if (gapMs > silence.limitMs(nowMs + gapMs)) alarms += 1;
      nowMs += gapMs;
      silence.end(nowMs);
    }
    expect(alarms).toBe(0);
  },
);

test('forgets a long silence, and is quick again after a while', () => {
  const silence = new Silence(MAX_MS);
  let nowMs = 0;
  silence.begin(nowMs);
  silence.end((nowMs += 12_000));
  for (let i = 0; i < 3 * 3_600; i += 1) silence.end((nowMs += 1_000));
  expect(silence.limitMs(nowMs)).toBe(5_000);
});

test('the time between two connections is no silence of the feed', () => {
  const silence = new Silence(MAX_MS);
  silence.begin(0);
  for (let i = 1; i <= 60; i += 1) silence.end(i * 1_000);
  silence.begin(110_000);
  silence.end(110_500);
  expect(silence.limitMs(110_500)).toBe(5_000);
});

/** A feed that says something each second for a minute. */
function busy(): Silence {
  const silence = new Silence(MAX_MS);
  silence.begin(0);
  for (let i = 1; i <= 60; i += 1) silence.end(i * 1_000);
  return silence;
}

test('a silence beyond the limit that held when it began is not learned as usual', () => {
  const silence = busy();
  silence.end(67_000);
  expect(silence.limitMs(67_000)).toBe(5_000);
  silence.end(71_000);
  expect(silence.limitMs(71_000)).toBe(16_000);
});

test('a stall teaches its limit once, however long the outage lasts', () => {
  const silence = busy();
  silence.stall(90_000);
  expect(silence.limitMs(90_000)).toBe(20_000);
  silence.begin(91_000);
  silence.stall(111_000);
  expect(silence.limitMs(111_000)).toBeLessThan(20_000);
});
