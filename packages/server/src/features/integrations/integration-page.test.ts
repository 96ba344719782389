import { ManualClock } from '@crosstape/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { CallerSlots } from '../../platform/caller-slots.ts';
import { aggregateSlots } from '../candles/members.ts';
import { readBars } from './aggr.ts';
import { type IntegrationVisit, readCandlePages } from './integration-page.ts';
import { TapeBars } from './tape-bars.ts';
import { readHistory } from './udf-history.ts';

/** Candles with a start of every whole number below `end`. */
function visitOf(limits: number[]): Pick<IntegrationVisit, 'rest' | 'context'> {
  const get = async (_: string, { start = 0, end, limit }: Record<string, number>) => {
    limits.push(limit as number);
    const first = Math.max(start, (end as number) - (limit as number));
    const data = Array.from({ length: (end as number) - first }, (_row, i) => ({ ts: first + i }));
    return { data, meta: { nextEnd: first > start ? first : null } };
  };
  return { rest: { get }, context: { caller: '' } } as unknown as IntegrationVisit;
}

it('reads many candles in pages, as if it were one', async () => {
  const limits: number[] = [];
  const query = { market: 'all:BTC', interval: '1m', end: 5_000 };
  const rows = await readCandlePages(visitOf(limits), query, 2_500);
  expect(rows.map(({ ts }) => ts)).toEqual(Array.from({ length: 2_500 }, (_, i) => 2_500 + i));
  expect(limits).toEqual([1_000, 1_000, 500]);
  expect(await readCandlePages(visitOf([]), { ...query, start: 3_800 }, 10_000)).toHaveLength(1_200);
});

describe('long histories for other programs', () => {
  const historyTurns = new CallerSlots({ ...aggregateSlots, clock: new ManualClock(0) });
  const markets = {
    primary: { ticks: { coins: async () => ['BTC'] } },
    list: async () => [],
    read: () => ({}),
  };
  let reading = 0;
  let most = 0;
  beforeEach(() => {
    most = 0;
  });
  const get = async () => {
    reading += 1;
    most = Math.max(most, reading);
    await new Promise((resolve) => setImmediate(resolve));
    reading -= 1;
    return { data: [{ ts: 0 }], meta: { nextEnd: null } };
  };
  const historyVisit = (caller: string, seconds: number): IntegrationVisit => {
    const params = new URLSearchParams(`symbol=HYPERLIQUID:BTC&resolution=1&from=0&to=${seconds}`);
    const parts = ['aggr', 'historical', '0', `${seconds}000`, '60000', 'HYPERLIQUID:BTC'];
    const resources = { historyTurns, markets, primaryVenue: 'hyperliquid' };
    const context = { caller, resources, latest: () => undefined };
    return { params, parts, context, rest: { get } } as unknown as IntegrationVisit;
  };
  const readers: readonly [string, (visit: IntegrationVisit) => Promise<unknown>][] = [
    ['aggr', readBars],
    ['TradingView', (visit) => readHistory(visit, new TapeBars())],
  ];

  it.each(readers)('are collected in turns: %s', async (_, read) => {
    const readAll = (callerOf: (i: number) => string): Promise<unknown> =>
      Promise.all(Array.from({ length: 20 }, (__, i) => read(historyVisit(callerOf(i), 600_000))));
    await readAll(() => '192.0.2.1');
    expect(most).toBe(1);
    await readAll((i) => `192.0.${i}.1`);
    expect(most).toBe(4);
  });

  it('leave short ones alone', async () => {
    const read = (): Promise<unknown> => readHistory(historyVisit('192.0.2.1', 6_000), new TapeBars());
    await Promise.all(Array.from({ length: 20 }, read));
    expect(most).toBe(20);
  });
});
