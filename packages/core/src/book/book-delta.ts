import type { BookLevel, BookSides } from './book.ts';

/** The levels that differ in `after`, best first; a removed one has size and count 0. */
export function bookDelta(before: BookSides, after: BookSides): BookSides {
  return {
    bids: sideDelta(before.bids, after.bids, (price, than) => price > than),
    asks: sideDelta(before.asks, after.asks, (price, than) => price < than),
  };
}

/** The book after the changes, in any order. */
export function applyDelta(book: BookSides, delta: BookSides): BookSides {
  return {
    bids: changedSide(book.bids, delta.bids).toSorted(([a], [b]) => b - a),
    asks: changedSide(book.asks, delta.asks).toSorted(([a], [b]) => a - b),
  };
}

function sideDelta(
  before: readonly BookLevel[],
  after: readonly BookLevel[],
  isBetter: (price: number, than: number) => boolean,
): readonly BookLevel[] {
  const changes: BookLevel[] = [];
  let next = 0;
  const removeWhile = (isGone: (price: number) => boolean): void => {
    for (let old = before[next]; old && isGone(old[0]); old = before[next]) {
      changes.push([old[0], 0, 0]);
      next += 1;
    }
  };
  for (const level of after) {
    const [price, size, count] = level;
    removeWhile((old) => isBetter(old, price));
    const old = before[next];
    const isKept = old?.[0] === price;
    if (isKept) next += 1;
    if (!isKept || old[1] !== size || old[2] !== count) changes.push(level);
  }
  removeWhile(() => true);
  return changes;
}

function changedSide(side: readonly BookLevel[], changes: readonly BookLevel[]): readonly BookLevel[] {
  const levels = new Map(side.map((level) => [level[0], level]));
  for (const level of changes) {
    if (level[1] === 0) levels.delete(level[0]);
    else levels.set(level[0], level);
  }
  return [...levels.values()];
}
