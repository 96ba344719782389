import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DAY_MS, type Trade } from '@crosstape/core';
import { DuckDBInstance } from '@duckdb/node-api';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { publishSampleMarket } from '../../api/testing/sample-market.ts';
import { sampleTrades } from '../../api/testing/sample-tape.ts';
import { START_MS, startTestApi, type TestApi } from '../../api/testing/test-api.ts';
import type { JobRunner } from '../../platform/jobs.ts';
import { RepairedTable } from '../audit/repaired-table.ts';
import { Lake } from './lake.ts';
import { LakeFolder } from './lake-folder.ts';
import { dateOf, startOfDate } from './lake-key.ts';
import { lakePages } from './lake-page.ts';
import { type FileOrder, makeLakeFile } from './make-file.ts';
import { pandasPython, parquetPython } from './testing/python-readers.ts';
import { isLong } from '../../../../../test/long.ts';

/** A month of files as other programs read it: each adds up to the tape. */
const DAYS = 30;
const DAY_TRADES = 40;
const CHDB_VERSION = '3.4.0';
const PYTHON_MS_MAX = 240_000;
const run = promisify(execFile);

let api: TestApi;
let folder: string;
let lake: Lake;
const trades: Trade[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosstape-lake-month-'));
  const own = {
    get files() {
      return lake.files;
    },
    find: (key: string) => lake.find(key),
    manifest: () => lake.manifest(),
    isArchived: (key: string) => lake.isArchived(key),
  };
  const retentionDays = DAYS + 5;
  api = await startTestApi({ hasTape: true, pages: lakePages(own), lake: own, retentionDays });
  publishSampleMarket(api);
  const dates: string[] = [];
  for (let day = DAYS; day >= 1; day -= 1) {
    const date = dateOf(START_MS - day * DAY_MS);
    dates.push(date);
    const ofDay = sampleTrades(startOfDate(date) + day * 60_000, DAY_TRADES, day * 1_000);
    trades.push(...ofDay);
    await api.tape.record(ofDay, 'sealed');
  }
  await api.tape.connected(startOfDate(dates[0] ?? ''), START_MS);
  const jobs = {
    run: (_: unknown, order: FileOrder) => makeLakeFile(order, (_place, read) => read(api.tape.store)),
    stop: async () => undefined,
  } as JobRunner;
  lake = new Lake({
    clock: api.clock,
    bus: api.bus,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    jobs,
    place: '',
    folder: await LakeFolder.open(folder, 2 ** 24),
    markets: api.tape.markets,
    repairs: new RepairedTable(api.tape.store),
    primaryVenue: 'hyperliquid',
    retentionDays,
    prefix: 'sim:',
  });
  for (const date of dates) {
    const key = `trades/venue=hyperliquid/symbol=BTC/date=${date}/part-0.parquet`;
    expect((await api.fetch(`/lake/${key}`, { method: 'HEAD' })).status).toBe(200);
  }
});
afterAll(async () => {
  await lake.stop();
  await api.close();
  await rm(folder, { recursive: true });
});

const url = (): string => `http://127.0.0.1:${api.port}`;

function expectTheTape(found: { readonly rows: number; readonly size: number; readonly days: number }): void {
  expect([found.rows, found.days]).toEqual([trades.length, DAYS]);
  const size = trades.reduce((sum, trade) => sum + trade.size, 0);
  expect(found.size).toBeCloseTo(size, 9);
}

/** The documentation's code blocks that are run here, by name. */
const repository = new URL('../../../../../', import.meta.url);
const guide = ['docs/lake.md', 'docs/python.md']
  .map((file) => readFileSync(new URL(file, repository), 'utf8'))
  .join('\n');
const samples = new Map(
  [...guide.matchAll(/^```\w+ lake (\w+)\n([^]*?)\n```$/gm)].map(([, name, text]) => [name, text ?? '']),
);
/** A block as it is written, but with the address of this service. */
const sample = (name: string): string => (samples.get(name) ?? '').replaceAll('http://127.0.0.1:8080', url());

it('runs every block of the documentation that is marked for it', () => {
  expect([...samples.keys()]).toEqual(['rclone', 'polars', 'pandas', 'clickhouse', 'csv', 'client']);
});

const hasRclone = spawnSync('rclone', ['version']).status === 0;
it.runIf(hasRclone)('is copied by rclone, which verifies every file, and added up by DuckDB', async () => {
  // It fails with a bundle of certificates, which some machines set for the real S3.
  const { AWS_CA_BUNDLE: _, ...own } = process.env;
  const env = { ...own, RCLONE_CONFIG: '/dev/null', RCLONE_RETRIES: '1' };
  const cwd = join(folder, 'copy');
  await mkdir(cwd);
  await run('bash', ['--norc', '-c', sample('rclone')], { cwd, env });
  const market = 'trades/venue=hyperliquid/symbol=BTC/';
  for (const { key } of lake.files.filter((file) => file.key.startsWith(market))) {
    const copied = await readFile(join(cwd, 'btc', key.slice(market.length)));
    expect(copied).toEqual(await readFile(join(folder, key)));
  }
  const duckdb = await (await DuckDBInstance.create()).connect();
  const result = await duckdb.runAndReadAll(
    `SELECT count(*)::INTEGER AS rows, sum(size) AS size, count(DISTINCT date)::INTEGER AS days
     FROM read_parquet('${cwd}/btc/*/*.parquet', hive_partitioning = true)`,
  );
  expectTheTape(result.getRowObjects()[0] as { rows: number; size: number; days: number });
});

/** Absent in a folder that was installed before Polars was added; `npm ci` brings it. */
const polarsPath = ((): string | undefined => {
  try {
    return createRequire(import.meta.url).resolve('nodejs-polars');
  } catch {
    return undefined;
  }
})();
it.runIf(polarsPath !== undefined)(
  'is read lazily by Polars over s3://, by a pattern of names',
  { timeout: 240_000 },
  async () => {
    // In a separate process: its threads block the caller.
    const program = `
    const { default: pl } = require(process.argv[1]);
    const cloudOptions = {
      aws_endpoint_url: process.argv[2],
      aws_region: 'us-east-1',
      aws_skip_signature: 'true',
      aws_allow_http: 'true',
    };
    const size = pl.col('size');
    const sums = [size.count().alias('rows'), size.sum(), pl.col('date').nUnique().alias('days')];
    const frame = pl.scanParquet('s3://lake/trades/*/*/*/*.parquet', { cloudOptions, hivePartitioning: true });
    frame.select(...sums).collect().then((found) => console.log(JSON.stringify(found.toRecords()[0])));
  `;
    const { stdout } = await run(process.execPath, ['-e', program, polarsPath ?? '', url()], {
      timeout: 200_000,
    });
    expectTheTape(JSON.parse(stdout) as { rows: number; size: number; days: number });
  },
);

it('is downloaded by the AWS SDK, and added up by hyparquet', async () => {
  const program = fileURLToPath(new URL('testing/sum-bucket.mjs', import.meta.url));
  const { stdout } = await run(process.execPath, [program, url()]);
  expectTheTape(JSON.parse(stdout) as { rows: number; size: number; days: number });
});

it('is streamed as Arrow, and added up by apache-arrow', async () => {
  const { raw } = await api.fetch(
    `/api/v1/perps/trades/history?coin=BTC&format=arrow&start=${trades[0]?.ts}`,
  );
  const rows = tableFromIPC(raw).toArray() as readonly { readonly ts: bigint; readonly size: number }[];
  const days = new Set(rows.map(({ ts }) => dateOf(Number(ts)))).size;
  expectTheTape({ rows: rows.length, size: rows.reduce((sum, { size }) => sum + size, 0), days });
});

/** Runs a block in Python, then a line that prints the result. */
async function readByPython(python: string, text: string, found: string): Promise<void> {
  const program = `${text}\nimport json\nprint(json.dumps(${found}))`;
  const env = {
    ...process.env,
    PYTHONPATH: fileURLToPath(new URL('clients/python', repository)),
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const { stdout } = await run(python, ['-c', program], { timeout: PYTHON_MS_MAX, env });
  expectTheTape(JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Parameters<typeof expectTheTape>[0]);
}

const debianPython = pandasPython();
it.runIf(debianPython !== undefined)(
  'is read by pandas as CSV files',
  async () => {
    const text = sample('csv')
      .replace('2026-10-01', dateOf(trades[0]?.ts ?? 0))
      .replace('2026-10-30', dateOf(trades.at(-1)?.ts ?? 0));
    const found = '{"rows": len(trades), "size": trades["amount"].sum(), "days": len(files)}';
    await readByPython(debianPython ?? '', text, found);
  },
  PYTHON_MS_MAX,
);

/** Not declared where no package index has them: CI fails on a skipped test. Others read the same files in every run. */
const python = isLong ? await parquetPython() : undefined;
if (python !== undefined) {
  const polarsSums =
    'trades.select(rows=pl.len(), size=pl.col("size").sum(), days=pl.col("date").n_unique()).collect().to_dicts()[0]';
  it(
    'is read by pandas as Parquet files',
    () =>
      readByPython(
        python,
        sample('pandas'),
        '{"rows": len(trades), "size": trades["size"].sum(), "days": len(keys)}',
      ),
    PYTHON_MS_MAX,
  );
  it(
    'is read lazily by Polars in Python over s3://',
    () => readByPython(python, sample('polars'), polarsSums),
    PYTHON_MS_MAX,
  );
  it(
    'is read by Polars from the addresses that the Python client gives',
    async () => {
      const text = sample('client')
        .replace('2026-11-10', dateOf(trades[0]?.ts ?? 0))
        .replace('2026-11-17', dateOf(START_MS));
      await readByPython(python, text, polarsSums);
    },
    PYTHON_MS_MAX,
  );
}

/** ClickHouse as a library takes half a gigabyte: only the long run installs it. */
const hasClickHouse = isLong && process.env['CI'] === 'true';
const INSTALL_MS_MAX = 900_000;
async function readByClickHouse(): Promise<void> {
  const own = join(folder, 'clickhouse');
  const install = ['install', '--prefix', own, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', [...install, `chdb@${CHDB_VERSION}`], { timeout: INSTALL_MS_MAX });
  const block = sample('clickhouse').replace(/;$/, '');
  const question = `SELECT sum("count()") AS rows, sum("sum(size)") AS size, count() AS days FROM (${block})`;
  const program = `const { query } = require('${own}/node_modules/chdb'); console.log(query(process.argv[1], 'JSONEachRow'));`;
  const { stdout } = await run(process.execPath, ['-e', program, question], { timeout: INSTALL_MS_MAX });
  const found = JSON.parse(stdout) as { rows: string | number; size: number; days: string | number };
  expectTheTape({ rows: Number(found.rows), size: found.size, days: Number(found.days) });
}
// CI fails on a skipped test, so the short run does not declare it.
if (hasClickHouse)
  it(
    'is read by ClickHouse over HTTP, file by file and by a pattern of names',
    readByClickHouse,
    2 * INSTALL_MS_MAX,
  );

it('is found by its manifest, with the figures of every file', async () => {
  const { files } = JSON.parse((await api.fetch('/lake/manifest.json')).text) as {
    files: { key: string; rows: number; minTs: number; maxTs: number }[];
  };
  const ofTrades = files.filter(({ key }) => key.startsWith('trades/'));
  expect(ofTrades).toHaveLength(DAYS);
  expect(ofTrades.every(({ rows }) => rows === DAY_TRADES)).toBe(true);
  expect([ofTrades[0]?.minTs, ofTrades.at(-1)?.maxTs]).toEqual([trades[0]?.ts, trades.at(-1)?.ts]);
});
