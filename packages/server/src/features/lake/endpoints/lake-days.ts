import { type Static, Type } from 'typebox';
import { choice, defaulted, marketName, limitParameter } from '../../../http/parameter.ts';
import { endpoint } from '../../context.ts';
import { dateIn, type LakeFile } from '../lake-folder.ts';
import { readLakeKey } from '../lake-key.ts';
import { LakeDay } from '../schema.ts';

const DAYS_MAX = 400;

const total = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] });

export const lakeDays = endpoint({
  path: '/lake/days',
  summary: 'Daily Parquet files',
  description:
    'The Parquet files of a market by UTC day, newest first: what is made, and with an archive what is kept for good. Other days that the record still has are made when they are requested.',
  query: Type.Object({
    market: defaulted(
      marketName({ description: 'Id of the market, in any case.', examples: ['hyperliquid:BTC'] }),
      'hyperliquid:BTC',
    ),
    limit: limitParameter({
      max: DAYS_MAX,
      byDefault: 30,
      description: 'Most days in one answer.',
      example: 30,
    }),
  }),
  data: Type.Array(LakeDay),
  meta: {
    archive: choice(['off', 'ok', 'failing'], {
      description: 'Whether days are archived, and whether that works.',
      examples: ['ok'],
    }),
    waitingDays: total('Days that are over and not archived yet; the store keeps them.', 0),
    totalFiles: total('Files of all markets and days.', 1_431),
    totalBytes: total('Their size.', 214_201_730),
  },
  cacheSeconds: 30,
  examples: [{ summary: 'The sealed days of Bitcoin', search: 'market=hyperliquid:BTC' }],
  errors: [],
  async handle({ market, limit }, context) {
    const { lake, archiveHealth, primaryVenue } = context.resources;
    const files = lake?.files ?? [];
    const { byMarket, totalBytes } = indexOf(files);
    const own = byMarket.get(market.toLowerCase()) ?? [];
    const byDate = new Map<string, LakeFile[]>();
    for (const file of own) {
      const date = dateIn(file);
      byDate.set(date, [...(byDate.get(date) ?? []), file]);
    }
    const dates = [...byDate.keys()].toSorted().toReversed().slice(0, limit);
    const health = archiveHealth?.();
    return {
      data: dates.map((date) => dayOf(date, byDate.get(date) ?? [], (key) => lake?.isArchived(key) ?? false)),
      meta: {
        fetchedAt: context.nowMs,
        source: context.label([primaryVenue]),
        archive: health?.status ?? ('off' as const),
        waitingDays: health?.waitingDays ?? 0,
        totalFiles: files.length,
        totalBytes,
      },
    };
  },
});

interface FileIndex {
  /** By id in lower case. */
  readonly byMarket: ReadonlyMap<string, readonly LakeFile[]>;
  readonly totalBytes: number;
}

/** Made once per change of the files, which replaces their list: years of all markets are hundreds of thousands. */
const indexes = new WeakMap<readonly LakeFile[], FileIndex>();

function indexOf(files: readonly LakeFile[]): FileIndex {
  const known = indexes.get(files);
  if (known) return known;
  const byMarket = new Map<string, LakeFile[]>();
  let totalBytes = 0;
  for (const file of files) {
    totalBytes += file.bytes;
    if (file.market === undefined) continue;
    const id = file.market.toLowerCase();
    const own = byMarket.get(id);
    if (own) own.push(file);
    else byMarket.set(id, [file]);
  }
  const index = { byMarket, totalBytes };
  indexes.set(files, index);
  return index;
}

function dayOf(
  date: string,
  files: readonly LakeFile[],
  isArchived: (key: string) => boolean,
): Static<typeof LakeDay> {
  const [first] = files;
  const tableOf = ({ key }: LakeFile): string => readLakeKey(key)?.table ?? '';
  return {
    date,
    market: first?.market ?? '',
    coin: first?.coin ?? '',
    trades: files.find((file) => tableOf(file) === 'trades')?.rows ?? 0,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    complete: files.every(({ complete }) => complete),
    archived: files.every(({ key }) => isArchived(key)),
    files: files
      .map((file) => ({
        table: tableOf(file),
        path: `/lake/${file.key}`,
        rows: file.rows,
        bytes: file.bytes,
      }))
      .toSorted((a, b) => b.bytes - a.bytes),
  };
}
