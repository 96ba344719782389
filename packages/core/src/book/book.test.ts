import { array, assert, boolean, constantFrom, integer, property, record, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyDelta,
  BOOK_LEVELS_MAX,
  type BookLevel,
  type BookSides,
  bestLevels,
  bookDelta,
  type KnownBook,
  mergeBook,
  type VenueBook,
} from './index.ts';

const TOP = 5;

/** A book around a mid that lies between ticks, with gaps, as deep as told or shallower. */
function books(depth: number) {
  const steps = array(
    tuple(integer({ min: 1, max: 3 }), integer({ min: 1, max: 9 }), integer({ min: 1, max: 4 })),
    {
      maxLength: depth,
    },
  );
  return record({ mid: integer({ min: 200, max: 230 }), bids: steps, asks: steps }).map(
    ({ mid, bids, asks }): Omit<VenueBook, 'venueTs'> => ({
      coin: 'BTC',
      depth,
      bids: walk(bids, mid, -1),
      asks: walk(asks, mid, 1),
    }),
  );
}

function walk(steps: readonly [number, number, number][], mid: number, sign: number): BookLevel[] {
  let at = 0;
  return steps.map(([step, size, count]) => {
    at += step;
    return [(mid + sign * (at - 0.5)) / 8, size / 100, count];
  });
}

const full = books(BOOK_LEVELS_MAX);
const top = books(TOP);
const at = (book: Omit<VenueBook, 'venueTs'>, venueTs: number): VenueBook => ({ ...book, venueTs });

describe('a delta', () => {
  it('makes the next book of the one before, exactly, whatever the two are', () => {
    assert(
      property(full, full, ({ bids, asks }, after) => {
        const delta = bookDelta({ bids, asks }, after);
        expect(applyDelta({ bids, asks }, delta)).toEqual({ bids: after.bids, asks: after.asks });
        const reversed = { bids: delta.bids.toReversed(), asks: delta.asks.toReversed() };
        expect(applyDelta({ bids, asks }, reversed)).toEqual({ bids: after.bids, asks: after.asks });
      }),
    );
  });

  it('names no level that stayed as it was, and says size 0 of those that went, best first', () => {
    const before = {
      bids: [
        [10, 1, 1],
        [9, 2, 1],
        [8, 3, 2],
      ] as const,
      asks: [[11, 1, 1]] as const,
    };
    const after = {
      bids: [
        [10.5, 4, 1],
        [9, 2, 2],
        [8, 3, 2],
      ] as const,
      asks: [],
    };
    expect(bookDelta(before, after)).toEqual({
      bids: [
        [10.5, 4, 1],
        [10, 0, 0],
        [9, 2, 2],
      ],
      asks: [[11, 0, 0]],
    });
    expect(bookDelta(after, after)).toEqual({ bids: [], asks: [] });
  });

  it('survives being told as JSON', () => {
    assert(
      property(full, full, (before, after) => {
        const told = JSON.parse(JSON.stringify(bookDelta(before, after)));
        expect(applyDelta(before, told)).toEqual({ bids: after.bids, asks: after.asks });
      }),
    );
  });
});

/** The book after all views, in order. */
function merged(...views: readonly VenueBook[]): KnownBook {
  return views.reduce<KnownBook | undefined>(mergeBook, undefined)!;
}

const sides = ({ bids, asks }: BookSides): BookSides => ({ bids, asks });

/** `count` levels of size `size`, one apart. */
function side(from: number, step: number, count: number, size = 1): BookLevel[] {
  return Array.from({ length: count }, (_, i) => [from + i * step, size, 1]);
}

function view(mid: number, venueTs: number, depth: number): VenueBook {
  const bids = side(mid - 1, -1, depth, venueTs);
  return { coin: 'BTC', depth, venueTs, bids, asks: side(mid + 1, 1, depth, venueTs) };
}

const prices = (levels: readonly BookLevel[]): number[] => levels.map(([price]) => price);

describe('a merged book', () => {
  const views = array(record({ isTop: boolean(), deep: full, quick: top, lagMs: constantFrom(0, 700) }), {
    minLength: 1,
    maxLength: 12,
  }).map((rows) =>
    rows.map(({ isTop, deep, quick, lagMs }, i) => at(isTop ? quick : deep, 1_000 + 500 * i - lagMs)),
  );

  it('is sorted and uncrossed, and what is served of it is no deeper than it may be', () => {
    assert(
      property(views, (all) => {
        const known = merged(...all);
        expect(bestLevels(known).bids).toEqual(known.bids.slice(0, BOOK_LEVELS_MAX));
        expect(bestLevels(known).asks).toEqual(known.asks.slice(0, BOOK_LEVELS_MAX));
        const { bids, asks } = known;
        for (const [i, [price]] of bids.entries()) if (i > 0) expect(price).toBeLessThan(bids[i - 1]![0]);
        for (const [i, [price]] of asks.entries()) if (i > 0) expect(price).toBeGreaterThan(asks[i - 1]![0]);
        if (bids[0] && asks[0]) expect(bids[0][0]).toBeLessThan(asks[0][0]);
      }),
    );
  });

  it('begins with the newest view of the best levels, and has below it what was known there', () => {
    assert(
      property(views, top, (all, quick) => {
        const before = merged(at(all[0]!, 0), ...all);
        const book = mergeBook(before, at(quick, 60_000));
        expect([book.ts, book.deepTs]).toEqual([60_000, before.deepTs]);
        for (const name of ['bids', 'asks'] as const) {
          const [best, below] = [
            book[name].slice(0, quick[name].length),
            book[name].slice(quick[name].length),
          ];
          expect(best).toEqual(quick[name]);
          const worst = quick[name].at(-1)?.[0] ?? Number.NaN;
          const isBelow = ([price]: BookLevel): boolean => (name === 'bids' ? price < worst : price > worst);
          const isWhole = quick[name].length < TOP || before.deepTs === undefined;
          expect(below).toEqual(isWhole ? [] : before[name].filter(isBelow));
        }
      }),
    );
  });

  it('is a deep view alone from the moment that this is told', () => {
    assert(
      property(views, full, (all, deep) => {
        const book = mergeBook(merged(...all), at(deep, 60_000));
        expect(book).toEqual({ ...sides(deep), ts: 60_000, deepTs: 60_000 });
      }),
    );
  });

  it('keeps the best levels where a deep view that is told later is older', () => {
    const quick = view(102, 2_000, TOP);
    const book = merged(quick, view(100, 1_999, 20));
    expect(book).toMatchObject({ ts: 2_000, deepTs: 1_999 });
    expect(prices(book.bids)).toEqual([101, 100, 99, 98, 97, ...prices(side(96, -1, 17))]);
    expect(book.bids.map(([, size]) => size).slice(4, 6)).toEqual([2_000, 1_999]);
  });

  it('is no more than the best levels while no deep view has been told', () => {
    assert(
      property(top, top, (before, quick) => {
        const book = merged(at(before, 1_000), at(quick, 2_000));
        expect(book).toEqual({ ...sides(quick), ts: 2_000, top: at(quick, 2_000) });
      }),
    );
  });

  it('drops what the price has passed over, and keeps what was the best on the way', () => {
    const book = merged(view(100, 1, 20), view(104, 2, TOP), view(110, 3, TOP));
    expect(prices(book.asks)).toEqual(prices(side(111, 1, 10)));
    expect(prices(book.bids).slice(0, 12)).toEqual([109, 108, 107, 106, 105, 103, 102, 101, 100, 99, 98, 97]);
    const back = mergeBook(book, view(100, 4, TOP));
    expect(prices(back.bids)).toEqual(prices(side(99, -1, 20)));
    expect(prices(back.asks).slice(0, 6)).toEqual([101, 102, 103, 104, 105, 111]);
  });

  it('remembers no more levels than it may, however far the price runs', () => {
    const run = Array.from({ length: 100 }, (_, i) => view(100 + 10 * i, i + 1, TOP));
    expect(merged(view(100, 0, 20), ...run).bids).toHaveLength(200);
  });

  it('is followed by deltas from any keyframe on', () => {
    assert(
      property(views, (all) => {
        let shown: BookSides = { bids: [], asks: [] };
        let followed = shown;
        for (const i of all.keys()) {
          const next = bestLevels(merged(...all.slice(0, i + 1)));
          followed = applyDelta(followed, bookDelta(shown, next));
          shown = next;
          expect(followed).toEqual(shown);
        }
      }),
    );
  });
});
