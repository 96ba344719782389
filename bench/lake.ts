/**
 * What files cost: sealing a day (Parquet, tape file, proof), bytes of a trade, an Arrow page of 400,000 trades compared
 * with copying its bytes, and a build over an archived day compared with a recent one. CPU time of one thread.
 *
 *     npm run bench:lake
 *     npm run bench:lake -- --trades 1000000
 *
 * Ends with 1 where a figure is beyond its bound.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { createBuilder, decodeTicks, lendTicks, splitPayloads, validateSpec } from '@crosstape/core';
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet';
import { ArchiveCatalog } from '../packages/server/src/features/archive/archive-catalog.ts';
import { withArchive } from '../packages/server/src/features/archive/archived-store.ts';
import { FolderPlace } from '../packages/server/src/features/archive/folder-place.ts';
import { sealDay } from '../packages/server/src/features/archive/seal-day.ts';
import { readPayloads } from '../packages/server/src/features/rotations/read-payloads.ts';
import type { Resources } from '../packages/server/src/features/context.ts';
import type { ChosenTape } from '../packages/server/src/features/market-tape/chosen-tape.ts';
import { ArrowBatches } from '../packages/server/src/features/tape/arrow-batches.ts';
import { arrowTrades, type TradesForArrow } from '../packages/server/src/features/tape/arrow-trades.ts';
import { gunzipChunk } from '../packages/server/src/features/tape/chunk-gzip.ts';
import { streamArrow } from '../packages/server/src/features/tape/stream-arrow.ts';
import { createTapeReader } from '../packages/server/src/features/tape/tape-reader.ts';
import { TickTable } from '../packages/server/src/features/tape/tick-table.ts';
import { RequestContext } from '../packages/server/src/http/request-context.ts';
import { LocalBus } from '../packages/server/src/platform/local-bus.ts';
import { systemClock } from '../packages/server/src/platform/system-clock.ts';
import { openDataFolder } from '../packages/server/src/store/data-folder.ts';
import { LmdbStore } from '../packages/server/src/store/lmdb-store.ts';
import { simulatedTicks } from './bars-ticks.ts';

const DAY_MS = 86_400_000;
const DAY_TRADES = 10_000_000;
const CHUNK_TRADES = 8_192;
const ROUNDS = 7;
const ARROW_ROUNDS = 25;
const SEAL_ROUNDS = 2;
const ARROW_ROWS = 400_000;
const SEAL_SECONDS_MAX = 25;
const BYTES_MAX = 4.6;
const ARROW_TIMES_MAX = 2;
const ARCHIVED_SPEED_MIN = 0.7;

const { values } = parseArgs({ options: { trades: { type: 'string', default: '1000000' } } });
const trades = Number(values.trades);
const folder = await mkdtemp(join(tmpdir(), 'crosstape-bench-lake-'));
let isBeyond = false;

function report(what: string, figure: number, unit: string, isGood: boolean, bound: string): void {
  console.log(`${isGood ? 'ok  ' : 'BAD '} ${what}: ${figure.toFixed(2)} ${unit} (${bound})`);
  isBeyond ||= !isGood;
}

/** CPU seconds of this process for a run; of several rounds, the fastest. */
async function cpuOf(run: () => unknown, rounds = 1): Promise<number> {
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    seconds.push((user + system) / 1e6);
  }
  return Math.min(...seconds);
}

try {
  const path = await openDataFolder(folder, 'live');
  const store = new LmdbStore(path);
  const table = new TickTable(store);
  const fromTs = await record(table, store);
  const place = new FolderPlace(join(folder, 'archive'));
  const catalog = new ArchiveCatalog(store);
  const range = { venue: 'hyperliquid', symbol: 'BTC', coin: 'BTC', fromTs, toTs: fromTs + DAY_MS };
  const market = 'hyperliquid:BTC';
  const key = 'trades.parquet';
  let sealed: Awaited<ReturnType<typeof sealDay>> | undefined;
  const seal = async (): Promise<void> => {
    sealed = await sealDay(
      {
        place: path,
        address: { archive: folder },
        scratch: join(folder, 'scratch'),
        tape: {
          facts: { market, date: new Date(fromTs).toISOString().slice(0, 10), gaps: [], spans: [] },
          range,
        },
        files: [{ key, metadata: {}, source: { table: 'trades', ...range } }],
      },
      (_, read) => read(store),
      place,
    );
  };
  const first = await cpuOf(seal);
  const again = await cpuOf(seal, SEAL_ROUNDS);
  // Compiling the code costs the same, however many trades there are.
  const perDay = Math.max(0, first - again) + (again * DAY_TRADES) / trades;
  console.log(`     ${trades} trades: ${first.toFixed(2)} s of CPU first, then ${again.toFixed(2)} s`);
  report(
    'sealing 10 million trades',
    perDay,
    's of CPU',
    perDay <= SEAL_SECONDS_MAX,
    `at most ${SEAL_SECONDS_MAX}`,
  );

  const metadata = await parquetMetadataAsync(await asyncBufferFromFile(join(folder, 'archive', key)));
  const bytes = metadata.row_groups.flatMap((group) =>
    group.columns.map(({ meta_data: one }) =>
      one?.path_in_schema[0] === 'tid' ? 0 : Number(one?.total_compressed_size),
    ),
  );
  const perTrade = bytes.reduce((sum, one) => sum + one, 0) / trades;
  report('Parquet without ids', perTrade, 'bytes a trade', perTrade <= BYTES_MAX, `at most ${BYTES_MAX}`);

  await benchArrow(table, fromTs);
  const recent = await buildSpeed(table, fromTs);
  if (!sealed?.tape) throw new Error('nothing was sealed');
  await catalog.commit(
    catalog.entering([], { market, sha256: sealed.tape.sha256, chunks: sealed.tape.chunks }),
  );
  await table.prune(fromTs + 2 * DAY_MS, catalog);
  const archived = await buildSpeed(new TickTable(withArchive(store, catalog, place)), fromTs);
  const share = recent / archived;
  report(
    'an archived day builds at',
    share,
    'of the speed of a recent one',
    share >= ARCHIVED_SPEED_MIN,
    `at least ${ARCHIVED_SPEED_MIN}`,
  );
  await store.close();
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = isBeyond ? 1 : 0;

/** Records simulated trades as if they were of one day, chunk by chunk. Returns its start. */
async function record(table: TickTable, store: LmdbStore): Promise<number> {
  const chunks = simulatedTicks(trades);
  const last = chunks.at(-1);
  const firstTs = chunks[0]?.ts[0] ?? 0;
  const fromTs = Math.floor(firstTs / DAY_MS) * DAY_MS;
  const spanMs = (last?.ts[last.length - 1] ?? firstTs) - firstTs + 1;
  let recorded = 0;
  for (const [chunk, columns] of chunks.entries()) {
    const { length } = columns;
    // No two chunks have a millisecond in common.
    for (let i = 0; i < length; i += 1)
      columns.ts[i] =
        fromTs + chunk + Math.floor((((columns.ts[i] ?? 0) - firstTs) / spanMs) * (DAY_MS - chunks.length));
    const tid = Float64Array.from({ length }, (_, i) => ((recorded + i) * 2_654_435_761) % 2 ** 50);
    const ids = { length, tid, lateMs: new Float64Array(length) };
    await store.commit(table.sealing('BTC', { columns, ids }, length, []));
    recorded += length;
  }
  return fromTs;
}

async function benchArrow(table: TickTable, fromTs: number): Promise<void> {
  const chunks = await table.chunks('BTC', fromTs, Number.MAX_SAFE_INTEGER, ARROW_ROWS / CHUNK_TRADES);
  const order = {
    columns: 'flow',
    chunks,
    fromTs,
    toTs: Number.MAX_SAFE_INTEGER,
    rowsMax: ARROW_ROWS,
  } as const;
  const run = (): readonly Uint8Array[] => arrowTrades(order).batches.map(({ bytes }) => bytes);
  const batches = run();
  const bytes = batches.reduce((sum, { length }) => sum + length, 0);
  const payloads = chunks.map(({ data }) => gunzipChunk(data));
  const unpack = await cpuOf(() => {
    for (const { data } of chunks) gunzipChunk(data);
  }, ARROW_ROUNDS);
  const decode = await cpuOf(() => {
    for (const payload of payloads) lendTicks(payload);
  }, ARROW_ROUNDS);
  const whole = await cpuOf(run, ARROW_ROUNDS);
  // From the builder thread to the one that answers.
  const hand = await cpuOf(() => deserialize(serialize(batches)), ARROW_ROUNDS);
  const source = new Uint8Array(bytes).fill(1);
  const copy = await cpuOf(() => new Uint8Array(source).length, ARROW_ROUNDS);
  const write = Math.max(0, whole - unpack - decode);
  const answer = arrowAnswer(table, fromTs);
  if ((await answer()) < bytes) throw new Error('the answer has too few bytes');
  const again = await cpuOf(answer, ARROW_ROUNDS);
  const ms = (seconds: number): string => `${(seconds * 1e3).toFixed(1)} ms`;
  console.log(
    `     an Arrow page of ${bytes} bytes: ${ms(whole)} at first, of these gunzip ${ms(unpack)}, decoding ${ms(decode)}, writing ${ms(write)}; to the other thread ${ms(hand)}; again ${ms(again)}; a copy ${ms(copy)}`,
  );
  const times = again / copy;
  report(
    'an Arrow page that was sent before',
    times,
    'copies of its bytes',
    times <= ARROW_TIMES_MAX,
    `at most ${ARROW_TIMES_MAX}; at first ${((whole + hand) / copy).toFixed(1)}`,
  );
}

/** The page as the service sends it, read to its end; the number of its bytes. */
function arrowAnswer(table: TickTable, fromTs: number): () => Promise<number> {
  const resources = {
    clock: systemClock,
    jobs: { run: async (_: unknown, order: TradesForArrow) => arrowTrades(order) },
    arrowBatches: new ArrowBatches(),
  } as unknown as Resources;
  const tape = createTapeReader({ table, bus: new LocalBus(systemClock) });
  const chosen = { coin: 'BTC', tape } as ChosenTape;
  const toTs = Number.MAX_SAFE_INTEGER;
  const order = { columns: 'flow', market: '', fromTs, toTs, rowsMax: ARROW_ROWS } as const;
  return async () => {
    let bytes = 0;
    const { open } = streamArrow(new RequestContext(resources), chosen, order).parts;
    for await (const part of open!() as AsyncIterable<Uint8Array>) bytes += part.length;
    return bytes;
  };
}

/** CPU seconds of a build over the day. */
async function buildSpeed(table: TickTable, fromTs: number): Promise<number> {
  const check = validateSpec('time', { intervalMs: 60_000 }, 1);
  if ('error' in check) throw new Error(check.error);
  const build = async (): Promise<void> => {
    const builder = createBuilder(check.spec);
    for await (const payloads of readPayloads(table, { coin: 'BTC', fromTs, toTs: fromTs + 2 * DAY_MS }))
      for (const payload of splitPayloads(payloads)) {
        const columns = decodeTicks(payload);
        builder.add(columns, 0, columns.length);
      }
    if (builder.trades !== trades) throw new Error(`${builder.trades} of ${trades} trades were read`);
  };
  return cpuOf(build, ROUNDS);
}
