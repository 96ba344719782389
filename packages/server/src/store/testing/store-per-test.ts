import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { LmdbStore } from '../lmdb-store.ts';

export interface TestPlace {
  folder: string;
  store: LmdbStore;
}

/** A store in a separate folder, new for every test of the file; call this before further set-up. */
export function storePerTest(): TestPlace {
  const place = {} as TestPlace;
  beforeEach(() => {
    place.folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
    place.store = new LmdbStore(place.folder);
  });
  afterEach(async () => {
    await place.store.close();
    // A write that was not awaited may have created a file a moment ago.
    rmSync(place.folder, { recursive: true, maxRetries: 10 });
  });
  return place;
}
