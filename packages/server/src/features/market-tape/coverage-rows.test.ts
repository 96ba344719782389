import { expect, it } from 'vitest';
import type { CoinGap } from '../tape/tape-coverage.ts';
import type { ChosenTape } from './chosen-tape.ts';
import { coverageRows } from './coverage-rows.ts';

const T = 1_790_000_000_000;
const minute = { from: T, to: T + 60_000, state: 'partial' } as const;

/** The row of a partial minute without trades of a market with numbered trades. */
async function rowOf(...gaps: readonly CoinGap[]) {
  const tape = {
    coin: 'BTCUSDT',
    coverage: { gaps: async () => gaps, stretches: async () => [minute] },
    secondary: {
      market: { symbol: 'BTCUSDT', isCounted: true },
      ticks: { names: async () => [] },
      tape: { unsealed: async () => ({ columns: { length: 0 } }) },
    },
  };
  const [row] = await coverageRows(tape as unknown as ChosenTape, minute.from, minute.to);
  return row;
}

const late: CoinGap = { ...minute, reason: 'late', late: true };
const counted: CoinGap = { ...minute, reason: 'numbers', method: 'count', missing: 4 };
const uncounted: CoinGap = { ...minute, reason: 'no socket', method: 'socket' };

it('says how many trades there were where all that are missing are counted', async () => {
  expect((await rowOf(late))?.expectedTrades).toBe(0);
  expect((await rowOf(counted))?.expectedTrades).toBe(4);
  expect((await rowOf(late, counted))?.expectedTrades).toBe(4);
});

it('does not where some may be missing that are not', async () => {
  for (const gaps of [[uncounted], [late, uncounted], [counted, uncounted]])
    expect(await rowOf(...gaps)).not.toHaveProperty('expectedTrades');
  // It began before the minute.
  expect(await rowOf(late, { ...uncounted, from: T - 1 })).not.toHaveProperty('expectedTrades');
});
