import { gunzipSync } from 'node:zlib';
import type { Trade } from '@crosstape/core';
import { tableFromIPC } from 'apache-arrow';
import { parquetReadObjects } from 'hyparquet';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { owner, TestFolder } from './test-folder.fixture.ts';

const START_MS = 1_760_000_400_000;
const trade: Trade = {
  ...owner,
  side: 'buy',
  price: 1,
  size: 1,
  notionalUsd: 0,
  ts: 0,
  tid: 1,
  sameOrder: false,
};

let folder: TestFolder;
beforeEach(() => {
  folder = new TestFolder();
});
afterEach(() => folder.remove());

it('writes the files of freqtrade, Tardis and Arrow', async () => {
  const data = await folder.record([
    { ...trade, price: 96_500.5, size: 0.02, ts: START_MS, tid: 2 ** 53 - 1 },
    {
      ...trade,
      side: 'sell',
      price: 0.000_000_12,
      size: 1,
      ts: START_MS + 5,
      venueTs: START_MS - 1,
      tid: 3,
    },
  ]);
  const write = (format: string) => folder.export(data, format, '--format', format);
  const file = Uint8Array.from(await write('freqtrade')).buffer;
  const rows = await parquetReadObjects({ file });
  expect(Object.keys(rows[0] ?? {})).toEqual(['timestamp', 'id', 'type', 'side', 'price', 'amount', 'cost']);
  expect(rows[0]).toMatchObject({ timestamp: BigInt(START_MS), id: '9007199254740991', cost: 1930.01 });
  expect(String(gunzipSync(await write('tardis'))).split('\n')).toEqual([
    'exchange,symbol,timestamp,local_timestamp,id,side,price,amount',
    `hyperliquid,BTC,${START_MS}000,${START_MS}000,9007199254740991,buy,96500.5,0.02`,
    `hyperliquid,BTC,${START_MS - 1}000,${START_MS + 5}000,3,sell,0.00000012,1`,
    '',
  ]);
  const table = tableFromIPC(await write('arrow'));
  expect(table.toArray().map((row) => row?.['price'] as number)).toEqual([96_500.5, 0.000_000_12]);
  await expect(folder.export(data, 'csv', '--format', 'xml')).rejects.toThrow('freqtrade, tardis');
});
