import { expect, it } from 'vitest';
import type { Rest } from '../mcp/rest.ts';
import { readCandlePages } from './door-page.ts';

/** Candles with a start of every whole number below `end`. */
function restOf(limits: number[]): Rest {
  const get = async (_: string, { start = 0, end, limit }: Record<string, number>) => {
    limits.push(limit as number);
    const first = Math.max(start, (end as number) - (limit as number));
    const data = Array.from({ length: (end as number) - first }, (_row, i) => ({ ts: first + i }));
    return { data, meta: { nextEnd: first > start ? first : null } };
  };
  return { get } as unknown as Rest;
}

it('reads many candles in pages, as if it were one', async () => {
  const limits: number[] = [];
  const query = { market: 'all:BTC', interval: '1m', end: 5_000 };
  const rows = await readCandlePages(restOf(limits), query, 2_500);
  expect(rows.map(({ ts }) => ts)).toEqual(Array.from({ length: 2_500 }, (_, i) => 2_500 + i));
  expect(limits).toEqual([1_000, 1_000, 500]);
  expect(await readCandlePages(restOf([]), { ...query, start: 3_800 }, 10_000)).toHaveLength(1_200);
});
