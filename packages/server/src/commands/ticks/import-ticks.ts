import { stat } from 'node:fs/promises';
import type { Trade } from '@crosstape/core';
import { primaryVenue } from '@crosstape/venues';
import { indexCoins } from '../../features/markets/coins.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { CoinWriter } from '../../seeding/coin-writer.ts';
import { readLine, UsageError } from '../../settings/read-settings.ts';
import { isUnfinished, openDataFolder } from '../../store/data-folder.ts';
import { lockFolder } from '../../store/folder-lock.ts';
import { type Gap, GapLedger, gapName } from '../../features/tape/gap-ledger.ts';
import { LateMinutes } from '../../features/tape/late-minutes.ts';
import type { LmdbStore } from '../../store/lmdb-store.ts';
import { tradesOf } from '../../features/tape/newest-trades.ts';
import { openLmdb } from '../../store/open-lmdb.ts';
import type { Change } from '../../store/store.ts';
import { TickBuffer } from '../../features/tape/tick-buffer.ts';
import { TickTable } from '../../features/tape/tick-table.ts';
import type { Terminal } from '../command.ts';
import { datasetFlags, findDataset } from './find-dataset.ts';
import { importFills, readFillsFlags } from './import-fills.ts';
import { findPlace, type ImportPlace } from './import-place.ts';
import { readTapeName } from './named-tape.ts';
import { startProgress } from './progress.ts';
import { readTime } from './read-time.ts';
import { warnOfRetention } from './retention-warning.ts';
import { chooseFormat } from './tick-formats.ts';
import { type TradeFile, tradesInFile } from './trades-in-file.ts';

/** How many trades back a duplicate is detected: a late trade follows its duplicate closely. */
const KNOWN_MAX = 100_000;

/** Detects duplicate trades by venue time and id. */
class KnownTrades {
  readonly #known = new Set<string>();
  /** The same keys as a ring buffer, to remove the oldest. */
  readonly #order: string[] = [];
  #count = 0;

  add({ ts, venueTs = ts, tid }: Pick<Trade, 'ts' | 'venueTs' | 'tid'>): void {
    const name = `${venueTs} ${tid}`;
    if (this.#known.has(name))
      throw new Error(`the trade with tid ${tid}, at ${new Date(venueTs).toISOString()}, appears twice`);
    const at = this.#count % KNOWN_MAX;
    if (this.#count >= KNOWN_MAX) this.#known.delete(this.#order[at] as string);
    this.#order[at] = name;
    this.#known.add(name);
    this.#count += 1;
  }
}

/** An import is one atomic commit; packed, this many trades fit into memory. */
const TRADES_MAX = 20_000_000;

export async function importTicks(args: readonly string[], terminal: Terminal): Promise<number> {
  const names = [...datasetFlags, 'coin', 'market', 'from', 'to', 'format', 'fills'];
  const { flags, switches, words } = readLine(args, { names, switches: ['complete', 'again'], wordsMax: 1 });
  const [path] = words;
  if (flags['format'] === 'hl-fills') {
    if (path !== undefined) throw new UsageError(`unexpected argument ${path}: --fills names the folder`);
    const wanted = readFillsFlags(flags, switches.has('again'));
    await withStore(flags, terminal, (store) => importFills(store, wanted, terminal));
    return 0;
  }
  if (flags['fills'] !== undefined) throw new UsageError('--fills needs --format hl-fills');
  if (switches.has('again')) throw new UsageError('--again needs --format hl-fills');
  const named = readTapeName(flags, '--coin is missing: whose trades are in the file?');
  if (named.key)
    throw new UsageError(
      `--market: only trades of ${primaryVenue.id} can be imported, not those of ${named.text}; markets of other venues are filled from the venues themselves, which is how their trades are counted`,
    );
  const { coin } = named;
  if (!/^[a-z0-9]{1,32}$/i.test(coin)) throw new UsageError(`--coin must be a ticker, not "${coin}"`);
  if (path === undefined) throw new UsageError('FILE is required: crosstape ticks import --coin BTC FILE');
  const format = chooseFormat(flags.format, path);
  const fromTs = flags.from === undefined ? 0 : readTime('from', flags.from);
  const toTs = flags.to === undefined ? Number.MAX_SAFE_INTEGER : readTime('to', flags.to);
  await withStore(flags, terminal, async (store) => {
    const coins = await new TickTable(store).coins();
    const owner = { coin: indexCoins(coins).find(coin) ?? coin, venue: primaryVenue.id };
    const file = { path, format, owner, fromTs, toTs };
    const { summary, firstTs } = await importFile(store, file, switches.has('complete'), terminal);
    terminal.out(summary);
    warnOfRetention(firstTs, terminal);
  });
  return 0;
}

/** Opens the store of the dataset, which no service may use meanwhile. */
async function withStore(
  flags: Readonly<Record<string, string>>,
  { environment }: Terminal,
  use: (store: LmdbStore) => Promise<void>,
): Promise<void> {
  const { data, tenant } = await findDataset({ flags, environment, mayBeNew: true });
  const folder = await openDataFolder(data, tenant);
  const lock = await lockFolder(folder, 'stop it before you import');
  try {
    if (await isUnfinished(folder))
      throw new Error(`the history in ${folder} is unfinished; start the service once to create it again`);
    const store = await openLmdb(folder);
    try {
      await use(store);
    } finally {
      await store.close();
    }
  } finally {
    await lock.release();
  }
}

async function importFile(
  store: LmdbStore,
  file: TradeFile,
  isComplete: boolean,
  { stderr }: Terminal,
): Promise<{ readonly summary: string; readonly firstTs: number }> {
  const { owner, path } = file;
  const { coin } = owner;
  const table = new TickTable(store);
  const ledger = new GapLedger(store);
  const { size } = await stat(path);
  const { firstTs, lastTs, trades } = await measure(file, size, stderr);
  if (lastTs > systemClock.now())
    throw new Error(`${path} has trades of ${iso(lastTs)}, which is in the future`);
  const place = await findPlace(table, { coin, firstTs, lastTs });

  const writer = new CoinWriter({ store, owner, position: place.position });
  const changes: Change[] = [...place.removing];
  writer.add(place.before);
  let written = 0;
  const lateMinutes = new LateMinutes();
  const late = new Map<string, Gap>();
  const onTrade = (trade: Trade): void => {
    for (const gap of lateMinutes.of(trade)) late.set(gapName(gap), gap);
  };
  for await (const ticks of importedTicks(file, place, { size, stderr, onTrade })) {
    writer.add(ticks);
    changes.push(...writer.takeChanges());
    written += ticks.length;
  }
  if (written !== trades) throw new Error(`${path} changed while it was read`);
  writer.add(place.after);
  writer.finish(place.rest);
  const gap = {
    coin,
    from: firstTs,
    to: lastTs + 1,
    ...(isComplete
      ? { state: 'refilled' as const, reason: 'imported, and said to be complete' }
      : { state: 'partial' as const, reason: 'imported' }),
  };
  const entries = [...(await ledger.replacing(gap)), ...ledger.entering([...late.values()])];
  await store.commit([...changes, ...writer.takeChanges(), ...entries]);
  const range = `from ${iso(firstTs)} to ${iso(lastTs)}`;
  return { summary: `${trades} trades of ${coin} imported, ${range}; the ledger says ${gap.state}`, firstTs };
}

/** Reads the whole file once, so that nothing is written from an invalid one. */
async function measure(
  file: TradeFile,
  size: number,
  stderr: Terminal['stderr'],
): Promise<{ readonly firstTs: number; readonly lastTs: number; readonly trades: number }> {
  const progress = startProgress(stderr, 'checking ', size);
  let first: Trade | undefined;
  let last: Trade | undefined;
  let trades = 0;
  try {
    for await (const batch of tradesInFile(file, progress.at)) {
      first ??= batch[0];
      last = batch.at(-1) ?? last;
      trades += batch.length;
      if (trades > TRADES_MAX)
        throw new Error(
          `${file.path} holds more than ${TRADES_MAX} trades; import it in parts, with --from and --to`,
        );
    }
  } finally {
    progress.stop();
  }
  if (!first || !last) throw new Error(`${file.path} holds no trades, or none between --from and --to`);
  return { firstTs: first.ts, lastTs: last.ts, trades };
}

/** The trades of the file as columns; none may exist already or be duplicated. */
async function* importedTicks(
  file: TradeFile,
  { before, after, neighbours }: ImportPlace,
  {
    size,
    stderr,
    onTrade,
  }: {
    readonly size: number;
    readonly stderr: Terminal['stderr'];
    readonly onTrade: (trade: Trade) => void;
  },
): AsyncGenerator<TickBuffer> {
  const known = new KnownTrades();
  for (const ticks of [neighbours.before, before])
    for (const trade of tradesOf(file.owner, ticks)) known.add(trade);
  const progress = startProgress(stderr, 'importing', size);
  try {
    for await (const batch of tradesInFile(file, progress.at)) {
      const buffer = new TickBuffer();
      for (const trade of batch) {
        known.add(trade);
        buffer.add(trade);
        onTrade(trade);
      }
      yield buffer;
    }
  } finally {
    progress.stop();
  }
  for (const ticks of [after, neighbours.after])
    for (const trade of tradesOf(file.owner, ticks)) known.add(trade);
}

function iso(ts: number): string {
  return new Date(ts).toISOString();
}
