import { DEPTH_LEVELS_MAX } from '@crosstape/core';
import { expect, it } from 'vitest';
import { coinbase, coinbaseFollowing } from './index.ts';
import { orderBooks } from './order-books.ts';
import { ticker } from './ticker.ts';

const pair = (coin: string, quote: string): { symbol: string; coin: string; quote: string } => ({
  symbol: `${coin}-${quote}`,
  coin,
  quote,
});
const instruments = [pair('BTC', 'USD'), pair('BTC', 'USDT'), pair('USDT', 'USD'), pair('DOGE', 'USD')];

it('follows the trades of a few coins, or of those that are wanted, against the dollar itself', () => {
  const [trades] = coinbase.connector?.feeds ?? [];
  expect(trades?.topics(instruments)).toEqual(['BTC-USD']);
  const [others] = coinbaseFollowing(['DOGE', 'USDT']).connector?.feeds ?? [];
  expect(others?.topics(instruments)).toEqual(['USDT-USD', 'DOGE-USD']);
  expect(trades?.subscribe(['BTC-USD'])).toBe(
    '{"type":"subscribe","product_ids":["BTC-USD"],"channels":["matches","heartbeat"]}',
  );
});

it('asks for the largest pairs and the tether always, and for others that are listed when asked', () => {
  expect(ticker.keys({ instruments }, [])).toEqual(['BTC-USD', 'USDT-USD']);
  const asked = ['DOGE-USD', 'BTC-USD', 'NONE-USD'];
  expect(ticker.keys({ instruments }, asked)).toEqual(['BTC-USD', 'USDT-USD', 'DOGE-USD']);
  expect(ticker.keys({}, asked)).toEqual([]);
});

it('asks for a pair without letting its name leave the path', () => {
  expect(ticker.request('A/../B').path).toBe('/products/A%2F..%2FB/ticker');
});

it('reads no more levels of a long snapshot than a book keeps, and all of one in another order', () => {
  const levelsOf = (count: number, step: number): string[][] =>
    Array.from({ length: count }, (_, i) => [(95_000 + (i + 1) * step).toFixed(2), '0.5']);
  const read = (bids: string[][], asks: string[][]) => {
    const snapshot = { type: 'snapshot', product_id: 'BTC-USD', asks, bids, time: '2026-11-17T08:00:00Z' };
    const frame = orderBooks.open(() => ({}))(JSON.stringify(snapshot));
    if (frame.kind !== 'bookChange') throw new Error(`a frame of kind ${frame.kind}`);
    return frame.change;
  };
  const [bids, asks] = [levelsOf(20_000, -0.37), levelsOf(3_000, 0.37)];
  const best = read(bids, asks);
  expect([best.bids.length, best.asks.length]).toEqual([DEPTH_LEVELS_MAX + 1, DEPTH_LEVELS_MAX + 1]);
  expect([best.bids[0], best.asks.at(-1)]).toEqual([
    [94_999.63, 0.5, 0],
    [Number(asks[DEPTH_LEVELS_MAX]?.[0]), 0.5, 0],
  ]);
  expect(read(bids.toReversed(), asks.slice(0, 100)).bids).toHaveLength(20_000);
});
