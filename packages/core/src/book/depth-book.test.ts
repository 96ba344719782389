import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32 } from '../crc32.ts';
import { type BookLevel, DEPTH_LEVELS_MAX, DepthBook } from './index.ts';
import { runs } from '../../../../test/runs.ts';

const level = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 5 }), fc.constant(0));
const side = fc.array(level, { maxLength: 30 });

test('a book of changes has the levels that a map of prices has, best first', () => {
  const changes = fc.array(fc.record({ isSnapshot: fc.boolean(), bids: side, asks: side }), {
    maxLength: 10,
  });
  fc.assert(
    fc.property(changes, (messages) => {
      const book = new DepthBook();
      const [bids, asks] = [new Map<number, BookLevel>(), new Map<number, BookLevel>()];
      for (const { isSnapshot, ...sides } of messages) {
        // A snapshot has every price once.
        const once = (levels: readonly BookLevel[]) => [
          ...new Map(levels.map((one) => [one[0], one])).values(),
        ];
        const message = isSnapshot ? { bids: once(sides.bids), asks: once(sides.asks) } : sides;
        book.apply({ isSnapshot, ...message });
        for (const [map, levels] of [
          [bids, message.bids],
          [asks, message.asks],
        ] as const) {
          if (isSnapshot) map.clear();
          for (const one of levels) {
            if (one[1] === 0) map.delete(one[0]);
            else map.set(one[0], one);
          }
        }
      }
      const best = book.best(20);
      expect(best.bids).toEqual([...bids.values()].toSorted(([a], [b]) => b - a).slice(0, 20));
      expect(best.asks).toEqual([...asks.values()].toSorted(([a], [b]) => a - b).slice(0, 20));
      const {
        bids: [bid],
        asks: [ask],
      } = book.bestUncrossed(1);
      expect(bid === undefined || ask === undefined || bid[0] < ask[0]).toBe(true);
      if (!book.isCrossed) expect(book.bestUncrossed(20)).toEqual(best);
    }),
    { numRuns: runs(200), seed: 4 },
  );
});

test('what overlaps is matched level by level', () => {
  const book = new DepthBook();
  book.apply({
    isSnapshot: true,
    bids: [
      [102, 3, 1],
      [101, 1, 1],
      [99, 5, 1],
    ],
    asks: [
      [101, 2, 1],
      [102, 4, 1],
    ],
  });
  expect(book.isCrossed).toBe(true);
  expect(book.bestUncrossed(5)).toEqual({
    bids: [
      [101, 1, 1],
      [99, 5, 1],
    ],
    asks: [[102, 3, 1]],
  });
});

test('a side that lost levels knows nothing beyond them, and is too short when they would be among the best', () => {
  const book = new DepthBook();
  const asks = Array.from({ length: DEPTH_LEVELS_MAX + 1 }, (_, i): BookLevel => [i + 1, 1, 0]);
  book.apply({ isSnapshot: true, bids: [], asks });
  const remove = (from: number, to: number): void =>
    book.apply({
      isSnapshot: false,
      bids: [],
      asks: asks.slice(from, to).map(([price]): BookLevel => [price, 0, 0]),
    });
  remove(0, DEPTH_LEVELS_MAX - 20);
  expect(book.isTooShort(20)).toBe(false);
  // Whether changes before it are missing is unknown.
  book.apply({ isSnapshot: false, bids: [], asks: [[DEPTH_LEVELS_MAX + 2, 1, 0]] });
  remove(DEPTH_LEVELS_MAX - 20, DEPTH_LEVELS_MAX - 19);
  expect(book.best(30).asks).toHaveLength(19);
  expect(book.isTooShort(20)).toBe(true);
  book.apply({ isSnapshot: true, bids: [], asks: [[1, 1, 0]] });
  expect(book.isTooShort(20)).toBe(false);
});

test('a checksum is that of CRC-32', () => {
  expect(crc32('123456789')).toBe(0xcbf43926);
});
