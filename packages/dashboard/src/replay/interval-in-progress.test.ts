import { Client, type QueryOf } from '@crosstape/client';
import { candleIntervalsMs, intervalStart } from '@crosstape/client/bars';
import { ManualClock } from '@crosstape/core';
import { expect, it } from 'vitest';
import { joinCandles, partsOf } from './interval-in-progress.ts';
import { KeptAnswers } from './kept-answers.ts';
import { RecordedWindows } from './recorded-windows.ts';
import { ReplayClient } from './replay-client.ts';
import { ReplayClock } from './replay-clock.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const PRESENT_MS = 1_790_000_000_000 - (1_790_000_000_000 % (24 * HOUR_MS));
/** Two hours, five minutes and a half into an interval of four hours. */
const OPEN_TS = PRESENT_MS - 12 * HOUR_MS;
const NOW_MS = OPEN_TS + 2 * HOUR_MS + 5.5 * MINUTE_MS;

interface Asked {
  readonly interval: keyof typeof candleIntervalsMs;
  readonly start: number;
  readonly end: number;
}

/** The figures of a minute are its number since a day ago: so are their sums. */
const minuteOf = (ts: number): number => (ts - (PRESENT_MS - 24 * HOUR_MS)) / MINUTE_MS;

function minutesOf({ interval, start, end }: Asked): Map<number, number[]> {
  const found = new Map<number, number[]>();
  const firstMs = Math.max(start, PRESENT_MS - 24 * HOUR_MS);
  for (let ts = firstMs; ts < Math.min(end, PRESENT_MS); ts += MINUTE_MS) {
    const openTs = intervalStart(ts, candleIntervalsMs[interval]);
    found.set(openTs, [...(found.get(openTs) ?? []), minuteOf(ts)]);
  }
  return found;
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

function candlesOf(asked: Asked) {
  return [...minutesOf(asked)].map(([ts, minutes]) => ({
    ts,
    open: minutes[0]!,
    high: Math.max(...minutes),
    low: Math.min(...minutes),
    close: minutes.at(-1)!,
    volume: sumOf(minutes),
    buyVolume: sumOf(minutes) / 2,
    notionalUsd: sumOf(minutes) * 10,
    trades: minutes.length,
    buyTrades: minutes.length * 2,
    liqLongUsd: sumOf(minutes) * 3,
    liqShortUsd: sumOf(minutes) * 4,
    complete: true,
    byMarket: { 'okx:BTC': [sumOf(minutes), sumOf(minutes) / 2] },
  }));
}

function pointsOf(asked: Asked) {
  let cvd = 0;
  return [...minutesOf(asked)].map(([ts, minutes]) => {
    const delta = sumOf(minutes);
    cvd += delta;
    const scope = { deltaCoins: delta, deltaUsd: delta, cvdCoins: cvd, cvdUsd: cvd };
    return {
      ts,
      complete: true,
      markets: { 'okx:BTC': [delta, delta] },
      perp: scope,
      spot: scope,
      all: scope,
    };
  });
}

/** A service that has each interval as it became, requested as of a time. */
function openAt(nowMs: number) {
  const clock = new ReplayClock(new ManualClock(PRESENT_MS), { startMs: nowMs, speed: 1 });
  const asked: string[] = [];
  const fetch = (input: unknown): Promise<Response> => {
    const { pathname, searchParams } = new URL(String(input));
    const numberOf = (name: string, fallback: number): number => Number(searchParams.get(name) ?? fallback);
    const query = {
      interval: (searchParams.get('interval') ?? '1m') as Asked['interval'],
      start: numberOf('start', 0),
      end: numberOf('end', PRESENT_MS),
    };
    asked.push(`${query.interval} until ${(query.end - OPEN_TS) / MINUTE_MS}`);
    const data = pathname.endsWith('/candles')
      ? candlesOf(query).slice(-numberOf('limit', 1_000))
      : { start: query.start, points: pointsOf(query) };
    return Promise.resolve(Response.json({ data, meta: {} }));
  };
  const options = { url: 'http://service', fetch, retries: 0 };
  const windows = new RecordedWindows(new Client(options), clock);
  return { client: new ReplayClient(options, clock, windows), asked };
}

it('has the candle of several markets as it was in progress, and not as it became', async () => {
  const { client, asked } = openAt(NOW_MS);
  const query = { market: 'perp:BTC', interval: '4h', limit: 2 } as const;
  const { data } = await client.get('/candles', query);
  const [closed, open] = data.slice(-2);
  expect(data).toHaveLength(3);
  expect(closed).toMatchObject(candlesOf({ interval: '4h', start: OPEN_TS - 4 * HOUR_MS, end: OPEN_TS })[0]!);
  // All whole minutes, without duplicates.
  const whole = { interval: '4h', start: OPEN_TS, end: OPEN_TS + 125 * MINUTE_MS } as const;
  expect(open).toEqual(candlesOf(whole)[0]);
  expect(asked).toEqual(['4h until 0', '1h until 120', '1m until 125']);
  // Finished intervals are not requested again, except for the minutes.
  await client.get('/candles', query);
  expect(asked.splice(3)).toEqual(['1m until 125']);
  // The trades of a single market carry its candle on.
  await client.get('/candles', { ...query, market: 'okx:BTC' });
  expect(asked.slice(3)).toEqual(['4h until 0']);
});

it('has the deltas of the interval in progress, after those that were requested', async () => {
  const { client } = openAt(NOW_MS);
  const whole = { interval: '4h', start: OPEN_TS, end: OPEN_TS + 125 * MINUTE_MS } as const;
  const deltaOf = async (query: Partial<QueryOf<'/flows/cvd'>>) =>
    (await client.get('/flows/cvd', { coin: 'BTC', interval: '4h', ...query })).data;
  const long = await deltaOf({ start: OPEN_TS - 4 * HOUR_MS });
  expect(long.points).toEqual(pointsOf({ ...whole, start: OPEN_TS - 4 * HOUR_MS }));
  // Again and again, from the interval in progress on.
  const newest = await deltaOf({ start: OPEN_TS });
  expect(newest).toEqual({ start: OPEN_TS, points: pointsOf(whole) });
  const older = await deltaOf({ start: OPEN_TS - 8 * HOUR_MS, end: OPEN_TS });
  expect(older.points.at(-1)?.ts).toBe(OPEN_TS - 4 * HOUR_MS);
});

it('has nothing in progress before the first minute is over', async () => {
  const { client, asked } = openAt(OPEN_TS + 30_000);
  const { data } = await client.get('/candles', { market: 'all:BTC', interval: '4h', limit: 1 });
  expect(data.map(({ ts }) => ts)).toEqual([OPEN_TS - 4 * HOUR_MS]);
  expect(asked).toEqual(['4h until 0']);
});

it('reads an interval as whole hours, then whole minutes', () => {
  const lengths = (nowMs: number) =>
    partsOf(OPEN_TS, nowMs).map(({ interval, start, end }) => [interval, (end - start) / MINUTE_MS]);
  expect(lengths(OPEN_TS + 30_000)).toEqual([]);
  expect(lengths(OPEN_TS + 90_000)).toEqual([['1m', 1]]);
  expect(lengths(OPEN_TS + HOUR_MS)).toEqual([['1h', 60]]);
  expect(lengths(NOW_MS)).toEqual([
    ['1h', 120],
    ['1m', 5],
  ]);
});

it('is complete where all parts are, and reports a known gap even if another part is unknown', () => {
  const [candle] = candlesOf({ interval: '1h', start: OPEN_TS, end: OPEN_TS + HOUR_MS });
  const joined = (...completes: readonly (boolean | null)[]) =>
    joinCandles(
      OPEN_TS,
      completes.map((complete) => ({ ...candle!, origin: 'tape', complete })),
    )?.complete;
  expect([joined(true, true), joined(true, null), joined(null, true)]).toEqual([true, null, null]);
  expect([joined(null, false), joined(false, null), joined(true, false, true)]).toEqual([
    false,
    false,
    false,
  ]);
});

it('keeps the answers that were used last', async () => {
  const answers = new KeptAnswers();
  const loaded: string[] = [];
  const get = (key: string): Promise<string> =>
    answers.get(key, () => {
      loaded.push(key);
      return Promise.resolve(key);
    });
  for (let i = 0; i < 40; i += 1) await get(`${i}`);
  await get('0');
  await get('another');
  loaded.length = 0;
  expect([await get('0'), await get('1')]).toEqual(['0', '1']);
  expect(loaded).toEqual(['1']);
});
