import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompressSync } from 'node:zlib';
import { DAY_MS, type Trade } from '@crosstape/core';
import { DuckDBInstance } from '@duckdb/node-api';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishSampleMarket } from '../../api/testing/sample-market.ts';
import { sampleTrades } from '../../api/testing/sample-tape.ts';
import { START_MS, startTestApi, type TestApi } from '../../api/testing/test-api.ts';
import type { JobRunner } from '../../platform/jobs.ts';
import { RepairedTable } from '../audit/repaired-table.ts';
import { LiquidationTable } from '../liquidations/liquidation-table.ts';
import { HistoryTable } from '../perps/history-table.ts';
import { MarketTable } from '../market-tape/market-table.ts';
import { TickBuffer } from '../tape/tick-buffer.ts';
import { TickTable } from '../tape/tick-table.ts';
import { marketSeedingTopic, seedingTopic } from '../../topics.ts';
import { Lake } from './lake.ts';
import { LakeFolder } from './lake-folder.ts';
import { dateOf, startOfDate } from './lake-key.ts';
import { lakePages } from './lake-page.ts';
import { makeLakeFile, type FileOrder } from './make-file.ts';

const date = dateOf(START_MS - DAY_MS);
const from = startOfDate(date);
const btcKey = `trades/venue=hyperliquid/symbol=BTC/date=${date}/part-0.parquet`;
const okxKey = `trades/venue=okx/symbol=BTC-USDT-SWAP/date=${date}/part-0.parquet`;
const gap = {
  coin: 'BTC',
  from: from + 5_000,
  to: from + 6_000,
  state: 'missing',
  reason: 'no socket',
} as const;

let api: TestApi;
let folder: string;
let lake: Lake;
let trades: readonly Trade[];
let made = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosstape-lake-'));
  // The pages read the lake of the test, which needs the tape of the service.
  const own = {
    get files() {
      return lake.files;
    },
    find: (key: string) => lake.find(key),
    manifest: () => lake.manifest(),
    isArchived: (key: string) => lake.isArchived(key),
  };
  api = await startTestApi({ hasTape: true, pages: lakePages(own), lake: own });
  publishSampleMarket(api);
  // Three hours into the day, the last of them on the day after; the end is not sealed yet.
  trades = sampleTrades(from + 1_000, 600).map((trade, i) =>
    i % 100 === 7 ? { ...trade, venueTs: trade.ts - 3 } : trade,
  );
  await api.tape.record(trades.slice(0, 400), 'sealed');
  await api.tape.record(
    [...trades.slice(400), { ...(trades[0] as Trade), ts: from + DAY_MS, tid: 9_999 }],
    'tail',
  );
  await api.tape.connected(from - DAY_MS, START_MS, gap);
  const { store } = api.tape;
  const okx = {
    id: 'okx:BTC-USDT-SWAP',
    venue: 'okx',
    kind: 'perp',
    symbol: 'BTC-USDT-SWAP',
    coin: 'BTC',
  } as const;
  const unit = { quote: 'USDT', scale: 1, contractSize: 0.01, tick: 0.1, publisher: 'okx', isCounted: true };
  await new MarketTable(store).put([{ ...okx, ...unit }], from);
  const buffer = new TickBuffer();
  for (const trade of sampleTrades(from, 10))
    buffer.add({ ...trade, coin: okx.symbol, venue: 'okx', size: 3 });
  await store.commit(new TickTable(store, 'okx').sealing(okx.symbol, buffer, 10, []));
  await new HistoryTable(store).append([
    {
      coin: 'BTC',
      t: from,
      openInterest: 5,
      funding: { hyperliquid: { rate: 0.0001, nativePeriodHours: 1 } },
    },
    { coin: 'BTC', t: from + DAY_MS, openInterest: 6, funding: {} },
  ]);
  const withStore = <Result>(_: string, read: (open: typeof store) => Promise<Result>): Promise<Result> =>
    read(store);
  const jobs = {
    run: (_: unknown, order: FileOrder) => {
      made += 1;
      return makeLakeFile(order, withStore as never);
    },
    stop: async () => undefined,
  } as JobRunner;
  lake = new Lake({
    clock: api.clock,
    bus: api.bus,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    jobs,
    place: '',
    folder: await LakeFolder.open(folder, 2 ** 20),
    markets: api.tape.markets,
    repairs: new RepairedTable(api.tape.store),
    primaryVenue: 'hyperliquid',
    retentionDays: 7,
    prefix: 'sim:',
  });
});
afterAll(async () => {
  await lake.stop();
  await api.close();
  await rm(folder, { recursive: true });
});

describe('a sealed day', () => {
  it('is made when it is first requested, once, with the trades of that day alone', async () => {
    expect(lake.files).toEqual([]);
    const answers = await Promise.all([api.fetch(`/lake/${btcKey}`), api.fetch(`/lake/${btcKey}`)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(made).toBe(1);
    const path = join(folder, 'copy.parquet');
    const { raw } = answers[0] as { raw: Buffer };
    await writeFile(path, raw);
    const instance = await DuckDBInstance.create(':memory:');
    const db = await instance.connect();
    const result = await db.runAndReadAll(
      `select count(*) n, sum(size) size, min(ts) a, max(ts) b, count(venue_ts) late, count(*) filter (is_buy) buys, any_value(coin) coin, max(tid) tid from '${path}'`,
    );
    const sum = trades.reduce((total, { size }) => total + size, 0);
    expect(result.getRowObjects()).toEqual([
      {
        n: 600n,
        size: expect.closeTo(sum, 9),
        a: BigInt(from + 1_000),
        b: BigInt(trades.at(-1)!.ts),
        late: 6n,
        buys: 300n,
        coin: 'BTC',
        tid: 599n,
      },
    ]);
    db.closeSync();
    const metadata = await parquetMetadataAsync(await asyncBufferFromFile(path));
    expect(metadata.row_groups[0]?.columns[0]?.meta_data?.codec).toBe('BROTLI');
    expect(
      Object.fromEntries(metadata.key_value_metadata?.map(({ key, value }) => [key, value]) ?? []),
    ).toEqual({
      source: 'sim:hyperliquid',
      date,
      market: 'hyperliquid:BTC',
      coin: 'BTC',
      quote: 'USDC',
    });
    await rm(path);
  });

  it('of another venue counts coins', async () => {
    const { raw } = await api.fetch(`/lake/${okxKey}`);
    const path = join(folder, 'okx.parquet');
    await writeFile(path, raw);
    const db = await (await DuckDBInstance.create(':memory:')).connect();
    const rows = (await db.runAndReadAll(`select distinct size from '${path}'`)).getRowObjects();
    db.closeSync();
    expect(rows).toEqual([{ size: 0.03 }]);
    await rm(path);
  });

  it('is listed in the manifest with its figures, its gaps beside it', async () => {
    await api.fetch(`/lake/${btcKey.replace('trades', 'gaps')}`);
    await api.fetch(`/lake/open_interest/venue=hyperliquid/date=${date}/part-0.parquet`);
    const { files } = JSON.parse((await api.fetch('/lake/manifest.json')).text) as {
      files: { key: string }[];
    };
    const of = (key: string) => files.find((file) => file.key === key);
    const { raw } = await api.fetch(`/lake/${btcKey}`);
    expect(of(btcKey)).toMatchObject({
      rows: 600,
      bytes: raw.length,
      sha256: createHash('sha256').update(raw).digest('hex'),
      minTs: from + 1_000,
      maxTs: trades.at(-1)!.ts,
      complete: false,
      market: 'hyperliquid:BTC',
    });
    expect(of(btcKey.replace('trades', 'gaps'))).toMatchObject({ rows: 1, minTs: gap.from, maxTs: gap.to });
    expect(of(`open_interest/venue=hyperliquid/date=${date}/part-0.parquet`)).toMatchObject({
      rows: 1,
      complete: false,
    });
  });

  it('has the same bytes when it is made again', async () => {
    const path = join(folder, 'again.parquet');
    const { store } = api.tape;
    const metadata = {
      source: 'sim:hyperliquid',
      date,
      market: 'hyperliquid:BTC',
      coin: 'BTC',
      quote: 'USDC',
    };
    const range = { venue: 'hyperliquid', symbol: 'BTC', coin: 'BTC', fromTs: from, toTs: from + DAY_MS };
    const source = { table: 'trades', ...range } as const;
    await makeLakeFile({ path, place: '', metadata, source }, (_, read) => read(store));
    expect(await readFile(path)).toEqual(await readFile(join(folder, btcKey)));
    await rm(path);
  });

  it.each([
    ['today', `trades/venue=hyperliquid/symbol=BTC/date=${dateOf(START_MS)}/part-0.parquet`],
    [
      'a day before the record',
      `trades/venue=hyperliquid/symbol=BTC/date=${dateOf(START_MS - 9 * DAY_MS)}/part-0.parquet`,
    ],
    [
      'a day without trades',
      `trades/venue=hyperliquid/symbol=BTC/date=${dateOf(START_MS - 2 * DAY_MS)}/part-0.parquet`,
    ],
    ['a market that is not recorded', `trades/venue=hyperliquid/symbol=NOPE/date=${date}/part-0.parquet`],
    ['a date that does not exist', `trades/venue=hyperliquid/symbol=BTC/date=2026-13-45/part-0.parquet`],
    ['a path outside', '../data.mdb'],
    ['an escaped path outside', '%2e%2e%2fdata.mdb'],
    ['another file of the folder', 'trades'],
  ])('is not there for %s', async (_, key) => {
    const { status, text } = await api.fetch(`/lake/${key}`);
    expect([status, text.includes('<Code>NoSuchKey</Code>')]).toEqual([404, true]);
  });
});

it('lists the files of a market by day', async () => {
  const { body } = await api.get('/lake/days?market=HyperLiquid:btc');
  expect(body.data).toMatchObject([
    { date, market: 'hyperliquid:BTC', coin: 'BTC', trades: 600, complete: false, archived: false },
  ]);
  const [{ files }] = body.data as [{ files: { path: string; bytes: number }[] }];
  expect(files.map(({ path }) => path)).toContain(`/lake/${btcKey}`);
  expect(body.meta).toMatchObject({ archive: 'off', totalFiles: lake.files.length });
  expect((await api.get('/lake/days?market=okx:NOPE')).body.data).toEqual([]);
});

describe('other tables', () => {
  const rowsOf = async (key: string) => {
    const { status, raw } = await api.fetch(`/lake/${key}`);
    expect(status).toBe(200);
    const file = Uint8Array.from(raw).buffer;
    return parquetReadObjects({ file, compressors: { BROTLI: (bytes) => brotliDecompressSync(bytes) } });
  };

  it('have the minutes of /candles', async () => {
    const rows = await rowsOf(btcKey.replace('trades/', 'candles_1m/'));
    const search = `market=hyperliquid:BTC&start=${from}&end=${from + DAY_MS}&limit=2000`;
    const served = (await api.get(`/candles?${search}`)).body.data as Record<string, unknown>[];
    const columns = { buyVolume: 'buy_volume', notionalUsd: 'notional_usd', buyTrades: 'buy_trades' };
    const others = { liqLongUsd: 'liq_long_usd', liqShortUsd: 'liq_short_usd' };
    const names: Record<string, string> = { ...columns, ...others };
    const plain = (row: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [names[name] ?? name, value]));
    const numbers = rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
      ),
    );
    expect(served.length).toBeGreaterThan(4);
    expect(numbers).toEqual(served.map((row) => ({ ...plain(row), coin: 'BTC' })));
    expect(numbers.map(({ complete }) => complete).slice(0, 2)).toEqual([false, true]);
  });

  it('have the liquidations of a venue', async () => {
    const one = {
      coin: 'BTC',
      venue: 'bybit',
      symbol: 'BTCUSDT',
      price: 100_000,
      size: 0.5,
      notionalUsd: 49_990,
    };
    const liquidation = { ...one, quote: 'USDT', side: 'sell', ts: from + 7, inferred: false } as const;
    await new LiquidationTable(api.tape.store).append(
      [liquidation, { ...liquidation, venue: 'okx' }, { ...liquidation, ts: from + DAY_MS }],
      [{ venue: 'bybit', from: from - 1, to: from + DAY_MS }],
    );
    const key = `liquidations/venue=bybit/date=${date}/part-0.parquet`;
    const { venue: _, symbol: __, notionalUsd, ...figures } = liquidation;
    const row = {
      ...figures,
      ts: BigInt(from + 7),
      market: 'bybit:BTCUSDT',
      position: 'long',
      notional_usd: notionalUsd,
    };
    expect(await rowsOf(key)).toEqual([row]);
    expect(lake.files.find((file) => file.key === key)).toMatchObject({ rows: 1, complete: true });
  });
});

it('is requested again later while trades of the day may still be written', async () => {
  const earlier = (of: string): string =>
    of.replace('trades', 'gaps').replace(date, dateOf(START_MS - 2 * DAY_MS));
  const [key, other] = [earlier(btcKey), earlier(okxKey)];
  api.bus.publish(seedingTopic, { isDone: false, progress: 0.5 });
  const { status, headers, text } = await api.fetch(`/lake/${key}`);
  expect([status, headers['retry-after'], text.includes('<Code>SlowDown</Code>')]).toEqual([503, '5', true]);
  expect((await api.fetch(`/lake/${btcKey}`)).status).toBe(200);
  api.bus.publish(seedingTopic, { isDone: true, progress: 1 });
  api.bus.publish(marketSeedingTopic, { isDone: false, markets: [] });
  expect((await api.fetch(`/lake/${other}`)).status).toBe(503);
  // The history of other venues is separate from the primary's.
  expect((await api.fetch(`/lake/${key}`)).status).toBe(200);
  api.bus.publish(marketSeedingTopic, { isDone: true, markets: [] });
  expect((await api.fetch(`/lake/${other}`)).status).toBe(200);
});

describe('ranges', () => {
  const read = async (range: string) => {
    const { status, headers, raw } = await api.fetch(`/lake/${btcKey}`, { headers: { Range: range } });
    return { status, range: headers['content-range'], raw };
  };

  it('are served from both ends', async () => {
    const { raw } = await api.fetch(`/lake/${btcKey}`);
    const { length } = raw;
    expect(await read('bytes=0-3')).toEqual({
      status: 206,
      range: `bytes 0-3/${length}`,
      raw: Buffer.from('PAR1'),
    });
    expect(await read('bytes=-4')).toMatchObject({ status: 206, raw: Buffer.from('PAR1') });
    expect((await read(`bytes=${length - 8}-`)).raw).toEqual(raw.subarray(-8));
    expect((await read(`bytes=5-${length + 99}`)).raw).toEqual(raw.subarray(5));
    expect(await read(`bytes=${length}-`)).toMatchObject({ status: 416, range: `bytes */${length}` });
    expect((await read('bytes=0-1,4-5')).status).toBe(200);
  });

  it('depend on If-Range, and an ETag saves the body, which caches compare each time', async () => {
    const { headers } = await api.fetch(`/lake/${btcKey}`, { method: 'HEAD' });
    expect(headers['cache-control']).toBe('no-cache');
    const etag = headers.etag as string;
    const ask = (given: Record<string, string>) => api.fetch(`/lake/${btcKey}`, { headers: given });
    expect((await ask({ Range: 'bytes=0-3', 'If-Range': '"other"' })).status).toBe(200);
    expect((await ask({ 'If-None-Match': etag })).status).toBe(304);
    expect((await ask({ 'If-Match': '"other"' })).status).toBe(412);
  });
});

it('is read by the AWS SDK', async () => {
  const program = fileURLToPath(new URL('testing/read-bucket.mjs', import.meta.url));
  const read = promisify(execFile)(process.execPath, [program, `http://127.0.0.1:${api.port}`, btcKey]);
  expect(JSON.parse((await read).stdout)).toEqual({
    keys: ['manifest.json', ...lake.files.map(({ key }) => key)].toSorted(),
    folders: ['trades/venue=hyperliquid/', 'trades/venue=okx/'],
    etag: `"${lake.files.find(({ key }) => key === btcKey)?.md5}"`,
    head: 'PAR1',
    put: 'AccessDenied',
    missing: 'NoSuchKey',
  });
});

it.each([
  ['/lake?location', 200, '<LocationConstraint'],
  ['/lake/?max-keys=no', 400, '<Code>InvalidArgument</Code>'],
  ['/lake/?list-type=2&continuation-token=!', 400, '<Code>InvalidArgument</Code>'],
  ['/lake/?acl', 501, '<Code>NotImplemented</Code>'],
  ['/lake/?max-keys=1&prefix=trades%2F&encoding-type=url', 200, '<Key>trades/venue%3D'],
])('%s is answered as by S3', async (url, status, text) => {
  const answer = await api.fetch(url);
  expect([answer.status, answer.headers['content-type'], answer.text.includes(text)]).toEqual([
    status,
    'application/xml',
    true,
  ]);
});

it('makes the sealed days by itself, and drops the oldest when there is no room', async () => {
  api.clock.advance(2 * 60_000);
  await expect
    .poll(() => lake.files.map(({ key }) => key).filter((key) => key.startsWith('funding/')))
    .toHaveLength(1);
  expect(lake.files.some(({ key }) => key === okxKey.replace('trades', 'gaps'))).toBe(true);
  const small = await LakeFolder.open(folder, 1_000);
  expect(small.bytes).toBeLessThanOrEqual(1_000);
  expect(JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'))).toMatchObject({
    files: small.files,
  });
});
