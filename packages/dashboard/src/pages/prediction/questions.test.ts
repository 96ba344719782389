import { describe, expect, it } from 'vitest';
import { cents, chosenOf, matching, ordered, type Question, timeLeft } from './questions.ts';

const question = (id: string, more: Partial<Question> = {}): Question => ({
  id,
  slug: id,
  title: `Event ${id}`,
  question: `Will ${id} happen?`,
  outcomes: [
    { name: 'Yes', tokenId: `${id}1`, price: 0.4 },
    { name: 'No', tokenId: `${id}2`, price: 0.6 },
  ],
  liquidityUsd: 1,
  volume24hUsd: 1,
  endMs: 1,
  hoursToClose: 1,
  score: 1,
  url: '',
  eventId: id,
  coin: null,
  ...more,
});

const list = [question('a', { score: 3, volume24hUsd: 5 }), question('b', { score: 9, coin: 'BTC' })];

describe('questions', () => {
  it('are chosen by the token of an outcome, and the first one without', () => {
    expect(chosenOf(list, 'b2')?.outcome.name).toBe('No');
    expect(chosenOf(list, null)?.outcome.tokenId).toBe('a1');
    expect(chosenOf(list, 'c1')).toBeUndefined();
    expect(chosenOf([], null)).toBeUndefined();
  });

  it('are found by every word, in any case, and by coin', () => {
    const ids = (text: string, coin = ''): readonly string[] =>
      matching(list, { text, coin }).map(({ id }) => id);
    expect(ids('happen WILL')).toEqual(['a', 'b']);
    expect(ids('btc')).toEqual(['b']);
    expect(ids('happen nothing')).toEqual([]);
    expect(ids('', 'BTC')).toEqual(['b']);
  });

  it('are ordered either way, and by rank when the order makes no sense', () => {
    const ids = (order: string): readonly string[] => ordered(list, order).map(({ id }) => id);
    expect([ids('-score'), ids('score'), ids('-volume'), ids('-toString')]).toEqual([
      ['b', 'a'],
      ['a', 'b'],
      ['a', 'b'],
      ['b', 'a'],
    ]);
  });

  it('are printed in cents and in the time that is left', () => {
    expect([cents(0.935), cents(0.5), cents(null)]).toEqual(['93.5¢', '50.0¢', '–']);
    expect([0.5, 30, 60, 1_852].map(timeLeft)).toEqual(['30m', '30h', '2.5d', '77d']);
  });
});
