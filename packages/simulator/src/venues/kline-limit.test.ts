import { expect, it } from 'vitest';
import { type KlineSource, readKlines } from './klines.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const TRADES_PER_HOUR = 90_000;
const NOW_MS = Date.UTC(2026, 10, 16, 14);

/** Busy, and its trades are not looked at here. */
const tape = {
  nextAt: (atMs: number) => Math.floor((atMs / HOUR_MS) * TRADES_PER_HOUR),
  read: () => [],
};
const source = { market: { tape }, read: () => ({ price: 1, size: 1 }) } as unknown as KlineSource;

async function minutesOf(hours: number): Promise<number> {
  const klines = await readKlines(
    { trades: { untilMs: NOW_MS } } as Parameters<typeof readKlines>[0],
    source,
    {
      intervalMs: MINUTE_MS,
      fromMs: NOW_MS - hours * HOUR_MS,
      toMs: NOW_MS - 1,
      hasEmpty: true,
    },
  );
  return klines.length;
}

it('answers the last hours of a busy market whole, and longer times as if it had been listed later', async () => {
  expect(await minutesOf(3)).toBe(180);
  const listed = await minutesOf(10);
  expect(listed).toBeGreaterThan(55);
  expect(listed).toBeLessThan(75);
});
