import { array, assert, boolean, constantFrom, integer, property, record, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyDelta,
  BOOK_LEVELS_MAX,
  type BookLevel,
  bookDelta,
  mergeBook,
  type VenueBook,
} from './index.ts';

const TOP = 5;

/** A book around a mid that lies between ticks, with gaps, of the given depth or shallower. */
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
  it('turns any book into the next one exactly', () => {
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

  it('survives a round trip through JSON', () => {
    assert(
      property(full, full, (before, after) => {
        const reported = JSON.parse(JSON.stringify(bookDelta(before, after)));
        expect(applyDelta(before, reported)).toEqual({ bids: after.bids, asks: after.asks });
      }),
    );
  });
});

describe('a merged book', () => {
  it('is sorted, uncrossed and no deeper than is served', () => {
    assert(
      property(full, top, integer({ min: -1, max: 1 }), (deep, quick, lag) => {
        const { bids, asks } = mergeBook({ full: at(deep, 1_000), top: at(quick, 1_000 + lag) })!;
        for (const side of [bids, asks]) expect(side.length).toBeLessThanOrEqual(BOOK_LEVELS_MAX);
        for (const [i, [price]] of bids.entries()) if (i > 0) expect(price).toBeLessThan(bids[i - 1]![0]);
        for (const [i, [price]] of asks.entries()) if (i > 0) expect(price).toBeGreaterThan(asks[i - 1]![0]);
        if (bids[0] && asks[0]) expect(bids[0][0]).toBeLessThan(asks[0][0]);
      }),
    );
  });

  it('begins with the newest top, and has the full view below it', () => {
    assert(
      property(full, top, (deep, quick) => {
        const book = mergeBook({ full: at(deep, 1_000), top: at(quick, 1_500) })!;
        expect([book.ts, book.deepTs]).toEqual([1_500, 1_000]);
        for (const side of ['bids', 'asks'] as const) {
          const [best, below] = [
            book[side].slice(0, quick[side].length),
            book[side].slice(quick[side].length),
          ];
          expect(best).toEqual(quick[side]);
          const worst = quick[side].at(-1)?.[0] ?? Number.NaN;
          const isBelow = ([price]: BookLevel): boolean => (side === 'bids' ? price < worst : price > worst);
          const deeper = quick[side].length < TOP ? [] : deep[side].filter(isBelow);
          expect(below).toEqual(deeper.slice(0, BOOK_LEVELS_MAX - TOP));
        }
      }),
    );
  });

  it('is the full view alone when that is newer, and the top alone when there is no other', () => {
    assert(
      property(full, top, (deep, quick) => {
        const { bids, asks } = deep;
        const alone = { bids, asks, ts: 2_000, deepTs: 2_000 };
        expect(mergeBook({ full: at(deep, 2_000), top: at(quick, 1_999) })).toEqual(alone);
        expect(mergeBook({ full: at(deep, 2_000) })).toEqual(alone);
        expect(mergeBook({ top: at(quick, 2_000) })).toEqual({
          bids: quick.bids,
          asks: quick.asks,
          ts: 2_000,
        });
        expect(mergeBook({})).toBeUndefined();
      }),
    );
  });

  it('drops what the price has passed over', () => {
    const side = (from: number, step: number): BookLevel[] =>
      Array.from({ length: 20 }, (_, i) => [from + i * step, 1, 1]);
    const deep = { coin: 'BTC', depth: 20, venueTs: 1, bids: side(99, -1), asks: side(100, 1) };
    const quick = {
      coin: 'BTC',
      depth: TOP,
      venueTs: 2,
      bids: side(110, -1).slice(0, TOP),
      asks: side(111, 1).slice(0, TOP),
    };
    const book = mergeBook({ full: deep, top: quick })!;
    expect(book.asks.map(([price]) => price)).toEqual([111, 112, 113, 114, 115, 116, 117, 118, 119]);
    expect(book.bids.slice(0, 7).map(([price]) => price)).toEqual([110, 109, 108, 107, 106, 99, 98]);
    expect(book.bids).toHaveLength(20);
  });

  it('is followed by deltas from any keyframe on', () => {
    const view = record({ isTop: boolean(), deep: full, quick: top, skewMs: constantFrom(0, 500) });
    assert(
      property(array(view, { minLength: 2, maxLength: 12 }), (views) => {
        let known: { full?: VenueBook; top?: VenueBook } = {};
        let shown = { bids: [] as readonly BookLevel[], asks: [] as readonly BookLevel[] };
        let followed = shown;
        for (const [i, { isTop, deep, quick, skewMs }] of views.entries()) {
          const venueTs = 1_000 * i + skewMs;
          known = isTop ? { ...known, top: at(quick, venueTs) } : { ...known, full: at(deep, venueTs) };
          const { bids, asks } = mergeBook(known)!;
          followed = applyDelta(followed, bookDelta(shown, { bids, asks }));
          shown = { bids, asks };
          expect(followed).toEqual(shown);
        }
      }),
    );
  });
});
