import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { seededRandom, type Trade, venueCandles } from '@crosstape/core';
import { tableFromIPC } from 'apache-arrow';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCsv } from '../packages/server/src/api/testing/parse-csv.ts';
import { publishSampleMarket } from '../packages/server/src/api/testing/sample-market.ts';
import {
  buildRequest,
  buildSampleBars,
  recordSampleTape,
} from '../packages/server/src/api/testing/sample-tape.ts';
import { START_MS, startTestApi, type TestApi } from '../packages/server/src/api/testing/test-api.ts';
import { CandleTable, minuteLevel } from '../packages/server/src/features/candles/candle-table.ts';
import { foldMissingHours } from '../packages/server/src/features/candles/fold-missing-hours.ts';
import {
  type FileOrder,
  makeLakeFile,
  type WithStore,
} from '../packages/server/src/features/lake/make-file.ts';
import { accept, envelope, MODERN } from '../packages/server/src/features/mcp/testing/mcp-rig.ts';
import { candlesTopic } from '../packages/server/src/topics.ts';
import { hasPython, python } from './install-programs.ts';
import { runProgram } from './samples/run-program.ts';

/**
 * The same minute through every door: each reads figures of a minute in its own protocol, and they are those of the
 * recorded trades, or of the venue's own candle before the record. A new door is one row of the table.
 */
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const MINUTES = 6;
const market = 'hyperliquid:BTC';
/** The sample begins within this minute, and the first gap is in it. */
const FIRST_TS = Math.floor((START_MS - HOUR_MS) / MINUTE_MS) * MINUTE_MS;
const LAST_HOUR_TS = Math.floor(START_MS / HOUR_MS) * HOUR_MS;
const VENUE_HOUR_TS = LAST_HOUR_TS - 4 * HOUR_MS;

interface Minute {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  readonly notionalUsd: number;
  readonly trades: number;
  readonly complete: boolean;
}
type Figures = Partial<Minute>;
type Row = Readonly<Record<string, unknown>>;

interface Door {
  readonly read: (fromMs: number) => Promise<Figures>;
  /** Whether it reads trades, and so knows nothing of minutes before the record. */
  readonly isOfTrades?: true;
}

let api: TestApi;
let resultKey: string;
let folder: string;
let tapeFolder: string;
let sample: readonly Trade[];
const json = async <Data>(url: string): Promise<Data> => JSON.parse((await api.fetch(url)).text) as Data;
const rangeOf = (from: number): string => `start=${from}&end=${from + MINUTE_MS}`;

/** What a door reports; sums of many trades without the noise of binary fractions. */
function figuresOf(row: Row): Figures {
  const names = ['open', 'high', 'low', 'close', 'volume', 'notionalUsd', 'trades', 'complete'];
  const known = names.map((name) => [name, row[name]]).filter(([, value]) => isKnown(value));
  const exact = known.map(([name, value]) => [
    name,
    typeof value === 'number' ? Number(value.toPrecision(12)) : value,
  ]);
  return Object.fromEntries(exact) as Figures;
}

function isKnown(value: unknown): boolean {
  return typeof value === 'boolean' || (typeof value === 'number' && !Number.isNaN(value));
}

/** Something that is made once in each stage, for all minutes. */
function oncePerStage<Made>(make: () => Promise<Made>): () => Promise<Made> {
  const made = new Map<TestApi, Promise<Made>>();
  return () => {
    const known = made.get(api) ?? make();
    made.set(api, known);
    return known;
  };
}

const BROTLI = (bytes: Uint8Array): Uint8Array => brotliDecompressSync(bytes);
async function parquetRows(source: FileOrder['source']): Promise<readonly Row[]> {
  const path = join(folder, `${source.table}.parquet`);
  const withStore: WithStore = (_, read) => read(api.tape.store);
  await makeLakeFile({ path, place: '', metadata: {}, source }, withStore);
  return parquetReadObjects({ file: await asyncBufferFromFile(path), compressors: { BROTLI } });
}

const dayOf = { venue: 'hyperliquid', symbol: 'BTC', coin: 'BTC', fromTs: VENUE_HOUR_TS, toTs: START_MS };
const candleFile = oncePerStage(async () => {
  const gaps = await api.tape.coverage.gaps('BTC', VENUE_HOUR_TS, START_MS);
  return parquetRows({ table: 'candles_1m', ...dayOf, gaps });
});
const tradeFile = oncePerStage(() => parquetRows({ table: 'trades', ...dayOf }));

const mcpBars = oncePerStage(async () => {
  const given = { market: 'BTC', params: { intervalMs: MINUTE_MS }, from: FIRST_TS, max_rows: 500 };
  const body = JSON.stringify(envelope('tools/call', { name: 'get_bars', arguments: given }));
  const named = { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'get_bars' };
  const headers = { 'Content-Type': 'application/json', Accept: accept, ...named };
  const { text } = await api.fetch('/mcp', { method: 'POST', headers, body });
  const { result } = JSON.parse(text) as { result: { structuredContent: { bars: readonly Row[] } } };
  return result.structuredContent.bars;
});

const pythonCandles = oncePerStage(async () => {
  const program = `import crosstape, json, sys
rows = crosstape.Client(sys.argv[1]).candles("${market}", "1m", int(sys.argv[2]), int(sys.argv[3]))
print(json.dumps(list(rows)))`;
  const cwd = fileURLToPath(new URL('../clients/python', import.meta.url));
  const out = await runProgram({
    command: python,
    args: ['-c', program, `http://127.0.0.1:${api.port}`, String(VENUE_HOUR_TS), String(START_MS)],
    cwd,
    environment: { PYTHONPATH: cwd, PYTHONDONTWRITEBYTECODE: '1' },
  });
  return JSON.parse(out) as readonly Row[];
});

const doors: Readonly<Record<string, Door>> = {
  '/candles': {
    async read(from) {
      const { data } = await json<{ data: Row[] }>(`/api/v1/candles?market=${market}&${rangeOf(from)}`);
      return figuresOf(data[0] ?? {});
    },
  },
  CSV: {
    async read(from) {
      const { text } = await api.fetch(`/api/v1/candles?market=${market}&${rangeOf(from)}&format=csv`);
      const [names = [], cells = []] = parseCsv(text);
      return figuresOf(Object.fromEntries(names.map((name, i) => [name, valueOf(cells[i] ?? '')])));
    },
  },
  Arrow: {
    async read(from) {
      const { raw } = await api.fetch(`/api/v1/candles?market=${market}&${rangeOf(from)}&format=arrow`);
      const row = tableFromIPC(raw).toArray()[0] as Row;
      return figuresOf(withNumbers(row));
    },
  },
  OpenBB: {
    async read(from) {
      const search = `market=${market}&interval=&${rangeOf(from)}&limit=`;
      const { data } = await json<{ data: Row[] }>(`/openbb/api/v1/candles?${search}`);
      return figuresOf(data[0] ?? {});
    },
  },
  UDF: {
    async read(from) {
      const [start, end] = [from / 1_000, from / 1_000 + 60];
      const bars = await json<Record<'o' | 'h' | 'l' | 'c' | 'v', number[]>>(
        `/udf/history?symbol=HYPERLIQUID:BTC&resolution=1&from=${start}&to=${end}`,
      );
      const [open, high, low, close, volume] = [bars.o, bars.h, bars.l, bars.c, bars.v].map(([one]) => one);
      return figuresOf({ open, high, low, close, volume });
    },
  },
  aggr: {
    async read(from) {
      const { columns, results } = await json<{ columns: Record<string, number>; results: number[][] }>(
        `/aggr/historical/${from}/${from + MINUTE_MS}/${MINUTE_MS}/HYPERLIQUID:BTC`,
      );
      const value = (name: string): number => results[0]?.[columns[name] ?? -1] ?? NaN;
      return figuresOf({
        open: value('open'),
        high: value('high'),
        low: value('low'),
        close: value('close'),
        notionalUsd: value('vbuy') + value('vsell'),
        trades: value('cbuy') + value('csell'),
      });
    },
  },
  'Parquet, candles': {
    async read(from) {
      const row = (await candleFile()).find(({ ts }) => Number(ts) === from) ?? {};
      return figuresOf(withNumbers({ ...row, notionalUsd: row.notional_usd }));
    },
  },
  'Parquet, trades': {
    isOfTrades: true,
    async read(from) {
      const within = (await tradeFile()).filter(({ ts }) => minuteStart(Number(ts)) === from);
      return figuresOf(folded(within as unknown as readonly TradeFigures[]));
    },
  },
  rotations: {
    isOfTrades: true,
    async read(from) {
      const { data } = await json<{ data: { bars: Row[]; open: Row | null } }>(
        `/api/v1/perps/rotations/result?key=${resultKey}&format=json`,
      );
      return withoutComplete([...data.bars, data.open ?? {}].find(({ openTs }) => openTs === from) ?? {});
    },
  },
  MCP: {
    isOfTrades: true,
    read: async (from) => withoutComplete((await mcpBars()).find(({ openTs }) => openTs === from) ?? {}),
  },
  ...(hasPython() && {
    Python: {
      read: async (from: number) => figuresOf((await pythonCandles()).find(({ ts }) => ts === from) ?? {}),
    },
  }),
};

/** A bar is incomplete also where a gap lies between the bar before it and its first trade. */
function withoutComplete(bar: Row): Figures {
  const { complete: _, ...figures } = figuresOf(bar);
  return figures;
}

/** A cell of CSV; `undefined` where it is empty. */
function valueOf(cell: string): unknown {
  return /^(-?[\d.]+(e[+-]?\d+)?|true|false)$/.test(cell) ? JSON.parse(cell) : undefined;
}

/** Integers of 64 bits as numbers. */
function withNumbers(row: Row): Row {
  const names = ['open', 'high', 'low', 'close', 'volume', 'notionalUsd', 'trades', 'complete'];
  return Object.fromEntries(
    names.map((name) => [name, typeof row[name] === 'bigint' ? Number(row[name]) : row[name]]),
  );
}

function minuteStart(ts: number): number {
  return Math.floor(ts / MINUTE_MS) * MINUTE_MS;
}

interface TradeFigures {
  readonly price: number;
  readonly size: number;
}

function folded(trades: readonly TradeFigures[]): Row {
  const prices = trades.map(({ price }) => price);
  return {
    open: prices[0],
    high: Math.max(...prices),
    low: Math.min(...prices),
    close: prices.at(-1),
    volume: trades.reduce((sum, { size }) => sum + size, 0),
    notionalUsd: trades.reduce((sum, { price, size }) => sum + price * size, 0),
    trades: trades.length,
  };
}

/** The minute as its recorded trades make it. */
async function recorded(from: number): Promise<Figures> {
  const path = `/api/v1/perps/trades/history?market=${market}&format=json&${rangeOf(from)}`;
  const { data } = await json<{ data: TradeFigures[] }>(path);
  const coverage = await json<{ data: { state: string }[] }>(
    `/api/v1/coverage?market=${market}&from=${from}&to=${from + MINUTE_MS}`,
  );
  const complete = coverage.data.every(({ state }) => state === 'complete' || state === 'refilled');
  return figuresOf({ ...folded(data), complete });
}

/** Minutes before the record, as the venue reported them. */
const reported = Array.from({ length: 60 }, (_, i) => ({
  ts: VENUE_HOUR_TS + i * MINUTE_MS,
  open: 99_000 + i,
  high: 99_020.5 + i,
  low: 98_990 + i,
  close: 99_001 + i,
  volume: `${i}.125`,
}));

async function startStage(stage: string): Promise<void> {
  if (stage === 'as recorded') {
    api = await startTestApi({ hasTape: true, tapeFolder });
    const table = new CandleTable(api.tape.store);
    const block = { startTs: VENUE_HOUR_TS, toTs: VENUE_HOUR_TS + HOUR_MS, candles: venueCandles(reported) };
    await table.commit([table.putting(minuteLevel, market, block)]);
    sample = await recordSampleTape(api);
  } else {
    // Everything that was in memory has been written, and the hours that are over are in the ledger of candles, joined.
    const { ticks, store } = api.tape;
    await api.tape.record(sample.slice(7_000), 'tail');
    const primary = { prefix: 'hyperliquid', symbol: 'BTC', ticks };
    const table = new CandleTable(store);
    await foldMissingHours(table, primary, LAST_HOUR_TS, new AbortController().signal);
    await table.join(minuteLevel, market, LAST_HOUR_TS);
    await api.close();
    api = await startTestApi({ hasTape: true, tapeFolder });
    api.bus.publish(candlesTopic, { isCaughtUp: true });
  }
  publishSampleMarket(api);
  const build = { coin: 'BTC', kind: 'time', params: { intervalMs: MINUTE_MS }, days: 1 };
  ({ cacheKey: resultKey } = await buildSampleBars(api, buildRequest(build)));
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-doors-'));
  tapeFolder = join(folder, 'tape');
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

describe.each(['as recorded', 'after a restart'])('%s', (stage) => {
  beforeAll(() => startStage(stage));

  it.each(Object.entries(doors))('%s has the figures of the trades', async (_, { read }) => {
    const random = seededRandom(7);
    // The first minute has a gap.
    for (const minute of [0, ...Array.from({ length: MINUTES }, () => 1 + Math.floor(random() * 56))]) {
      const from = FIRST_TS + minute * MINUTE_MS;
      const figures = await read(from);
      expect(Object.keys(figures).length).toBeGreaterThan(3);
      expect(await recorded(from)).toMatchObject(figures);
    }
  });

  const ofLedger = Object.entries(doors).filter(([, { isOfTrades }]) => !isOfTrades);
  it.each(ofLedger)("%s has the venue's own candles before the record", async (_, { read }) => {
    for (const minute of [1, 7, 59]) {
      const { ts, volume, ...prices } = reported[minute]!;
      const figures = await read(ts);
      expect(Object.keys(figures).length).toBeGreaterThan(3);
      expect({ ...prices, volume: Number(volume) }).toMatchObject(figures);
    }
  });
});
