import { seededRandom } from '@crosstape/core';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseCsv } from '../../api/testing/parse-csv.ts';
import { publishSampleMarket } from '../../api/testing/sample-market.ts';
import { askToBuild, buildSampleBars, recordSampleTape } from '../../api/testing/sample-tape.ts';
import { START_MS, startTestApi, type TestApi } from '../../api/testing/test-api.ts';

/**
 * The same minute through every door: each reads some figures of a minute in its own protocol, and they are those of the
 * recorded trades. A new door is one row of the table.
 */
const MINUTE_MS = 60_000;
const MINUTES = 8;
const market = 'hyperliquid:BTC';

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
type Door = (fromMs: number) => Promise<Partial<Minute>>;

let api: TestApi;
let resultKey: string;
beforeAll(async () => {
  api = await startTestApi({ hasTape: true });
  publishSampleMarket(api);
  await recordSampleTape(api);
  const days = { coin: 'BTC', kind: 'time', params: { intervalMs: MINUTE_MS }, days: 1 };
  ({ cacheKey: resultKey } = await buildSampleBars(api, askToBuild(days)));
}, 60_000);
afterAll(() => api.close());

const json = async <Data>(url: string): Promise<Data> => JSON.parse((await api.fetch(url)).text) as Data;
const rangeOf = (from: number): string => `start=${from}&end=${from + MINUTE_MS}`;
const exact = (value: number): number => Number(value.toPrecision(12));

function figuresOf(row: Readonly<Record<string, unknown>>): Minute {
  const { open, high, low, close, volume, notionalUsd, trades, complete } = row as unknown as Minute;
  return { open, high, low, close, volume, notionalUsd: exact(notionalUsd), trades, complete };
}

const doors: Readonly<Record<string, Door>> = {
  '/candles': async (from) => {
    const path = `/api/v1/candles?market=${market}&${rangeOf(from)}`;
    const { data } = await json<{ data: Record<string, unknown>[] }>(path);
    return figuresOf(data[0] ?? {});
  },
  CSV: async (from) => {
    const { text } = await api.fetch(`/api/v1/candles?market=${market}&${rangeOf(from)}&format=csv`);
    const [names = [], cells = []] = parseCsv(text);
    const row = Object.fromEntries(names.map((name, i) => [name, JSON.parse(quoted(cells[i] ?? ''))]));
    return figuresOf(row);
  },
  Arrow: async (from) => {
    const { raw } = await api.fetch(`/api/v1/candles?market=${market}&${rangeOf(from)}&format=arrow`);
    const row = tableFromIPC(raw).toArray()[0] as Readonly<Record<string, unknown>>;
    return figuresOf({ ...columnsOf(row), trades: Number(row.trades) });
  },
  rotations: async (from) => {
    const { data } = await json<{
      data: { bars: Record<string, unknown>[]; open: Record<string, unknown> | null };
    }>(`/api/v1/perps/rotations/result?key=${resultKey}&format=json`);
    const bars = data.open ? [...data.bars, data.open] : data.bars;
    const { complete: _, ...figures } = figuresOf(bars.find(({ openTs }) => openTs === from) ?? {});
    return figures;
  },
  UDF: async (from) => {
    const [start, end] = [from / 1_000, from / 1_000 + 60];
    const bars = await json<Record<'o' | 'h' | 'l' | 'c' | 'v', number[]>>(
      `/udf/history?symbol=HYPERLIQUID:BTC&resolution=1&from=${start}&to=${end}`,
    );
    const [open, high, low, close, volume] = [bars.o, bars.h, bars.l, bars.c, bars.v].map(
      ([value = NaN]) => value,
    );
    return { open, high, low, close, volume } as Partial<Minute>;
  },
  aggr: async (from) => {
    const { columns, results } = await json<{ columns: Record<string, number>; results: number[][] }>(
      `/aggr/historical/${from}/${from + MINUTE_MS}/${MINUTE_MS}/HYPERLIQUID:BTC`,
    );
    const value = (name: string): number => results[0]?.[columns[name] ?? -1] ?? NaN;
    return {
      open: value('open'),
      high: value('high'),
      low: value('low'),
      close: value('close'),
      notionalUsd: exact(value('vbuy') + value('vsell')),
      trades: value('cbuy') + value('csell'),
    };
  },
  OpenBB: async (from) => {
    const { data } = await json<{ data: Record<string, unknown>[] }>(
      `/openbb/api/v1/candles?market=${market}&interval=&${rangeOf(from)}&limit=`,
    );
    return figuresOf(data[0] ?? {});
  },
};

/** What a cell of CSV holds, as JSON. */
function quoted(cell: string): string {
  return /^(-?[\d.e+-]+|true|false)$/.test(cell) ? cell : JSON.stringify(cell);
}

function columnsOf(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    ['open', 'high', 'low', 'close', 'volume', 'notionalUsd', 'complete'].map((name) => [name, row[name]]),
  );
}

/** The minute as its recorded trades make it. */
async function minuteOf(from: number): Promise<Omit<Minute, 'complete'> & { complete: boolean }> {
  const path = `/api/v1/perps/trades/history?market=${market}&format=json&${rangeOf(from)}`;
  const { data } = await json<{ data: { price: number; size: number }[] }>(path);
  const prices = data.map(({ price }) => price);
  const coverage = await json<{ data: { state: string }[] }>(
    `/api/v1/coverage?market=${market}&from=${from}&to=${from + MINUTE_MS}`,
  );
  return {
    open: prices[0] ?? NaN,
    high: Math.max(...prices),
    low: Math.min(...prices),
    close: prices.at(-1) ?? NaN,
    volume: exact(data.reduce((sum, { size }) => sum + size, 0)),
    notionalUsd: exact(data.reduce((sum, { price, size }) => sum + price * size, 0)),
    trades: data.length,
    complete: coverage.data.every(({ state }) => state === 'complete' || state === 'refilled'),
  };
}

it.each(Object.entries(doors))(
  '%s has the figures of the recorded trades',
  async (_, door) => {
    const random = seededRandom(7);
    const first = Math.ceil((START_MS - 3_600_000) / MINUTE_MS) - 1;
    // The first minute of the sample has a gap.
    const chosen = [0, ...Array.from({ length: MINUTES }, () => 1 + Math.floor(random() * 58))];
    for (const minute of chosen) {
      const from = (first + minute) * MINUTE_MS;
      const expected = await minuteOf(from);
      const figures = await door(from);
      expect(Object.keys(figures).length).toBeGreaterThan(3);
      expect(expected).toMatchObject(figures);
    }
  },
  60_000,
);
