import { HOUR_MS, seededRandom } from '@crosstape/core';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { StallDetector } from './stall-detector.ts';

const MAX_MS = 60_000;

/** A feed that sends something every so often for two minutes, and the time after it. */
function steady(everyMs: number): { readonly silence: StallDetector; nowMs: number } {
  const silence = new StallDetector(MAX_MS);
  silence.begin(0);
  let nowMs = 0;
  while (nowMs < 120_000) silence.end((nowMs += everyMs));
  return { silence, nowMs };
}

test('is never more patient than the feed allows, nor less than five seconds', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(200_000), { maxLength: 50 }), (gaps) => {
      const silence = new StallDetector(MAX_MS);
      let nowMs = 1_000_000;
      silence.begin(nowMs);
      for (const gapMs of gaps) {
        nowMs += gapMs;
        silence.end(nowMs);
        expect(silence.limitMs).toBeGreaterThanOrEqual(5_000);
        expect(silence.limitMs).toBeLessThanOrEqual(MAX_MS);
      }
    }),
  );
});

test.each([10, 100, 1_000, 4_000])(
  'calls no stall in a day of random trades, one in %i ms on average',
  (meanGapMs) => {
    const silence = new StallDetector(MAX_MS);
    const random = seededRandom(meanGapMs);
    let nowMs = 0;
    let alarms = 0;
    silence.begin(nowMs);
    while (nowMs < (meanGapMs < 1_000 ? HOUR_MS : 24 * HOUR_MS)) {
      const gapMs = -Math.log(1 - random()) * meanGapMs;
      if (gapMs > silence.limitMs) alarms += 1;
      nowMs += gapMs;
      silence.end(nowMs);
    }
    expect(alarms).toBe(0);
  },
);

test('detects freezes of 8, 15, 30 and 50 s in a row, and as quickly after a hundred of them', () => {
  const rig = steady(100);
  for (const frozenMs of [8_000, 15_000, 30_000, 50_000, ...Array<number>(100).fill(20_000)]) {
    expect(rig.silence.limitMs).toBeLessThan(8_000);
    rig.nowMs += frozenMs;
    rig.silence.begin(rig.nowMs);
    for (let i = 0; i < 200; i += 1) rig.silence.end((rig.nowMs += 100));
  }
});

test('does not get used to freezes that end just before they would be detected', () => {
  const rig = steady(100);
  for (let freeze = 0; freeze < 20; freeze += 1) {
    rig.silence.end((rig.nowMs += rig.silence.limitMs - 1));
    for (let i = 0; i < 300; i += 1) rig.silence.end((rig.nowMs += 100));
  }
  expect(rig.silence.limitMs).toBeLessThan(8_000);
});

test('knows the rate of a busy feed within seconds', () => {
  const silence = new StallDetector(MAX_MS);
  silence.begin(0);
  for (let nowMs = 100; nowMs <= 10_000; nowMs += 100) silence.end(nowMs);
  expect(silence.limitMs).toBe(5_000);
});

test('does not take a burst for a high rate', () => {
  const { silence, nowMs } = steady(8_000);
  for (let i = 0; i < 500; i += 1) silence.end(nowMs + i / 10);
  expect(silence.limitMs).toBe(MAX_MS);
});

test('the time between two connections is no silence of the feed', () => {
  const { silence, nowMs } = steady(500);
  const limitMs = silence.limitMs;
  silence.begin(nowMs + 50_000);
  silence.end(nowMs + 50_500);
  expect(silence.limitMs).toBeCloseTo(limitMs, -3);
});

test('follows a market that turned quiet once the silence is proven to be none of the socket', () => {
  const { silence } = steady(500);
  expect(silence.limitMs).toBeLessThan(10_000);
  for (let i = 0; i < 20; i += 1) silence.disprove(silence.limitMs);
  expect(silence.limitMs).toBeGreaterThan(15_000);
});

test('a clock that is set back does not make it deaf', () => {
  const { silence, nowMs } = steady(100);
  const backMs = nowMs - 30 * 60_000;
  expect(silence.lengthMs(backMs)).toBe(0);
  expect(silence.lengthMs(backMs + 6_000)).toBeGreaterThan(silence.limitMs);
});
