import { expect, it } from 'vitest';
import { scoreText } from './inference-score.ts';

const figures = { inferred: 4, correct: 3, marked: 5, found: 3, unwatched: 0, inferredUsd: 1, markedUsd: 1 };
const total = { ...figures, precision: 0.7539, recall: 0.6, notionalErrorPct: 0 };
const day = { comparedAtMs: 1, hoursMissing: [] };

it('shows the newest day with a score', () => {
  const days = [
    { ...day, day: '2026-11-16', total: null },
    { ...day, day: '2026-11-15', total: { ...total, precision: null } },
    { ...day, day: '2026-11-14', total },
    { ...day, day: '2026-11-13', total: { ...total, recall: 0.1 } },
  ];
  expect(scoreText(days)).toBe('precision 75%, recall 60% on 2026-11-14');
});

it('shows nothing without one', () => {
  expect(scoreText(undefined)).toBeUndefined();
  expect(scoreText([{ ...day, day: '2026-11-16', total: null }])).toBeUndefined();
});
