import { expect, it } from 'vitest';
import { Tape } from './tape.ts';
import { liquidationRowsOf, mergeRows, shadeOf, tapeMarkets, withLiquidations } from './tape-merge.ts';

const tapeOf = (...times: readonly number[]): Tape => {
  const tape = new Tape();
  tape.add(times.map((ts) => ({ ts, side: 'buy', price: 100, size: 1 })));
  return tape;
};

it('joins the tapes of markets newest first, whichever came last', () => {
  const rows = mergeRows(
    new Map([
      ['binance:BTCUSDT', tapeOf(10, 30, 50).rows(1)],
      ['okx:BTC-USDT-SWAP', tapeOf(20, 40).rows(1)],
      ['bybit:BTCUSDT', []],
    ]),
  );
  expect(rows.map(({ ts }) => ts)).toEqual([50, 40, 30, 20, 10]);
  expect(rows.map(({ market }) => market.split(':')[0])).toEqual([
    'binance',
    'okx',
    'binance',
    'okx',
    'binance',
  ]);
});

it('puts liquidations among the orders: a long that is liquidated is sold', () => {
  const event = { venue: 'okx', price: 99, size: 2, notionalUsd: 198, inferred: false } as const;
  const liquidations = liquidationRowsOf([
    { ...event, ts: 15, position: 'long' },
    { ...event, ts: 40, position: 'short', inferred: true },
  ]);
  const rows = withLiquidations(tapeOf(10, 20, 30).rows(1), liquidations);
  expect(rows.map(({ ts, side }) => [ts, side])).toEqual([
    [40, 'buy'],
    [30, 'buy'],
    [20, 'buy'],
    [15, 'sell'],
    [10, 'buy'],
  ]);
  expect(rows[0]).toMatchObject({ venue: 'okx', position: 'short', isInferred: true });
  expect(new Set(rows.map(({ name }) => name)).size).toBe(5);
});

it('never holds more rows than a list shows', () => {
  const times = Array.from({ length: 900 }, (_, i) => i);
  const both = new Map([
    ['a', tapeOf(...times).rows(1)],
    ['b', tapeOf(...times).rows(1)],
  ]);
  expect(mergeRows(both)).toHaveLength(1_000);
});

it('follows the dollar markets of a venue or of all, the most traded first', () => {
  const row = (market: string, quote: string, trades24h: number) => {
    const [venue = ''] = market.split(':');
    return { market, venue, quote, trades24h, kind: venue.endsWith('spot') ? 'spot' : 'perp' } as const;
  };
  const recorded = [
    row('binance:BTCUSDC', 'USDC', 5),
    row('binance:BTCUSDT', 'USDT', 90),
    row('upbit-spot:KRW-BTC', 'KRW', 70),
    row('okx:BTC-USDT-SWAP', 'USDT', 50),
    row('coinbase-spot:BTC-USD', 'USD', 20),
  ];
  const ids = (filter: string) => tapeMarkets(recorded, filter).map(({ market }) => market);
  expect(ids('all')).toEqual([
    'binance:BTCUSDT',
    'okx:BTC-USDT-SWAP',
    'coinbase-spot:BTC-USD',
    'binance:BTCUSDC',
  ]);
  expect(ids('spot')).toEqual(['coinbase-spot:BTC-USD']);
  expect(ids('binance')).toEqual(['binance:BTCUSDT', 'binance:BTCUSDC']);
});

it('shades rows by their share of a large print', () => {
  expect([500, 1_000, 10_000, 99_999, 100_000].map((usd) => shadeOf(usd, 100_000))).toEqual([0, 1, 2, 2, 3]);
});
