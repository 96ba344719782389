import fc from 'fast-check';
import { expect, it } from 'vitest';
import { foldPoints, type Point } from './fold-points.ts';

const point = (coin: string, exchange: string, value: number, fetchedAt = 0): Point => ({
  coin,
  exchange,
  value,
  byExchange: { [exchange]: value },
  fetchedAt,
});

it('sums each coin over the venues, and says what the sum is made of', () => {
  const points = [point('BTC', 'a', 0.1, 5), point('ETH', 'a', 7, 5), point('BTC', 'b', 0.2, 9)];
  expect(foldPoints(points)).toEqual([
    {
      coin: 'BTC',
      exchange: 'AGG',
      value: 0.3,
      byExchange: { a: 0.1, b: 0.2 },
      fetchedAt: 9,
      mean: 0.15,
      count: 2,
    },
    { coin: 'ETH', exchange: 'AGG', value: 7, byExchange: { a: 7 }, fetchedAt: 5, mean: 7, count: 1 },
  ]);
});

it('sums billions of dollars without the noise of floats', () => {
  const points = [point('BTC', 'a', 3_000_003_703.71), point('BTC', 'b', 1_200_000_231.93)];
  expect(foldPoints(points)[0]?.value).toBe(4_200_003_935.64);
});

it('loses nothing and invents nothing', () => {
  const some = fc.uniqueArray(
    fc.record({
      coin: fc.constantFrom('BTC', 'ETH', 'SOL'),
      exchange: fc.constantFrom('a', 'b', 'c', 'd'),
      value: fc.integer({ min: -1_000_000, max: 1_000_000 }),
    }),
    { selector: ({ coin, exchange }) => `${coin} ${exchange}` },
  );
  fc.assert(
    fc.property(some, (rows) => {
      const points = rows.map(({ coin, exchange, value }) => point(coin, exchange, value));
      const folded = foldPoints(points);
      expect(new Set(folded.map(({ coin }) => coin))).toEqual(new Set(rows.map(({ coin }) => coin)));
      for (const { value, byExchange, count, mean } of folded) {
        const parts = Object.values(byExchange);
        expect(parts).toHaveLength(count);
        expect(parts.reduce((sum, part) => sum + part, 0)).toBe(value);
        expect(mean).toBeCloseTo(value / count, 9);
      }
      expect(folded.reduce((sum, { count }) => sum + count, 0)).toBe(rows.length);
    }),
  );
});
