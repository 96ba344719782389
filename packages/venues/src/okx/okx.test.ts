import { expect, it } from 'vitest';
import { liquidations } from './liquidations.ts';
import { openInterest } from './open-interest.ts';
import { pastLiquidations } from './past-liquidations.ts';
import { positioning } from './positioning.ts';

const known = {
  instruments: [
    { coin: 'BTC', symbol: 'BTC-USDT-SWAP', contractSize: 0.01 },
    { coin: 'PEPE', symbol: 'PEPE-USDT-SWAP', contractSize: 10_000_000 },
  ],
};

it.each([
  ['BTC-USDT-SWAP 15m top', '15m'],
  ['BTC-USDT-SWAP 1h top', '1H'],
  ['BTC-USDT-SWAP 4h top', '4H'],
])('asks for %s with the period %s', (key, period) => {
  const lookup = positioning.find((one) => one.keys(known, [key]).length > 0);
  expect(lookup?.request(key)).toEqual({
    method: 'GET',
    path: `/api/v5/rubik/stat/contracts/long-short-position-ratio-contract-top-trader?instId=BTC-USDT-SWAP&period=${period}&limit=1`,
  });
});

it('asks only for swaps that are listed and periods that there are', () => {
  const asked = ['BTC-USDT-SWAP 1h top', 'BTC-USDT-SWAP 2h top', 'LUNA-USDT-SWAP 1h top', 'BTC'];
  const keys = [...asked, 'PEPE-USDT-SWAP 4h top', 'BTC-USDT-SWAP 4h global'];
  expect(positioning.flatMap((one) => one.keys(known, keys))).toEqual([
    'BTC-USDT-SWAP 1h top',
    'PEPE-USDT-SWAP 4h top',
  ]);
});

it('keeps a row without its dollars: worth its mark, and without a value before the first marks', () => {
  const row = { instId: 'BTC-USDT-SWAP', instType: 'SWAP', oi: '200', oiCcy: '2', ts: '1664005108969' };
  const read = (tables: object) =>
    openInterest.parse({ code: '0', msg: '', data: [row] }, 0, { ...known, ...tables });
  const held = { coin: 'BTC', symbol: 'BTC-USDT-SWAP', contracts: 200, coins: 2 };
  expect(read({})).toMatchObject({ openInterest: [held] });
  expect(read({}).refused ?? []).toEqual([]);
  const prices = [{ coin: 'BTC', symbol: 'BTC-USDT-SWAP', mark: 90_000 }];
  expect(read({ prices }).openInterest).toEqual([{ ...held, value: 180_000 }]);
});

it('takes the first liquidations after each subscription as a back-fill', () => {
  const parse = liquidations.open(() => known);
  const ack = '{"event":"subscribe","arg":{"channel":"liquidation-orders","instType":"SWAP"},"connId":"1"}';
  const frame =
    '{"arg":{"channel":"liquidation-orders","instType":"SWAP"},"data":[{"instId":"PEPE-USDT-SWAP","details":' +
    '[{"bkPx":"0.000012","posSide":"long","side":"sell","sz":"0.3","ts":"1692266434010"}]}]}';
  const [, first, second, , third] = [ack, frame, frame, ack, frame].map(parse);
  expect([first, second, third]).toMatchObject([
    { kind: 'liquidations', isBackfill: true },
    { kind: 'liquidations', isBackfill: false, liquidations: [{ size: 3_000_000, side: 'sell' }] },
    { kind: 'liquidations', isBackfill: true },
  ]);
});

it('subscribes to all swaps with one topic, whatever is listed', () => {
  expect(liquidations.topics([])).toEqual(liquidations.topics(known.instruments));
});

const pageOf = (times: readonly number[]): unknown => ({
  code: '0',
  msg: '',
  data: [
    {
      instId: 'BTC-USDT-SWAP',
      details: times.map((ts) => ({ bkPx: '90000', posSide: 'long', side: 'sell', sz: '1', ts: String(ts) })),
    },
  ],
});

it('asks for the past of each family by itself', () => {
  const usdc = { coin: 'BTC', symbol: 'BTC-USDC-SWAP', contractSize: 0.01 };
  const families = pastLiquidations.keys({ instruments: [...known.instruments, usdc] });
  expect(families).toEqual(['BTC-USDT', 'PEPE-USDT', 'BTC-USDC']);
  expect(pastLiquidations.request('BTC-USDT').path).toBe(
    '/api/v5/public/liquidation-orders?instType=SWAP&state=filled&limit=100&instFamily=BTC-USDT',
  );
});

it('takes a full page of the past for one that ends somewhere, and asks for its oldest millisecond again', () => {
  const times = Array.from({ length: 100 }, (_, i) => 10_000 - i);
  const page = pastLiquidations.parse(pageOf(times), 0, known, 'BTC-USDT');
  expect(page.frame.liquidations).toHaveLength(100);
  expect(page.sinceMs).toBe(9_902);
  expect(page.more?.path).toMatch(/&instFamily=BTC-USDT&after=9902$/);
  expect(pastLiquidations.parse(pageOf(times.slice(1)), 0, known, 'BTC-USDT')).toMatchObject({ sinceMs: 0 });
});

it('does not trust a full page in another order than newest first', () => {
  const times = Array.from({ length: 100 }, (_, i) => 10_000 + i);
  expect(() => pastLiquidations.parse(pageOf(times), 0, known, 'BTC-USDT')).toThrow('is not newest first');
});

it('does not count a gap as refilled by a page with a malformed swap', () => {
  const page = {
    code: '0',
    msg: '',
    data: [{ details: [{ ts: '1763164700123' }] }, { instId: 'BTC-USDT-SWAP', details: [] }],
  };
  const reported = pastLiquidations.parse(page, 0, known, 'BTC-USDT');
  expect(reported).toMatchObject({
    sinceMs: Number.POSITIVE_INFINITY,
    refused: [expect.stringContaining('instId')],
  });
});
