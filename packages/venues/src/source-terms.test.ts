import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { allPublishers, sourceTerms } from './index.ts';

it('names every source that is polled, once, and no other', () => {
  const asked = new Set(allPublishers.map(({ id, venue }) => venue ?? id));
  expect(sourceTerms.map(({ id }) => id).toSorted()).toEqual([...asked].toSorted());
});

it('calls each by the name that it has elsewhere', () => {
  const names = new Map(allPublishers.map(({ id, name }) => [id, name]));
  expect(sourceTerms.filter(({ id, name }) => names.get(id) !== name)).toEqual([]);
});

it.each(sourceTerms)('has the attribution and terms of $id', (terms) => {
  expect(terms.attribution).toMatch(/^[A-Z].*: ./);
  expect(terms.termsNote).toMatch(/\.$/);
  if (terms.credit) {
    expect(terms.credit.text).toContain(terms.name);
    expect(new URL(terms.credit.url).protocol).toBe('https:');
  }
  if (terms.termsUrl === undefined) expect(terms.trust).toBe('undocumented');
  else expect(new URL(terms.termsUrl).protocol).toBe('https:');
});

it('gives a credit to every source whose terms require attribution', () => {
  const credited = sourceTerms.filter(({ credit }) => credit).map(({ id }) => id);
  expect(credited.toSorted()).toEqual(['bitcoindata', 'coinalyze', 'coingecko', 'farside', 'frankfurter']);
  const asking = sourceTerms.filter(({ termsNote }) =>
    /must be named|with attribution|ask to be named/.test(termsNote),
  );
  expect(credited).toEqual(expect.arrayContaining(asking.map(({ id }) => id)));
});

it('documents every second address', () => {
  const page = readFileSync(new URL('../../../docs/sources.md', import.meta.url), 'utf8');
  const others = allPublishers.flatMap(({ connector }) => connector?.otherRest ?? []);
  expect(others.filter((url) => !page.includes(`\`${new URL(url).host}\``))).toEqual([]);
});
