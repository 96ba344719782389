import { expect, it } from 'vitest';
import { COINS_MAX, importWatchlists, LISTS_MAX, printWatchlists } from './watchlist.ts';

const file = (watchlists: unknown): string =>
  JSON.stringify({ crosstape: 'watchlists', version: 1, watchlists });
const coins = (count: number): string[] => Array.from({ length: count }, (_, i) => `C${i}`);

it('imports what was exported, and joins the coins of a list with the same name', () => {
  const lists = { Majors: ['BTC', 'ETH'], Empty: [] };
  expect(importWatchlists({}, printWatchlists(lists))).toEqual({ lists });
  expect(importWatchlists({ Majors: ['SOL', 'ETH'], Mine: ['XRP'] }, printWatchlists(lists))).toEqual({
    lists: { Majors: ['SOL', 'ETH', 'BTC'], Mine: ['XRP'], Empty: [] },
  });
});

it('says what is wrong with a file', () => {
  const errorOf = (text: string): unknown => importWatchlists({}, text);
  expect(errorOf('{')).toEqual({ error: 'The file is not JSON.' });
  expect(errorOf('null')).toEqual({ error: 'This is not a watchlists file.' });
  expect(errorOf('{"crosstape":"layouts","version":1,"layouts":{}}')).toEqual({
    error: 'This is not a watchlists file.',
  });
  expect(errorOf('{"crosstape":"watchlists","version":2}')).toEqual({
    error: 'File version 2 is not supported.',
  });
  const malformed = { error: 'The file contains malformed watchlists.' };
  for (const lists of [
    undefined,
    [],
    { A: 'BTC' },
    { A: [1] },
    { A: [''] },
    { '': [] },
    { ['A'.repeat(41)]: [] },
  ])
    expect(errorOf(file(lists)), JSON.stringify(lists)).toEqual(malformed);
  expect(errorOf(file({ A: coins(COINS_MAX + 1) }))).toEqual(malformed);
});

it('imports nothing where there would be too much', () => {
  const many = Object.fromEntries(coins(LISTS_MAX).map((name) => [name, []]));
  expect(importWatchlists(many, file({ C0: ['BTC'] }))).toHaveProperty('lists.C0', ['BTC']);
  expect(importWatchlists(many, file({ More: [] }))).toEqual({
    error: 'Importing this file would exceed 20 lists.',
  });
  expect(importWatchlists({ A: coins(COINS_MAX) }, file({ A: ['BTC'] }))).toEqual({
    error: 'The list “A” would exceed 200 coins.',
  });
});
