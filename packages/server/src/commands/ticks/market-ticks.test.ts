import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { HOUR_MS, type Trade } from '@crosstape/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MarketTable } from '../../features/market-tape/market-table.ts';
import { GapLedger } from '../../features/tape/gap-ledger.ts';
import { TickBuffer } from '../../features/tape/tick-buffer.ts';
import { TickTable } from '../../features/tape/tick-table.ts';
import { owner, TestFolder } from './test-folder.fixture.ts';

const START_MS = 1_760_000_400_000 - (1_760_000_400_000 % HOUR_MS);
const first: Trade = {
  ...owner,
  side: 'buy',
  price: 96_500,
  size: 0.05,
  notionalUsd: 0,
  ts: START_MS,
  tid: 1,
  sameOrder: false,
};

let folder: TestFolder;
beforeEach(() => {
  folder = new TestFolder();
});
afterEach(() => folder.remove());

const symbol = 'BTC-USDT-SWAP';
const id = `okx:${symbol}`;
const gap = { from: START_MS + 6, to: START_MS + 8 };

/** In contracts of a hundredth of a coin. */
const recordMarket = async (): Promise<string> => {
  const data = await folder.record([first]);
  const unit = { quote: 'USDT', contractSize: 0.01, scale: 1, publisher: 'okx', isCounted: true };
  const kept = { ...unit, id, venue: 'okx', kind: 'perp', symbol, coin: 'BTC' } as const;
  const buffer = new TickBuffer();
  const own = { ...first, side: 'buy', coin: symbol, venue: 'okx', sameOrder: false } as const;
  buffer.add({ ...own, price: 96_500.5, size: 3, ts: START_MS, tid: 70 });
  buffer.add({ ...own, price: 96_501, size: 12, ts: START_MS + 5, tid: 71 });
  await folder.within(data, async (store) => {
    const ledger = new GapLedger(store, 'okx');
    await new MarketTable(store).put([kept], START_MS);
    await store.commit([
      ...new TickTable(store, 'okx').sealing(symbol, buffer, 2, []),
      ledger.extending({ from: START_MS - HOUR_MS, to: START_MS + 10, recordCoins: symbol }),
      ...ledger.entering([{ coin: symbol, ...gap, state: 'partial', reason: 'no socket was up' }]),
    ]);
  });
  return data;
};

it('exports a market of another venue in coins, and reports the gaps of that market', async () => {
  const data = await recordMarket();
  const range = ['--to', String(START_MS + 10)];
  const run = await folder.run('export', '--market', 'OKEX:btc-usdt-swap', '--data', data, ...range);
  expect(run.out.split('\n')).toEqual([
    'ts,price,size,side,tid,venueTs,sameOrder',
    `${START_MS},96500.5,0.03,buy,70,,false`,
    `${START_MS + 5},96501,0.12,buy,71,,false`,
    '',
  ]);
  expect(run.error).toMatch(/^partial from [^\n]*: no socket was up\n$/);
  const tardis = folder.name('.csv.gz');
  const args = ['--market', id, '--data', data, '--format', 'tardis', '--out', tardis];
  expect((await folder.run('export', ...args)).out).toBe(`${tardis}: 2 trades of ${id}\n`);
  expect(gunzipSync(readFileSync(tardis)).toString()).toContain(`\nokx,${symbol},`);
});

it('takes a market of the primary venue for its coin', async () => {
  const data = await folder.record([first]);
  const [coin, named] = await Promise.all(
    [
      ['--coin', 'BTC'],
      ['--market', 'HL:btc'],
    ].map((name) => folder.run('export', ...name, '--data', data)),
  );
  expect(named?.out).toBe(coin?.out);
});

it.each([
  [[], /--coin or --market is missing/],
  [['--coin', 'BTC', '--market', id], /--coin and --market cannot be combined/],
  [['--market', 'perp:BTC'], /perp:BTC is an aggregate/],
  [['--market', 'nowhere:BTC'], /--market: nowhere is not a venue/],
  [['--market', 'BTC'], /--market: BTC is not a market id/],
  [
    ['--market', 'okx:DOGE-USDT-SWAP'],
    /no recorded trades for okx:DOGE-USDT-SWAP; recorded: okx:BTC-USDT-SWAP/,
  ],
  [['--market', 'bybit:BTCUSDT'], /no recorded trades for bybit:BTCUSDT; recorded: no market of this venue/],
])('refuses to export %j', async (args, message) => {
  const data = await recordMarket();
  await expect(folder.run('export', ...args, '--data', data)).rejects.toThrow(message);
});

it('imports nothing into a market of another venue, but into one of the primary', async () => {
  const file = folder.name('.csv');
  const from = await folder.record([first]);
  writeFileSync(file, (await folder.run('export', '--coin', 'BTC', '--data', from)).out);
  const into = ['--data', folder.name(), '--upstream', 'live', file];
  const refused = folder.run('import', '--market', id, ...into);
  await expect(refused).rejects.toThrow(/only trades of hyperliquid can be imported, not those of okx:/);
  expect((await folder.run('import', '--market', 'hl:BTC', ...into)).out).toMatch(
    /^1 trades of BTC imported/,
  );
});
