import { expect, it } from 'vitest';
import { duration, incidentsOf } from './incidents.ts';

it('lists what is not complete, newest first, with how long it lasted', () => {
  const stretches = [
    { from: -10, to: 0, state: 'missing' },
    { from: 0, to: 10, state: 'complete' },
    { from: 10, to: 20, state: 'missing' },
    { from: 20, to: 30, state: 'refilled' },
  ];
  expect(incidentsOf(stretches, 0).map(({ state }) => state)).toEqual(['refilled', 'missing']);
  expect([400, 8_000, 250_000, 7_500_000].map(duration)).toEqual(['1 s', '8 s', '4 min 10 s', '2 h 5 min']);
});
