import { expect, it } from 'vitest';
import { openInterest } from './open-interest.ts';
import { globalPositioning, topPositioning } from './positioning.ts';

const known = {
  instruments: [
    { symbol: 'BTCUSDT', coin: 'BTC' },
    { symbol: '1000PEPEUSDT', coin: '1000PEPE' },
  ],
};

it('asks for the open interest of every contract, one by one', () => {
  const keys = openInterest.keys(known, []);
  expect(keys).toEqual(['BTCUSDT', '1000PEPEUSDT']);
  expect(keys.map((key) => openInterest.request(key).path)).toEqual([
    '/fapi/v1/openInterest?symbol=BTCUSDT',
    '/fapi/v1/openInterest?symbol=1000PEPEUSDT',
  ]);
});

it('asks for the positioning of listed contracts in periods that it knows, and of no other', () => {
  const asked = ['BTCUSDT 1h', 'GONEUSDT 1h', '1000PEPEUSDT 15m', 'BTCUSDT 1d', 'BTCUSDT'];
  expect(globalPositioning.keys(known, asked)).toEqual(['BTCUSDT 1h', '1000PEPEUSDT 15m']);
});

it('has two views of positioning: everybody by account, the top by position', () => {
  expect([globalPositioning, topPositioning].map((view) => view.request('BTCUSDT 4h').path)).toEqual([
    '/futures/data/globalLongShortAccountRatio?symbol=BTCUSDT&period=4h&limit=1',
    '/futures/data/topLongShortPositionRatio?symbol=BTCUSDT&period=4h&limit=1',
  ]);
});
