import { createTickColumns, encodeTicks, type TickColumns } from '@crosstape/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { gzipChunk } from '../tape/chunk-gzip.ts';
import { countTrades } from './count-trades.ts';

const T = 1_790_000_000_000;
const CHUNK_TRADES = 8;

function columnsOf(times: readonly number[]): TickColumns {
  const columns = createTickColumns(times.length);
  columns.length = times.length;
  times.forEach((ts, i) => {
    columns.ts[i] = ts;
    columns.price[i] = 100;
    columns.size[i] = 1;
  });
  return columns;
}

/** A tape with trades at these times, in order, the last few unsealed. */
function tapeOf(times: readonly number[]) {
  const sealed = Math.floor(times.length / CHUNK_TRADES) * CHUNK_TRADES;
  const chunks = Array.from({ length: sealed / CHUNK_TRADES }, (_, i) => {
    const own = times.slice(i * CHUNK_TRADES, (i + 1) * CHUNK_TRADES);
    const [startTs, endTs] = [own[0] as number, own.at(-1) as number];
    return { startTs, endTs, trades: own.length, data: gzipChunk(encodeTicks(columnsOf(own))) };
  });
  const within = (from: number, to: number) =>
    chunks.filter(({ startTs, endTs }) => endTs >= from && startTs < to);
  const ticks = {
    names: async (_: string, from: number, to: number) => within(from, to),
    chunks: async (_: string, from: number, to: number) => within(from, to).slice(0, 1),
  };
  const tape = { unsealed: async () => ({ columns: columnsOf(times.slice(sealed)) }) };
  return { ticks, tape } as unknown as Parameters<typeof countTrades>[0];
}

it('counts the trades of each of many spans', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.nat(500), { maxLength: 100 }),
      fc.uniqueArray(fc.nat(500), { minLength: 2, maxLength: 20 }),
      fc.integer({ min: 1, max: 3 }),
      async (trades, edges, step) => {
        const times = trades.toSorted((a, b) => a - b).map((ms) => T + ms);
        const cuts = edges.toSorted((a, b) => a - b).map((ms) => T + ms);
        // With a step of more than one there is time between the spans.
        const spans = cuts
          .slice(1)
          .flatMap((to, i) => (i % step === 0 ? [{ from: cuts[i] as number, to }] : []));
        const expected = spans.map(({ from, to }) => times.filter((ts) => from <= ts && ts < to).length);
        expect(await countTrades(tapeOf(times), 'BTCUSDT', spans)).toEqual(expected);
      },
    ),
    { numRuns: 100, seed: 6 },
  );
});

it('lets other work continue between the chunks that it opens', async () => {
  const times = Array.from({ length: 50 * CHUNK_TRADES }, (_, i) => T + i);
  // Each span ends within a chunk.
  const spans = Array.from({ length: 50 }, (_, i) => ({
    from: T + i * CHUNK_TRADES,
    to: T + i * CHUNK_TRADES + 5,
  }));
  let turns = 0;
  let isCounting = true;
  const turn = (): void => {
    turns += 1;
    if (isCounting) setImmediate(turn);
  };
  setImmediate(turn);
  const counts = await countTrades(tapeOf(times), 'BTCUSDT', spans);
  isCounting = false;
  expect(counts).toEqual(spans.map(() => 5));
  expect(turns).toBeGreaterThanOrEqual(49);
});
