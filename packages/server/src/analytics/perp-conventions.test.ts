import { venues } from '@crosstape/venues';
import { expect, it } from 'vitest';
import { perpVenueIds } from './perp-conventions.ts';

it('has a convention for every perpetual venue, in their order, and for no other', () => {
  expect(perpVenueIds).toEqual(venues.map(({ id }) => id));
});
