import { describe, expect, it } from 'vitest';
import { OpenInterestTrend, type Poll } from './open-interest-trend.ts';

const STEP_MS = 30_000;

/** Feeds polls half a minute apart; returns the verdict on each pair. */
function fallsOf(coins: readonly number[], trend = new OpenInterestTrend()): (number | undefined)[] {
  const polls = coins.map((amount, i): Poll => ({ atMs: i * STEP_MS, coins: amount }));
  return polls.slice(1).map((poll, i) => trend.fallBetween(polls[i]!, poll));
}

/** Open interest that drifts and jitters by 10. */
function usual(count: number, drift = 0): number[] {
  return Array.from({ length: count }, (_, i) => 10_000 + drift * i + (i % 2 === 0 ? 5 : -5));
}

describe('the trend of open interest', () => {
  it('is unknown for the first ten polls', () => {
    const falls = fallsOf(usual(14));
    expect(falls.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => undefined));
    expect(falls.slice(10)).toEqual([0, 0, 0]);
  });

  it('reports a fall from twice the noise', () => {
    const last = usual(81).at(-1)!;
    expect(fallsOf([...usual(81), last - 16]).at(-1)).toBe(0);
    expect(fallsOf([...usual(81), last - 30]).at(-1)).toBeGreaterThan(25);
    expect(fallsOf([...usual(81), last + 1000]).at(-1)).toBe(0);
  });

  it('measures a fall against the drift', () => {
    const rising = usual(81, 100);
    expect(fallsOf([...rising, rising.at(-1)! + 20]).at(-1)).toBeGreaterThan(60);
    const falling = usual(81, -100);
    expect(fallsOf([...falling, falling.at(-1)! - 100]).at(-1)).toBe(0);
  });

  it('goes by time, not by polls: twice the gap drifts twice as far', () => {
    const trend = new OpenInterestTrend();
    const falling = usual(81, -100);
    fallsOf(falling, trend);
    const from = { atMs: 80 * STEP_MS, coins: falling.at(-1)! };
    expect(trend.fallBetween(from, { atMs: 82 * STEP_MS, coins: from.coins - 200 })).toBe(0);
  });

  it('is not bent by one fall: the next one is seen as well', () => {
    const calm = usual(81);
    const crash = [...calm, calm.at(-1)! - 2000, calm.at(-1)! - 2100, calm.at(-1)! - 2200];
    expect(
      fallsOf(crash)
        .slice(-2)
        .every((fall) => fall! > 60),
    ).toBe(true);
  });

  it('follows open interest that begins to move after hours of standing still', () => {
    const falls = fallsOf([...Array.from({ length: 60 }, () => 10_000), ...usual(400)]);
    expect(falls.slice(-50)).toEqual(Array.from({ length: 50 }, () => 0));
  });
});
