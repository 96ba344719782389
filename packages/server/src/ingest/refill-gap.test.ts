import { MINUTE_MS } from '@crosstape/core';
import { expect, it } from 'vitest';
import { type KeyPast, type RefillGap, settleGap } from './refill-gap.ts';

const gap: RefillGap = { fromMs: 1_000, toMs: 2_000, dueMs: 2_000, answers: 0 };
const NOW_MS = 7_000;

function pastOf(rows: Readonly<Record<string, Partial<KeyPast>>>): ReadonlyMap<string, KeyPast> {
  const whole = { sinceMs: 0, newestMs: 0, reportedMs: 0 };
  return new Map(Object.entries(rows).map(([key, one]) => [key, { ...whole, ...one }]));
}

it('is bridged by a first answer only up to the newest row of each key', () => {
  const past = pastOf({
    A: { newestMs: 5_000 },
    B: { newestMs: 1_700 },
    C: { newestMs: 1_400, reportedMs: 5_000 },
  });
  const { bridgedToMs, rest } = settleGap(gap, past, NOW_MS);
  expect(bridgedToMs).toBe(1_400);
  expect(rest).toMatchObject({ fromMs: 1_400, toMs: 2_000, answers: 1, dueMs: NOW_MS + 30 * MINUTE_MS });
  expect([...(rest?.openKeys ?? [])]).toEqual(['B', 'C']);
});

it('is bridged by a second answer up to what was reported of any key before each was requested', () => {
  const second = { ...gap, answers: 1, firstAnswerMs: NOW_MS };
  const behind = pastOf({ A: { newestMs: 5_000 }, B: { newestMs: 900, reportedMs: 1_500 } });
  expect(settleGap(second, behind, NOW_MS)).toMatchObject({
    bridgedToMs: 1_500,
    rest: { dueMs: NOW_MS + 120 * MINUTE_MS },
    isLast: false,
  });
  const ahead = pastOf({ A: { newestMs: 5_000 }, B: { newestMs: 900, reportedMs: 5_000 } });
  expect(settleGap(second, ahead, NOW_MS)).toEqual({ bridgedToMs: 2_000, isLast: false });
});

it('takes no notice of keys that were complete before', () => {
  const rest = { ...gap, answers: 1, openKeys: new Set(['B']) };
  const past = pastOf({ A: {}, B: { newestMs: 2_000 } });
  expect(settleGap(rest, past, NOW_MS)).toEqual({ bridgedToMs: 2_000, isLast: false });
});

it('takes a key without a row in it for complete at the last answer, and one with some only as far as they reach', () => {
  const last = { ...gap, answers: 2 };
  expect(settleGap(last, pastOf({ A: {}, B: { newestMs: 900 } }), NOW_MS)).toEqual({
    bridgedToMs: 2_000,
    isLast: true,
  });
  expect(settleGap(last, pastOf({ A: {}, B: { newestMs: 1_200 } }), NOW_MS)).toMatchObject({
    bridgedToMs: 1_200,
    isLast: true,
    rest: { fromMs: 1_200, toMs: 2_000 },
  });
});
