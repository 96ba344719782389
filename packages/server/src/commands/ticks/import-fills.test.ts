import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { candleRow, DAY_MS, HOUR_MS } from '@crosstape/core';
import { createMarket, FillFiles, TradeColumns } from '@crosstape/simulator';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { ArchiveCatalog } from '../../features/archive/archive-catalog.ts';
import { CandleTable, hourLevel, minuteLevel } from '../../features/candles/candle-table.ts';
import { coverageRows } from '../../features/market-tape/coverage-rows.ts';
import { GapLedger } from '../../features/tape/gap-ledger.ts';
import { sealTail } from '../../features/tape/testing/seal-tail.ts';
import { TickTable } from '../../features/tape/tick-table.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { recordedCoverage } from './recorded-coverage.ts';
import { type Run, TestFolder } from './test-folder.fixture.ts';

const SECOND_DAY_MS = Math.floor(systemClock.now() / DAY_MS) * DAY_MS - 2 * DAY_MS;
const FROM_MS = SECOND_DAY_MS - HOUR_MS;
const TO_MS = SECOND_DAY_MS + HOUR_MS;
const simulated = createMarket({ seed: 5, rate: 0.02 });
const market = {
  ...simulated,
  coins: simulated.coins.filter(({ name }) => ['BTC', 'ETH', 'kPEPE'].includes(name)),
};

/** Written once: each test copies it. */
const written = new TestFolder();
beforeAll(() => new FillFiles(market, written.path).writeHours(FROM_MS, TO_MS));
afterAll(() => written.remove());

let folder: TestFolder;
let fills: string;
beforeEach(() => {
  folder = new TestFolder();
  fills = folder.name();
  cpSync(written.path, fills, { recursive: true });
});
afterEach(() => folder.remove());

function importInto(data: string, ...more: readonly string[]): Promise<Run> {
  const format = ['--format', 'hl-fills', '--fills', fills];
  return folder.run('import', '--data', data, '--upstream', 'live', ...format, ...more);
}

async function exported(data: string): Promise<readonly string[]> {
  return String(await folder.export(data, 'csv'))
    .split('\n')
    .slice(1, -1);
}

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** What a service would have recorded. */
function tapeOf(coin: string, toMs = TO_MS): { readonly lines: readonly string[]; readonly volume: number } {
  const columns = new TradeColumns(1 << 16);
  market.fill(coin, FROM_MS, toMs, columns);
  const { sizeDecimals } = market.coins.find(({ name }) => name === coin)!;
  const rows = Array.from({ length: columns.length }, (_, i) => i);
  const sizeOf = (i: number): number => columns.lots[i]! / 10 ** sizeDecimals;
  const lines = rows.map((i) => {
    const isSame = i > 0 && columns.order[i] === columns.order[i - 1];
    const side = columns.isBuy[i] === 1 ? 'buy' : 'sell';
    const price = columns.price[i]! / 10 ** (6 - sizeDecimals);
    return `${columns.ts[i]},${price},${sizeOf(i)},${side},${columns.tid[i]},,${isSame}`;
  });
  return { lines, volume: rows.reduce((sum, i) => sum + sizeOf(i), 0) };
}

it('imports days from before the record as the tape would have them, with candles and ledger', async () => {
  const data = folder.name();
  const { out } = await importInto(data);
  expect(out).toMatch(
    new RegExp(`^${dateOf(FROM_MS)}: \\d+ trades of \\d+ coins imported; 23 hours have no file\n`),
  );
  const { lines, volume } = tapeOf('BTC');
  expect(lines.length).toBeGreaterThan(50);
  expect(await exported(data)).toEqual(lines);
  await folder.within(data, async (store) => {
    const coverage = recordedCoverage(new GapLedger(store));
    const rows = await coverageRows({ coin: 'BTC', coverage }, FROM_MS - HOUR_MS, TO_MS);
    expect(rows).toEqual([
      { from: FROM_MS - HOUR_MS, to: FROM_MS, state: 'missing', reason: 'before the record begins' },
      { from: FROM_MS, to: TO_MS, state: 'refilled', reason: 'imported from the published fills' },
    ]);
    const table = new CandleTable(store);
    for (const level of [minuteLevel, hourLevel]) {
      const blocks = await table.newestBlocks(level, 'hyperliquid:BTC', FROM_MS, TO_MS, 10);
      const sum = blocks
        .flatMap(({ candles }) => candles)
        .reduce((total, one) => total + candleRow(one, null).volume, 0);
      expect(sum).toBeCloseTo(volume, 6);
    }
  });
  const day = dateOf(SECOND_DAY_MS);
  const reconciled = await folder.run('reconcile', '--data', data, '--day', day, '--fills', fills, '--json');
  const { total } = JSON.parse(reconciled.out) as { total: { chain: number; matched: number } };
  expect(total).toMatchObject({ missing: 0, extra: 0, different: 0, matched: total.chain });
});

it('continues where it was interrupted', async () => {
  const data = folder.name();
  const damaged = `${new FillFiles(market, fills).pathOf(SECOND_DAY_MS)}.lz4`;
  const whole = readFileSync(damaged);
  writeFileSync(damaged, 'no frame');
  await expect(importInto(data)).rejects.toThrow('0.lz4: not an LZ4 frame');
  writeFileSync(damaged, whole);
  const { out } = await importInto(data);
  expect(out.split('\n').slice(0, 2)).toEqual([
    `${dateOf(FROM_MS)}: imported before; --again imports what is no longer stored`,
    expect.stringMatching(`^${dateOf(SECOND_DAY_MS)}: \\d+ trades`),
  ]);
  expect(await exported(data)).toEqual(tapeOf('BTC').lines);
});

it('imports hours whose files are added later, and what was forgotten since with --again', async () => {
  const data = folder.name();
  await importInto(data);
  const toMs = TO_MS + 2 * HOUR_MS;
  await new FillFiles(market, fills).writeHours(TO_MS + HOUR_MS, toMs);
  expect((await importInto(data)).out).toMatch(/coins imported; 22 hours have no file\n/);
  await new FillFiles(market, fills).writeHours(TO_MS, TO_MS + HOUR_MS);
  expect((await importInto(data)).out).toMatch(/coins imported; 21 hours have no file\n/);
  const { lines } = tapeOf('BTC', toMs);
  expect(await exported(data)).toEqual(lines);
  await expect(importInto(data, '--again')).rejects.toThrow('nothing is imported over what is recorded');
  await folder.within(data, async (store) => {
    const table = new TickTable(store);
    for (const coin of await table.coins()) await sealTail(table, coin);
    await table.prune(toMs);
  });
  expect((await importInto(data)).out).not.toContain('trades of');
  await importInto(data, '--again');
  expect(await exported(data)).toEqual(lines);
});

it('imports nothing into a day that only the archive has', async () => {
  const data = folder.name();
  const member = { at: 0, bytes: 1, crc: 1 };
  const chunk = { startTs: TO_MS, endTs: TO_MS + 1, trades: 2, data: member, ids: member };
  const tape = { market: 'hyperliquid:BTC', sha256: 'a'.repeat(64), chunks: [chunk] };
  await folder.within(data, (store) => store.commit(new ArchiveCatalog(store).entering([], tape)));
  await expect(importInto(data)).rejects.toThrow(
    `the trades of BTC on ${dateOf(SECOND_DAY_MS)} are in the archive only; nothing is imported into that day`,
  );
});

it('enters into the ledger of candles where the tape begins now, and its gaps', async () => {
  const data = folder.name();
  const id = 'hyperliquid:BTC';
  const state = { tapeFrom: SECOND_DAY_MS + DAY_MS + 70 * 60_000, settledTo: SECOND_DAY_MS + 2 * DAY_MS };
  await folder.within(data, (store) => store.commit([new CandleTable(store).puttingState(id, state)]));
  writeFileSync(new FillFiles(market, fills).pathOf(TO_MS), 'not a line of fills');
  expect((await importInto(data)).out).toContain('1 lines could not be read');
  await folder.within(data, async (store) => {
    const table = new CandleTable(store);
    const partialTo = TO_MS + HOUR_MS;
    expect(await table.gaps(id, 0, state.settledTo)).toEqual([
      { from: SECOND_DAY_MS, to: partialTo },
      { from: partialTo, to: SECOND_DAY_MS + DAY_MS + HOUR_MS },
    ]);
    const firstTs = Number(tapeOf('BTC').lines[0]?.split(',')[0]);
    expect(await table.state(id)).toEqual({ ...state, tapeFrom: firstTs - (firstTs % 60_000) });
  });
});

it('imports nothing over the record', async () => {
  const data = folder.name();
  const began = SECOND_DAY_MS + 30_000;
  await folder.within(data, (store) =>
    store.commit([new GapLedger(store).extending({ from: began, to: began + 1_000 })]),
  );
  await expect(importInto(data)).rejects.toThrow(
    `${dateOf(SECOND_DAY_MS)} overlaps the record, which begins at ${new Date(began).toISOString()}; import only days before it, with --to ${dateOf(SECOND_DAY_MS)}`,
  );
  expect((await importInto(data, '--to', dateOf(SECOND_DAY_MS))).out).toContain('trades of');
});

it.each([
  [['--coin', 'BTC'], '--coin cannot be used with --format hl-fills'],
  [['--from', '2026-11-01T05:00:00Z'], '--from must be a date with --format hl-fills'],
  [['--to', '2020-01-01'], 'or none between --from and --to'],
  [['btc.csv'], 'unexpected argument btc.csv'],
])('refuses %j', async (args, message) => {
  await expect(importInto(folder.name(), ...args)).rejects.toThrow(message);
});
