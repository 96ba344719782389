import { gzipSync } from 'node:zlib';
import {
  barAt,
  barSeconds,
  type BarSpec,
  createBuilder,
  DAY_MS,
  encodePack,
  validateSpec,
} from '@crosstape/core';
import { expect, it } from 'vitest';
import { ticksOf, tradesFrom } from '../audit/testing/recorded-hour.ts';
import { DayBars, firstPosition, JoinedDays } from './day-bars.ts';
import type { IntegrationVisit } from './integration-page.ts';
import { TapeBars } from './tape-bars.ts';

const DAY = Date.UTC(2026, 10, 16);

/** Closed bars that open at these seconds of the day, and one in progress. */
function barsAt(seconds: readonly number[]) {
  const check = validateSpec('tick', { trades: 1 }, 0.1);
  const { spec } = check as { spec: BarSpec };
  const builder = createBuilder(spec);
  const [one] = tradesFrom(DAY, 1);
  if (!one) throw new Error('there is no trade');
  const trades = seconds.map((second, i) => ({ ...one, ts: DAY + second * 1_000, price: 100 + i }));
  builder.add(ticksOf(trades).columns);
  const last = builder.bars.length - 1;
  const open = barAt(builder.bars, last);
  builder.bars.length = last;
  return { builder, bars: builder.bars, open };
}

const all = (list: { length: number; at: DayBars['at'] }) =>
  Array.from({ length: list.length }, (_, i) => list.at(i)!);

it('gives bars the same seconds when they are appended as when they are read at once', () => {
  const seconds = [1.2, 1.4, 1.9, 3, 9, 86_398.5, 86_399.1, 86_399.2, 86_399.3];
  const openTs = seconds.map((second) => DAY + second * 1_000);
  const day = new DayBars(DAY);
  for (const end of [2, 5, 6, 9]) {
    const from = Math.max(0, day.length - 1);
    const { bars, open } = barsAt(seconds.slice(from, end));
    day.add(bars, open);
    expect(all(day).map(({ time }) => time)).toEqual(barSeconds(openTs.slice(0, end), end, DAY));
  }
  expect(all(day).map((bar) => bar.openTs)).toEqual(openTs);
  expect([day.at(-1), day.at(9)]).toEqual([undefined, undefined]);
});

it('grows to a bar for each second of the day, and refuses more', () => {
  const day = new DayBars(DAY);
  const { bars, open } = barsAt(Array.from({ length: 1_001 }, (_, i) => i * 80));
  for (let i = 0; i < 86; i += 1) day.add(bars, null);
  expect([day.length, day.at(85_999)?.close]).toEqual([86_000, 1_099]);
  expect(day.bytes).toBeLessThan(8 * 2 ** 20);
  expect(() => day.add(bars, open)).toThrow('choose larger ones');
  expect(day.length).toBe(86_000);
});

it('joins days, and finds a bar in them', () => {
  const [older, newer] = [new DayBars(DAY), new DayBars(DAY)];
  const [first, second] = [barsAt([10, 20]), barsAt([30, 40, 50])];
  older.add(first.bars, first.open);
  newer.add(second.bars, second.open);
  const joined = new JoinedDays();
  joined.prepend(newer, DAY + 50_000);
  joined.prepend(older, DAY + 50_000);
  const at = (position: number) => (joined.at(position)?.openTs ?? NaN) - DAY;
  expect([joined.length, at(0), at(1), at(2), at(3), at(4)]).toEqual([
    4,
    10_000,
    20_000,
    30_000,
    40_000,
    NaN,
  ]);
  const from = (ms: number) => firstPosition(joined, ({ openTs }) => openTs >= DAY + ms);
  expect([from(0), from(10_001), from(40_000), from(40_001)]).toEqual([0, 1, 3, 4]);
});

it('keeps the days that were used last, within a number of bytes', async () => {
  const { builder, bars } = barsAt([10, 20]);
  const stats = { trades: 2, bars: 1, firstTs: DAY, lastTs: DAY, gaps: [], degraded: false };
  const pack = { coin: 'BTC', spec: builder.spec, bars, open: null, state: builder.state() };
  const result = { pack: gzipSync(encodePack({ ...pack, stats: { ...stats, tick: 0.1, buildMs: 1 } })) };
  const visit = {
    rest: {
      build: async () => ({ data: { jobId: 'job' } }),
      ended: async () => ({ status: 'done', resultKey: 'key', submittedAt: DAY + 10 * DAY_MS }),
    },
    context: {
      nowMs: DAY + 10 * DAY_MS,
      waitUntil: async () => {},
      latest: () => ({ rows: [{ coin: 'BTC' }] }),
      resources: {
        primaryVenue: 'hyperliquid',
        markets: {
          list: async () => [],
          read: () => ({ venue: 'hyperliquid', kind: 'perp', symbol: 'BTC' }),
          primary: { ticks: {} },
        },
        rotations: { result: async () => result },
      },
    },
  } as unknown as IntegrationVisit;
  const series = { market: 'hyperliquid:BTC', bars: { kind: 'tick', params: { trades: 1 } } } as const;
  const tape = new TapeBars(2 * new DayBars(DAY).bytes);
  const days = [0, 1, 2].map((i) => DAY + i * DAY_MS) as [number, number, number];
  for (const day of [days[0], days[1], days[0], days[2]]) await tape.day(visit, series, day);
  expect(days.map((day) => tape.has(series, day))).toEqual([true, false, true]);
});
