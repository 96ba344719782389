import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { hashOf, TradeIdentities } from './trade-identities.ts';

const trade = fc.record({
  venueTs: fc.integer({ min: 1_790_000_000_000, max: 1_790_000_000_040 }),
  tid: fc.oneof(fc.constant(0), fc.nat(20), fc.integer({ min: 2 ** 49, max: 2 ** 50 })),
  side: fc.constantFrom('buy' as const, 'sell' as const),
  price: fc.constantFrom(100, 100.5),
  size: fc.constantFrom(1, 2),
});

it('knows just the trades that were added, those without an id by what was traded', () => {
  const nameOf = ({ venueTs, tid, side, price, size }: Parameters<TradeIdentities['add']>[0]): string =>
    tid === 0 ? `${venueTs} ${side} ${price} ${size}` : `${venueTs} ${tid}`;
  fc.assert(
    fc.property(fc.array(trade, { maxLength: 200 }), fc.array(trade), (added, asked) => {
      const identities = new TradeIdentities();
      const names = new Set<string>();
      for (const one of added) {
        identities.add(one);
        names.add(nameOf(one));
        expect(identities.size).toBe(names.size);
      }
      for (const one of [...added, ...asked]) expect(identities.has(one)).toBe(names.has(nameOf(one)));
    }),
  );
});

it('spreads ids that come one after the other, and those that look random, over its slots', () => {
  for (const tidOf of [
    (i: number) => i + 1,
    (i: number) => (i + 1) * 2 ** 32,
    (i: number) => 7 ** (i % 17),
  ]) {
    const identities = new TradeIdentities();
    for (let i = 0; i < 50_000; i += 1)
      identities.add({ venueTs: 1_790_000_000_000 + i, tid: tidOf(i), side: 'buy', price: 1, size: 1 });
    // Were they not spread, this would take minutes.
    expect(identities.size).toBe(50_000);
  }
});

it('looks at as few slots for ids that rise with their times as for random ones', () => {
  const trades = 50_000;
  const looksOf = (tidOf: (i: number) => number): number => {
    const isTaken = new Uint8Array(2 ** 17);
    let looks = 0;
    for (let i = 0; i < trades; i += 1) {
      let slot = hashOf(1_794_951_818_867 + i, tidOf(i)) & (isTaken.length - 1);
      for (looks += 1; isTaken[slot] === 1; looks += 1) slot = (slot + 1) & (isTaken.length - 1);
      isTaken[slot] = 1;
      if (looks > 3 * trades) break;
    }
    return looks;
  };
  expect(looksOf((i) => 1 + ((i * 7_919) % 49_999) * 2 ** 35 + i)).toBeLessThan(2 * trades);
  // Most slots were taken when time and id were joined by an exclusive or: both rise by one.
  expect(looksOf((i) => 130_639_474 + i)).toBeLessThan(2 * trades);
});
