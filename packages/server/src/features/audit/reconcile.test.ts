import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS } from '@crosstape/core';
import { createMarket, FillFiles, TradeColumns } from '@crosstape/simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DayFills, readDayFills } from './day-fills.ts';
import { CoinComparison, type TapeTrade, verdictOf } from './reconcile.ts';

const DAY_MS = Date.UTC(2026, 10, 15);
const market = createMarket({ seed: 5, rate: 0.02 });

let folder: string;
/** Read once: comparisons do not change them. */
let reading: Promise<DayFills>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosstape-fills-'));
  await new FillFiles(market, folder).writeHours(DAY_MS + HOUR_MS, DAY_MS + 2 * HOUR_MS);
  reading = readDayFills(folder, DAY_MS);
  await reading;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The expected tape: the market's own trades of an hour. */
function tradesOf(coin: string): TapeTrade[] {
  const columns = new TradeColumns(1 << 16);
  market.fill(coin, DAY_MS + HOUR_MS, DAY_MS + 2 * HOUR_MS, columns);
  const { sizeDecimals } = market.coins.find(({ name }) => name === coin)!;
  return Array.from({ length: columns.length }, (_, i) => ({
    ts: columns.ts[i]!,
    tid: columns.tid[i]!,
    side: columns.isBuy[i] === 1 ? 'buy' : 'sell',
    price: columns.price[i]! / 10 ** (6 - sizeDecimals),
    size: columns.lots[i]! / 10 ** sizeDecimals,
  }));
}

async function compare(coin: string, tape: readonly TapeTrade[], isGap = (_ts: number): boolean => false) {
  const fills = await reading;
  const comparison = new CoinComparison(coin, fills.coins.get(coin), new Set(fills.hours));
  for (const trade of tape) comparison.add(trade);
  return { ...comparison.finish(isGap), extra: comparison.extra, different: comparison.different };
}

describe('a recorded hour against the fills of the chain', () => {
  it('is equal when nothing was lost', async () => {
    for (const coin of ['BTC', 'ETH', 'kPEPE']) {
      const tape = tradesOf(coin);
      expect(tape.length).toBeGreaterThan(0);
      const { result } = await compare(coin, tape);
      expect(result).toEqual({
        coin,
        chain: tape.length,
        tape: tape.length,
        matched: tape.length,
        missing: 0,
        missingReported: 0,
        extra: 0,
        different: 0,
      });
    }
  });

  it('names the trades that are missing, extra or different', async () => {
    const tape = tradesOf('BTC');
    const [first, second, third] = tape as [TapeTrade, TapeTrade, TapeTrade];
    const changed = [
      { ...second, price: second.price + 1 },
      ...tape.slice(2),
      { ...third, tid: 1 },
      { ...third },
    ];
    const { result, missing, extra, different } = await compare('BTC', changed);
    expect(result).toMatchObject({
      matched: tape.length - 2,
      missing: 1,
      missingReported: 0,
      extra: 2,
      different: 1,
    });
    expect(missing).toEqual([{ coin: 'BTC', ts: first.ts, tid: first.tid, isReported: false }]);
    expect(extra.map(({ tid }) => tid)).toEqual([1, third.tid]);
    expect(different).toMatchObject([
      { tid: second.tid, tape: { price: second.price + 1 }, chain: { price: second.price } },
    ]);
  });

  it('separates what a reported gap explains from what is lost silently', async () => {
    const tape = tradesOf('BTC');
    const gapTo = tape[3]!.ts;
    const { result } = await compare('BTC', tape.slice(5), (ts) => ts <= gapTo);
    const explained = tape.slice(0, 5).filter(({ ts }) => ts <= gapTo).length;
    expect(result).toMatchObject({ missing: 5, missingReported: explained });
  });

  it('leaves out the hours without fills', async () => {
    const [first] = tradesOf('BTC') as [TapeTrade];
    const { result } = await compare('BTC', [...tradesOf('BTC'), { ...first, ts: DAY_MS + 5 * HOUR_MS }]);
    expect(result).toMatchObject({ missing: 0, extra: 0 });
  });

  it('names the expected folder if there are no fills', async () => {
    await expect(readDayFills(folder, DAY_MS - 24 * HOUR_MS)).rejects.toThrow(
      'there are no fills of 2026-11-14',
    );
  });

  it('counts lines that it cannot read, and names a damaged file', async () => {
    const day = join(folder, 'hourly/20261113');
    await mkdir(day, { recursive: true });
    const at = DAY_MS - 48 * HOUR_MS;
    const fill = { coin: 'BTC', px: '1.5', sz: '2.0', side: 'A', time: at, crossed: true, tid: 7 };
    const lines = ['{"events":[["0x1",', '{"events":7}', JSON.stringify({ events: [['0x1', fill], 5] })];
    await writeFile(join(day, '0'), lines.join('\n'));
    const fills = await readDayFills(folder, at);
    expect(fills).toMatchObject({ hours: [0], refused: 3 });
    expect(fills.coins.get('BTC')).toMatchObject({ length: 1 });
    await writeFile(join(day, '1.lz4'), 'no frame');
    await expect(readDayFills(folder, at)).rejects.toThrow('1.lz4: not an LZ4 frame');
  });
});

it.each([
  ['equal', {}, []],
  ['incomplete', { missing: 3, missingReported: 3 }, []],
  ['incomplete', {}, [4]],
  ['differs', { missing: 3, missingReported: 2 }, []],
  ['differs', { extra: 1 }, [4]],
  ['differs', { different: 1 }, []],
])('is %s with %j', (verdict, found, hoursMissing) => {
  const total = {
    chain: 9,
    tape: 9,
    matched: 9,
    missing: 0,
    missingReported: 0,
    extra: 0,
    different: 0,
    ...found,
  };
  expect(verdictOf({ total, refused: 0, hoursMissing })).toBe(verdict);
});
