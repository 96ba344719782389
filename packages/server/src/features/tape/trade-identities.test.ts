import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { TradeIdentities } from './trade-identities.ts';

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

it('takes no longer for ids that rise with their times than for random ones', () => {
  const cpuUsOf = (tidOf: (i: number) => number): number => {
    const identities = new TradeIdentities();
    const before = process.cpuUsage();
    for (let i = 0; i < 50_000; i += 1)
      identities.add({ venueTs: 1_794_951_818_867 + i, tid: tidOf(i), side: 'buy', price: 1, size: 1 });
    return process.cpuUsage(before).user;
  };
  const randomUs = cpuUsOf((i) => 1 + ((i * 7_919) % 49_999) * 2 ** 35 + i);
  // Thirty times as long when time and id were joined by an exclusive or: both rise by one.
  expect(cpuUsOf((i) => 130_639_474 + i)).toBeLessThan(5 * randomUs + 200_000);
});
