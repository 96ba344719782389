import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Task } from '../../platform/jobs.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { throwIfGivenUp } from '../../platform/thread-tasks.ts';
import type { Store, WithReader } from '../../store/store.ts';
import { type FileOrder, makeLakeFile, type MadeFile } from '../lake/make-file.ts';
import type { TradeRange } from '../lake/trade-file.ts';
import { createTapeReader, type PageChunk } from '../tape/tape-reader.ts';
import { TickTable } from '../tape/tick-table.ts';
import { tapeKeyOf } from './archive-catalog.ts';
import type { ArchiveAddress, ArchivePlace } from './archive-place.ts';
import { type ArchivedPart, identitiesIn } from './archived-parts.ts';
import { openArchive } from './open-archive.ts';
import { type TapeFacts, writeTapeFile, type WrittenTape } from './tape-file.ts';

const PAGE_CHUNKS = 20;

/** Files of a day to be made and stored in the archive, as plain data. */
export interface SealOrder {
  /** Location of the store. */
  readonly place: string;
  readonly address: ArchiveAddress;
  /** A folder for temporary files; emptied afterwards. */
  readonly scratch: string;
  /** The tape of a market's day; absent for the tables of a venue. */
  readonly tape?: {
    readonly facts: TapeFacts;
    readonly range: Pick<TradeRange, 'venue' | 'symbol' | 'fromTs' | 'toTs'>;
  };
  /** Files of the lake. */
  readonly files: readonly FileToSeal[];
}

export interface FileToSeal extends Pick<FileOrder, 'metadata' | 'source'> {
  readonly key: string;
  /** For repaired trades: archived files of the day, whose trades are left out. */
  readonly archived?: readonly ArchivedPart[];
  /** A file with fewer rows is not written: the damaged one that it replaces had as many. */
  readonly rowsMin?: number;
}

/** Verified files in the archive. */
export interface SealedFiles {
  readonly tape?: WrittenTape;
  /** By the order of `files`; `null`: the day has no rows of that table, or no further ones. */
  readonly files: readonly (MadeFile | null)[];
}

/** Makes, compares and stores the files of a day on a worker; `worker.ts` exports the function. */
export const sealDayTask: Task<SealOrder, SealedFiles> = { name: 'sealDay' };

/** Rejects unless every file is in the archive, and reads back as it was made from the tape. */
export async function sealDay(
  order: SealOrder,
  withStore: WithReader,
  archive: ArchivePlace = openArchive(order.address),
): Promise<SealedFiles> {
  const { place, scratch, tape, files } = order;
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true });
  try {
    return await withStore(place, async (store) => {
      const written = tape && (await writeTape(store, join(scratch, 'day.tape'), tape));
      const { market = '', date = '' } = tape?.facts ?? {};
      if (written)
        await archive.put(tapeKeyOf(market, date, written.sha256), join(scratch, 'day.tape'), written);
      const made: (MadeFile | null)[] = [];
      for (const { key, metadata, archived, rowsMin = 0, ...one } of files) {
        throwIfGivenUp();
        const path = join(scratch, 'file.parquet');
        const source = archived
          ? { ...one.source, except: await identitiesIn(archive, archived) }
          : one.source;
        const file = await makeLakeFile({ path, place, metadata, source, isProven: true }, (_, read) =>
          read(store),
        );
        const isWritten = file !== undefined && file.rows >= rowsMin;
        if (isWritten) await archive.put(key, path, file);
        made.push(isWritten ? file : null);
      }
      return { files: made, ...(written && { tape: written }) };
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function writeTape(
  store: Store,
  path: string,
  { facts, range }: NonNullable<SealOrder['tape']>,
): Promise<WrittenTape> {
  const { venue, symbol, fromTs, toTs } = range;
  const reader = createTapeReader({ table: new TickTable(store, venue), bus: new LocalBus(systemClock) });
  const pages = async function* (): AsyncGenerator<readonly PageChunk[]> {
    for (let start: number | undefined = fromTs; start !== undefined; ) {
      throwIfGivenUp();
      const page = await reader.page({
        coin: symbol,
        fromTs: start,
        toTs,
        chunksMax: PAGE_CHUNKS,
        withIds: true,
        withReceipts: true,
      });
      // A chunk belongs to the day of its first trade.
      yield page.chunks.filter(({ startTs }) => startTs >= fromTs);
      start = page.nextStart;
    }
  };
  return writeTapeFile(path, facts, pages());
}
