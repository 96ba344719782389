import { expect, it } from 'vitest';
import { closestName } from './closest-name.ts';

const names = ['serve', 'port', 'host', 'retention-days', 'tail', 'top'];

it.each([
  ['serfe', 'serve'],
  ['prot', 'port'],
  ['retention-day', 'retention-days'],
  ['tial', 'tail'],
  ['nope', undefined],
  ['zzzzzzzz', undefined],
])('%s means %s', (word, name) => {
  expect(closestName(word, names)).toBe(name);
});

it('suggests nothing without names', () => {
  expect(closestName('serve', [])).toBeUndefined();
});
