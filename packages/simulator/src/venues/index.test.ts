import { readdirSync } from 'node:fs';
import { allPublishers } from '@crosstape/venues';
import { describe, expect, it } from 'vitest';
import { VENUE_SIMULATORS } from './index.ts';

describe('the simulated venues', () => {
  it('are exactly the folders here', () => {
    const folders = readdirSync(new URL('.', import.meta.url), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
    expect(VENUE_SIMULATORS.map((venue) => venue.id).toSorted()).toEqual(folders.toSorted());
  });

  it('go by the ids under which the service knows them', () => {
    const known = allPublishers.map(({ id }) => id);
    for (const { id } of VENUE_SIMULATORS) expect(known).toContain(id);
  });
});
