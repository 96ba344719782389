import type { Store } from '../../store/store.ts';
import { trimSpans } from '../tape/gap-ledger.ts';
import { ArchiveCatalog } from './archive-catalog.ts';
import type { ArchiveAddress, ArchivePlace } from './archive-place.ts';
import { openArchive } from './open-archive.ts';

/** An archive that a store belongs to. */
export interface BoundArchive {
  readonly address: ArchiveAddress;
  readonly catalog: ArchiveCatalog;
  readonly place: ArchivePlace;
}

/**
 * Connects a store to the configured archive, if any. A store that gets another archive drops its entries of the
 * previous one; the new list is entered before the first day is sealed. Rejects if keys are missing.
 */
export async function bindArchive(
  store: Store,
  { archive, archiveEndpoint }: { readonly archive: string; readonly archiveEndpoint?: string | undefined },
  keptFromMs: number,
): Promise<BoundArchive | undefined> {
  const catalog = new ArchiveCatalog(store);
  const before = await catalog.address();
  if (archive === 'off') {
    if (before) await catalog.setAddress(undefined);
    return undefined;
  }
  const address: ArchiveAddress = {
    archive,
    ...(archiveEndpoint !== undefined && { endpoint: archiveEndpoint }),
  };
  const place = openArchive(address);
  if (before?.archive !== address.archive || before.endpoint !== address.endpoint) {
    await trimSpans(store, keptFromMs);
    await catalog.clear();
    await catalog.setAddress({ ...address, isRestored: false });
  }
  return { address, catalog, place };
}
