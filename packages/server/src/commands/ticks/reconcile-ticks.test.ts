import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS, HOUR_MS, type Liquidation, type Trade } from '@crosstape/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Reconciliation } from '../../features/audit/reconcile.ts';
import type { InferredLiquidation } from '../../features/liquidations/inferred-liquidations.ts';
import { LiquidationTable } from '../../features/liquidations/liquidation-table.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { owner, TestFolder } from './test-folder.fixture.ts';

const YESTERDAY_MS = Math.floor(systemClock.now() / DAY_MS) * DAY_MS - DAY_MS;
const LATE_MS = 40;

let folder: TestFolder;
beforeEach(() => {
  folder = new TestFolder();
});
afterEach(() => folder.remove());

/** One fill of BTC at 100 USD; `order` is a liquidation when `isForced`. */
interface Fill {
  readonly atMs: number;
  readonly tid: number;
  readonly order: number;
  readonly size: number;
  readonly isForced: boolean;
}

const fills: readonly Fill[] = [
  { atMs: 1_000, tid: 11, order: 1, size: 2, isForced: true },
  { atMs: 1_000, tid: 12, order: 1, size: 3, isForced: true },
  { atMs: 2_000, tid: 13, order: 2, size: 9, isForced: false },
  { atMs: 3_000, tid: 14, order: 3, size: 4, isForced: true },
  // Reported by a node.
  { atMs: 4_000, tid: 15, order: 5, size: 7, isForced: true },
  // Before the feed was connected.
  { atMs: 100, tid: 10, order: 4, size: 1, isForced: true },
];

/** Both sides of each fill, as a node writes them. */
function writeFills(dayMs: number): string {
  const path = folder.name();
  const day = join(path, 'hourly', new Date(dayMs).toISOString().slice(0, 10).replaceAll('-', ''));
  mkdirSync(day, { recursive: true });
  const lines = fills.map(({ atMs, tid, order, size, isForced }) => {
    const fill = { coin: 'BTC', px: '100.0', sz: String(size), time: dayMs + atMs, tid };
    const mark = isForced && { liquidation: { liquidatedUser: '0xTAKER', markPx: '100', method: 'market' } };
    return JSON.stringify({
      events: [
        ['0xtaker', { ...fill, side: 'A', oid: order, crossed: true, ...mark }],
        ['0xmaker', { ...fill, side: 'B', oid: 1_000 + order, crossed: false, ...mark }],
      ],
    });
  });
  writeFileSync(join(day, '0'), lines.join('\n'));
  return path;
}

/** The tape has the trades later than the venue's time. */
function tapeOf(dayMs: number): readonly Trade[] {
  return fills
    .filter(({ atMs }) => atMs >= 500)
    .map(({ atMs, tid, size }, i, all) => ({
      ...owner,
      side: 'sell',
      price: 100,
      size,
      notionalUsd: 100 * size,
      ts: dayMs + atMs + LATE_MS,
      venueTs: dayMs + atMs,
      tid,
      sameOrder: i > 0 && all[i - 1]?.atMs === atMs,
    }));
}

const inferred = (dayMs: number, atMs: number, tid: number, size: number): InferredLiquidation => ({
  ...owner,
  side: 'sell',
  price: 100,
  size,
  notionalUsd: 100 * size,
  ts: dayMs + atMs + LATE_MS,
  inferred: true,
  tid,
  levels: 5,
  perDay: 3,
});

const measured = (dayMs: number, atMs: number, size: number): Liquidation => ({
  ...owner,
  side: 'sell',
  price: 100,
  size,
  notionalUsd: 100 * size,
  ts: dayMs + atMs,
  inferred: false,
});

async function reconcile(dayMs: number): Promise<{ result: Reconciliation; line: string }> {
  const data = await folder.record(tapeOf(dayMs));
  await folder.within(data, (store) =>
    new LiquidationTable(store).append(
      [inferred(dayMs, 1_000, 11, 5), inferred(dayMs, 2_000, 13, 9), measured(dayMs, 4_000, 7)],
      [{ venue: 'hyperliquid', from: dayMs + 500, to: dayMs + HOUR_MS }],
    ),
  );
  const day = new Date(dayMs).toISOString().slice(0, 10);
  const args = ['reconcile', '--data', data, '--day', day, '--fills', writeFills(dayMs)];
  const { out } = await folder.run(...args, '--json');
  const printed = await folder.run(...args);
  return {
    result: JSON.parse(out) as Reconciliation,
    line: printed.out.split('\n').find((text) => text.startsWith('inferred')) ?? '',
  };
}

it('scores the inferred liquidations on the marks of the chain', async () => {
  const { result, line } = await reconcile(YESTERDAY_MS);
  expect(result.total).toMatchObject({ chain: 6, matched: 5 });
  const score = {
    inferred: 2,
    correct: 1,
    marked: 2,
    found: 1,
    unwatched: 2,
    inferredUsd: 1_400,
    markedUsd: 900,
    precision: 0.5,
    recall: 0.5,
    notionalErrorPct: 55.5556,
  };
  expect(result.liquidations).toEqual({ total: score, coins: [{ coin: 'BTC', ...score }] });
  expect(line).toBe(
    'inferred liquidations: 2, 2 marked on the chain, precision 50.0 %, recall 50.0 %, notional error 55.6 %; 2 more are not scored',
  );
});

it('does not score a day whose inferred liquidations are no longer kept', async () => {
  const { result, line } = await reconcile(YESTERDAY_MS - 30 * DAY_MS);
  expect(result.total.matched).toBe(5);
  expect(result.liquidations).toBeUndefined();
  expect(line).toContain('not scored');
});
