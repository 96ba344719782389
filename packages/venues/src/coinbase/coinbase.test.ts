import { expect, it } from 'vitest';
import { coinbase, coinbaseFollowing } from './index.ts';
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
