import type { ParsedTables } from '@crosstape/core';
import { describe, expect, it } from 'vitest';
import { LookupAnswers } from './lookup-answers.ts';

const openInterest = (symbol: string): ParsedTables => ({
  openInterest: [{ coin: symbol, symbol, contracts: 1, coins: 1, value: 1 }],
});
const lookup = { gives: ['openInterest'], everyMs: 5_000 } as const;

const put = (answers: LookupAnswers, key: string, parsed: ParsedTables, atMs: number): unknown =>
  answers.put(key, parsed, atMs, atMs);

const symbolsAt = (answers: LookupAnswers, nowMs: number): readonly string[] =>
  (answers.parsed(nowMs).parsed.openInterest ?? []).map(({ symbol }) => symbol);

describe('the answer for a key', () => {
  it('is served for three cadences', () => {
    const answers = new LookupAnswers(lookup);
    put(answers, 'a', openInterest('a'), 0);
    put(answers, 'b', openInterest('b'), 10_000);
    expect(symbolsAt(answers, 15_000)).toEqual(['a', 'b']);
    expect(symbolsAt(answers, 15_001)).toEqual(['b']);
  });

  it('is served for longer where the lookup says so, with its time; an empty answer is not', () => {
    const isAbsent = (parsed: ParsedTables): boolean => parsed.openInterest?.length === 0;
    const answers = new LookupAnswers({ ...lookup, keepMs: 600_000, isAbsent });
    put(answers, 'a', openInterest('a'), 0);
    put(answers, 'gone', { openInterest: [] }, 0);
    put(answers, 'b', openInterest('b'), 500_000);
    expect(answers.isAbsent('gone', 15_000)).toBe(true);
    expect(answers.isAbsent('gone', 15_001)).toBe(false);
    expect(answers.parsed(600_000)).toMatchObject({
      newestMs: 500_000,
      times: { openInterest: [0, 500_000] },
      absent: [],
    });
    expect(symbolsAt(answers, 600_001)).toEqual(['b']);
  });

  it('is not replaced by an older one, unless it is of the future', () => {
    const answers = new LookupAnswers(lookup);
    const answer = (symbol: string, asOfMs: number): number =>
      answers.put('key', openInterest(symbol), asOfMs, 10_000);
    expect(answer('newer', 9_000)).toBe(9_000);
    expect(answer('older', 8_000)).toBe(9_000);
    expect(symbolsAt(answers, 10_000)).toEqual(['newer']);
    expect([answer('same', 9_000), answer('future', 11_000), answer('now', 10_000)]).toEqual([
      9_000, 11_000, 10_000,
    ]);
    expect(symbolsAt(answers, 10_000)).toEqual(['now']);
  });

  it('makes room for later answers, however many keys there are', () => {
    const answers = new LookupAnswers({ ...lookup, keepMs: 600_000 });
    for (let i = 0; i < 3_000; i += 1) put(answers, `k${i}`, openInterest(`k${i}`), i);
    put(answers, 'k0', openInterest('k0'), 3_000);
    put(answers, 'new', openInterest('new'), 3_001);
    const reported = new Set(symbolsAt(answers, 3_001));
    expect(reported.size).toBe(3_000);
    expect(['k0', 'k1', 'new'].map((key) => reported.has(key))).toEqual([true, false, true]);
  });
});
