import { fxPublishers, koreanVenue, spotVenues } from '@crosstape/venues';
import { expect, it } from 'vitest';
import { koreanSource } from '../flows/flow-tables.ts';
import { spotVenueNames } from './spot-venues.ts';
import { fxSources } from '../rates/usd-krw.ts';

it('goes by the names under which the sources are connected, in their order', () => {
  expect(spotVenueNames).toEqual(spotVenues.map(({ id, venue }) => ({ venue, source: id })));
  expect(fxSources).toEqual(fxPublishers.map(({ id }) => id));
  expect(koreanSource).toBe(koreanVenue.id);
});
