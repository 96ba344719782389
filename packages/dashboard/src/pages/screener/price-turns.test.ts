import { expect, it } from 'vitest';
import { PriceTurns, TURNS } from './price-turns.ts';

it('shows the newest price of each coin within a round, a part of the coins in each turn', () => {
  const turns = new PriceTurns();
  const coins = Array.from({ length: 3 * TURNS }, (_, i) => `C${i}`);
  for (const coin of coins) turns.take({ coin, price: 1, ts: 1 });
  expect([...turns.next().keys()]).toEqual(['C0', 'C1', 'C2']);
  // Those that were shown wait for all others.
  for (const coin of coins) turns.take({ coin, price: 2, ts: 2 });
  expect([...turns.next()].slice(2)).toEqual([
    ['C2', { price: 1, ts: 1 }],
    ...['C3', 'C4', 'C5'].map((coin) => [coin, { price: 2, ts: 2 }]),
  ]);
  for (let turn = 2; turn < TURNS; turn += 1) turns.next();
  expect([turns.next().get('C0'), turns.hasWaiting]).toEqual([{ price: 2, ts: 2 }, false]);
});

it('leaves out a trade that is older than the previous one', () => {
  const turns = new PriceTurns();
  turns.take({ coin: 'BTC', price: 2, ts: 2 });
  turns.take({ coin: 'BTC', price: 1, ts: 1 });
  expect(turns.next().get('BTC')).toEqual({ price: 2, ts: 2 });
  expect(turns.hasWaiting).toBe(false);
});

it('shows the later of two trades of one millisecond', () => {
  const turns = new PriceTurns();
  turns.take({ coin: 'BTC', price: 1, ts: 1 });
  turns.take({ coin: 'BTC', price: 2, ts: 1 });
  expect(turns.next().get('BTC')).toEqual({ price: 2, ts: 1 });
});
