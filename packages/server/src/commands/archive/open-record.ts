import { join } from 'node:path';
import { DAY_MS } from '@crosstape/core';
import { primaryVenue } from '@crosstape/venues';
import { ArchiveCatalog } from '../../features/archive/archive-catalog.ts';
import type { ArchiveAddress, ArchivePlace } from '../../features/archive/archive-place.ts';
import { bindArchive } from '../../features/archive/bind-archive.ts';
import { openArchive } from '../../features/archive/open-archive.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { readLine, readValue, UsageError } from '../../settings/read-settings.ts';
import type { Setting } from '../../settings/setting.ts';
import { settingsFor } from '../../settings/settings.ts';
import { isUnfinished, openDataFolder } from '../../store/data-folder.ts';
import { lockFolder } from '../../store/folder-lock.ts';
import type { LmdbStore } from '../../store/lmdb-store.ts';
import { openLmdb } from '../../store/open-lmdb.ts';
import type { Terminal } from '../command.ts';
import { datasetFlags, findDataset } from '../ticks/find-dataset.ts';

/** A record and its archive. */
export interface ArchivedRecord {
  readonly folder: string;
  readonly store: LmdbStore;
  readonly catalog: ArchiveCatalog;
  readonly place: ArchivePlace;
  readonly address: ArchiveAddress;
  /** Flags without a value. */
  readonly switches: ReadonlySet<string>;
  /** Whether the record is from a simulated market. */
  readonly isSimulated: boolean;
}

export interface OpenOptions {
  readonly switches?: readonly string[];
  /** Locks the folder; the record need not exist. */
  readonly isWriting?: boolean;
}

/** Opens the record and archive of the flags for a command, and closes them. */
export async function withRecord(
  args: readonly string[],
  { environment }: Terminal,
  { switches: allowed = [], isWriting = false }: OpenOptions,
  run: (record: ArchivedRecord) => Promise<number>,
): Promise<number> {
  const names = [...datasetFlags, 'archive', 'archive-endpoint'];
  const { flags, switches } = readLine(args, { names, switches: allowed });
  const { data, tenant } = await findDataset({ flags, environment, mayBeNew: isWriting });
  const folder = isWriting ? await openDataFolder(data, tenant) : join(data, tenant);
  const lock = isWriting ? await lockFolder(folder, 'stop it first') : undefined;
  try {
    if (await isUnfinished(folder)) throw new Error(`${folder} is incomplete`);
    const store = await openLmdb(folder, { isReadOnly: !isWriting });
    try {
      const catalog = new ArchiveCatalog(store);
      const archive = flags.archive ?? (environment['ARCHIVE'] || undefined);
      const endpoint = flags['archive-endpoint'] ?? (environment['ARCHIVE_ENDPOINT'] || undefined);
      const given = archive === undefined || archive === 'off' ? undefined : { archive, endpoint };
      const address = given ?? (await catalog.address());
      if (!address) throw new UsageError('--archive is required: this dataset has no archive');
      if (isWriting) {
        const chosen = { archive: address.archive, archiveEndpoint: address.endpoint };
        await bindArchive(store, chosen, systemClock.now() - retentionDays(environment) * DAY_MS);
      }
      const isSimulated = tenant !== 'live';
      const place = openArchive(address, environment);
      return await run({ folder, store, catalog, place, address, switches, isSimulated });
    } finally {
      await store.close();
    }
  } finally {
    await lock?.release();
  }
}

function retentionDays(environment: Terminal['environment']): number {
  const setting = settingsFor([]).find(({ name }) => name === 'retentionDays') as Setting<number>;
  return readValue(setting, environment[setting.variable] || undefined);
}

export const VENUE = primaryVenue.id;

/** `1.5 GB`. */
export function printSize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${(bytes / 1_000 ** step).toFixed(step === 0 ? 0 : 1)} ${units[step]}`;
}
