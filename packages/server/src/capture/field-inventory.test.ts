import { expect, it } from 'vitest';
import { FieldCounter } from './field-inventory.ts';

const samples = new FieldCounter()
  .add({
    code: 0,
    list: [
      { symbol: 'A', price: '1', note: null },
      { symbol: 'B', price: '2' },
    ],
  })
  .inventory();

it('lists every field with its types, and marks those that all objects have', () => {
  expect(samples).toEqual({
    code: 'n!',
    list: 'a!',
    'list[].note': 'z',
    'list[].price': 's!',
    'list[].symbol': 's!',
  });
});

it('takes keys that are symbols, ids or dates for data', () => {
  const byKey = { markets: { 'BTC-USD': { oi: 1 }, 'ETH-USD': { oi: 2 } }, result: { XXBTZUSD: ['1'] } };
  expect(new FieldCounter().add(byKey).inventory()).toEqual({
    markets: 'o!',
    'markets{}.oi': 'n!',
    result: 'o!',
  });
  // Names of one or two letters are names.
  expect(new FieldCounter().add({ E: 1, o: { S: 'SELL', ap: '1' } }).inventory()).toEqual({
    E: 'n!',
    o: 'o!',
    'o.S': 's!',
    'o.ap': 's!',
  });
});

it('finds fields and types that no sample has', () => {
  const seen = new FieldCounter().add({
    code: 0,
    list: [{ symbol: 'A', price: 1.5, tier: { min: 1 } }],
    extra: [{ a: 1 }],
  });
  expect(seen.unseenIn(samples)).toEqual([
    'list[].price is number, known as string',
    'list[].tier (object)',
    'extra (array)',
  ]);
  expect(new FieldCounter().add({ code: 0, list: [] }).unseenIn(samples)).toEqual([]);
});

it('finds fields that every sample has and that are missing, with how often', () => {
  const seen = new FieldCounter().add({ list: [{ symbol: 'A' }, { symbol: 'B', price: '2' }] });
  expect(seen.missingOf(samples)).toEqual(['code (in 1 of 1)', 'list[].price (in 1 of 2)']);
  // Nothing is missing without objects of its kind.
  expect(new FieldCounter().add({ code: 0, list: [] }).missingOf(samples)).toEqual([]);
});
