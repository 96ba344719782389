import { expect, it } from 'vitest';
import { scoreText } from './inference-score.ts';

it('shows a score with its day', () => {
  const score = { day: '2026-11-14', precision: 0.75, recall: 0.6, notionalErrorPct: null };
  expect(scoreText(score)).toBe('precision 75%, recall 60% on 2026-11-14');
});

it('shows nothing before a day was compared', () => {
  expect(scoreText(undefined)).toBeUndefined();
});
