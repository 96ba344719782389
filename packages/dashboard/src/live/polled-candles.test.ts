import type { Client, FeedStatus } from '@crosstape/client';
import { expect, it } from 'vitest';
import { polledCandles } from './polled-candles.ts';

const MINUTE_MS = 60_000;
const row = (minute: number, volume: number) => ({
  ts: minute * MINUTE_MS,
  open: 1,
  high: 1,
  low: 1,
  close: 1,
  volume,
  complete: true,
});

it('continues with what was traded since, and amends a candle that late trades changed', async () => {
  const answers = [
    { nowMs: 2.5 * MINUTE_MS, data: [row(0, 5), row(1, 6), row(2, 1)] },
    { nowMs: 3.1 * MINUTE_MS, data: [row(1, 6), row(2, 9), row(3, 2)] },
    { nowMs: 3.2 * MINUTE_MS, data: [row(2, 10), row(3, 4)] },
  ];
  const queries: unknown[] = [];
  let nowMs = 0;
  const client = {
    now: () => nowMs,
    wait: () => Promise.resolve(),
    get: (_path: string, query: unknown) => {
      queries.push(query);
      const { data, nowMs: at } = answers.shift() ?? { data: [], nowMs };
      nowMs = at;
      return Promise.resolve({ data, meta: {} });
    },
  } as unknown as Client;
  const { signal } = new AbortController();
  const seen: string[] = [];
  for await (const { closed, open, amended } of polledCandles(
    client,
    { market: 'perp:BTC', interval: '1m', limit: 3 },
    { signal },
  )) {
    const text = (bars: typeof closed): string => bars.map((bar) => `${bar.index}:${bar.volume}`).join();
    seen.push(`${text(closed)} | ${text(open ? [open] : [])} | ${text(amended)}`);
    if (seen.length === 3) break;
  }
  expect(seen).toEqual(['0:5,1:6 | 2:1 | ', '2:9 | 3:2 | ', ' | 3:4 | 2:10']);
  expect(queries).toMatchObject([{ limit: 3 }, { start: MINUTE_MS }, { start: 2 * MINUTE_MS }]);
});

it('requests longer candles less often, and several charts together no more often than one', async () => {
  const waits: number[] = [];
  const client = {
    now: () => 0,
    wait: (ms: number) => {
      waits.push(ms);
      return Promise.resolve();
    },
    get: () => Promise.resolve({ data: [], meta: {} }),
  } as unknown as Client;
  const { signal } = new AbortController();
  const open = (interval: '1m' | '1h') =>
    polledCandles(client, { market: 'perp:BTC', interval, limit: 3 }, { signal });
  const [minutes, hours, ...more] = [open('1m'), open('1h'), ...Array.from({ length: 4 }, () => open('1m'))];
  /** The second update comes after a wait. */
  const waitOf = async (chart: typeof minutes): Promise<number | undefined> => {
    await chart.next();
    await chart.next();
    return waits.at(-1);
  };
  expect(await waitOf(minutes)).toBe(5_000);
  await minutes.return();
  expect(await waitOf(hours)).toBe(10_000);
  for (const chart of more) await chart.next();
  expect(await waitOf(hours)).toBe(25_000);
  for (const chart of more) await chart.return();
  expect(await waitOf(hours)).toBe(10_000);
});

it('reports with each answer whether the feeds of its markets deliver', async () => {
  const failing = [{ source: 'okx:market-trades', status: 'down', ageMs: 7_000, error: 'No data for 7 s.' }];
  const metas = [
    {},
    { stale: true, ageMs: 7_000, partial: true, sources: failing },
    { stale: true, partial: false, sources: failing },
    {},
  ];
  const client = {
    now: () => 60_000,
    wait: () => Promise.resolve(),
    get: () => Promise.resolve({ data: [], meta: metas.shift() }),
  } as unknown as Client;
  const statuses: FeedStatus[] = [];
  const options = {
    signal: new AbortController().signal,
    onStatus: (status: FeedStatus) => void statuses.push(status),
  };
  const chart = polledCandles(client, { market: 'all:BTC', interval: '1m', limit: 3 }, options);
  while (metas.length > 0) await chart.next();
  const reason = 'okx market-trades: No data for 7 s.';
  expect(statuses).toEqual([
    { state: 'live', sinceTs: 60_000, reason: '' },
    { state: 'stale', sinceTs: 53_000, reason, partial: true },
    { state: 'stale', sinceTs: 60_000, reason },
    { state: 'live', sinceTs: 60_000, reason: '' },
  ]);
});
