import { Readable } from 'node:stream';
import { DAY_MS } from '@crosstape/core';
import { Failure } from '../../platform/errors.ts';
import { marketKey, symbolOf, venueOf } from '../../store/market-key.ts';
import type { Key, Store } from '../../store/store.ts';
import { type LakeFile } from '../lake/lake-folder.ts';
import { startOfDate, symbolInPath } from '../lake/lake-key.ts';
import { FilePart } from '../../http/file-part.ts';
import type { FoundFile, LakeArchive } from '../lake/lake.ts';
import type { Span } from '../tape/gap-ledger.ts';
import { tickTables } from '../tape/tick-table.ts';
import type { Archive } from './archive.ts';
import type { ArchivePlace } from './archive-place.ts';
import type { DamageList } from './damage-list.ts';

const RESEALED_RETRY_SECONDS = 30;

/** The archive as a part of the lake: without damaged files, and without the tape, which other readers need. */
export class ArchiveReader implements LakeArchive {
  readonly #archive: Pick<Archive, 'files' | 'isRewritten'>;
  readonly #place: ArchivePlace;
  readonly #damages: DamageList;
  #shown:
    | {
        readonly all: readonly LakeFile[];
        readonly files: readonly LakeFile[];
        readonly byKey: ReadonlyMap<string, LakeFile>;
        readonly sinceMs: number | undefined;
      }
    | undefined;

  constructor(archive: Pick<Archive, 'files' | 'isRewritten'>, place: ArchivePlace, damages: DamageList) {
    this.#archive = archive;
    this.#place = place;
    this.#damages = damages;
  }

  get files(): readonly LakeFile[] {
    return this.#view.files;
  }

  get sinceMs(): number | undefined {
    return this.#view.sinceMs;
  }

  has(key: string): boolean {
    return this.#view.byKey.has(key);
  }

  async find(key: string): Promise<FoundFile | undefined> {
    const file = this.#view.byKey.get(key);
    if (!file || (await this.#damages.all()).has(key)) return undefined;
    // Its length and hash are listed when the whole day is proven; until then they would be those of other bytes.
    if (this.#archive.isRewritten(key))
      throw new Failure('overloaded', 'The day of this file is being sealed again.', {
        retryAfterSeconds: RESEALED_RETRY_SECONDS,
      });
    const path = this.#place.pathOf?.(key);
    return {
      file,
      open: (start, end) =>
        path !== undefined
          ? new FilePart(path, start, end)
          : Readable.from(this.#place.stream(key, { start, end: end + 1 }), { objectMode: false }),
    };
  }

  get #view() {
    const all = this.#archive.files;
    if (this.#shown?.all !== all) {
      const files = all.filter(({ key }) => !isTape(key));
      const times = all.flatMap(({ minTs }) => (minTs === null ? [] : [minTs]));
      const oldest = times.reduce((least, ts) => Math.min(least, ts), Number.POSITIVE_INFINITY);
      const sinceMs = Number.isFinite(oldest) ? Math.floor(oldest / DAY_MS) * DAY_MS : undefined;
      this.#shown = { all, files, byKey: new Map(files.map((file) => [file.key, file])), sinceMs };
    }
    return this.#shown;
  }
}

export function isTape(key: string): boolean {
  return key.startsWith('tape/');
}

/** Finds the time of damaged days of a coin that the store no longer has itself. */
export function lostDays(
  store: Store,
  damages: DamageList,
  venue: string,
): (coin: string, from: number, to: number) => Promise<readonly Span[]> {
  const chunks = store.table(tickTables.chunks, 'binary');
  return async (coin, from, to) => {
    const all = await damages.all();
    if (all.size === 0) return [];
    const market = marketKey(venue, coin);
    const start = `tape/venue=${venueOf(market)}/symbol=${symbolInPath(symbolOf(market))}/date=`;
    const days = [...all.keys()].filter((key) => key.startsWith(start));
    if (days.length === 0) return [];
    const range: { readonly from: Key; readonly to: Key } = {
      from: [market, 0],
      to: [market, Number.MAX_SAFE_INTEGER],
    };
    const [oldest] = await chunks.keys({ ...range, limit: 1 });
    const storeFrom = (oldest?.[1] as number | undefined) ?? Number.POSITIVE_INFINITY;
    return days
      .map((key) => startOfDate(key.slice(start.length, start.length + 10)))
      .map((dayTs) => ({ from: dayTs, to: Math.min(dayTs + DAY_MS, storeFrom) }))
      .filter((span) => span.from < span.to && span.from < to && span.to > from);
  };
}
