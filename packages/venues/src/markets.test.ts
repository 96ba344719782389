import { createCoinMatcher } from '@crosstape/core';
import { expect, it } from 'vitest';
import { binance } from './binance/index.ts';
import { coinbase } from './coinbase/index.ts';
import { marketsOf, marketVenues } from './index.ts';
import { krakenSpot } from './kraken-spot/index.ts';
import { okx } from './okx/index.ts';
import { okxSpot } from './okx-spot/index.ts';

const coins = createCoinMatcher(['BTC', 'kPEPE']);

it('derives markets from what venues list, under the primary coins', () => {
  const pepe = {
    symbol: 'PEPE-USDT-SWAP',
    coin: 'PEPE',
    quote: 'USDT',
    contractSize: 10_000_000,
    tick: 1e-9,
  };
  expect(marketsOf(okx, { instruments: [pepe] }, coins)).toEqual([
    { ...pepe, id: 'okx:PEPE-USDT-SWAP', venue: 'okx', kind: 'perp', coin: 'kPEPE', scale: 1000 },
  ]);
  const thousands = { symbol: '1000PEPEUSDT', coin: '1000PEPE', quote: 'USDT' };
  expect(marketsOf(binance, { instruments: [thousands] }, coins)[0]).toMatchObject({
    id: 'binance:1000PEPEUSDT',
    coin: 'kPEPE',
    contractSize: 1,
    scale: 1,
  });
});

it('spells pairs as the sockets do, and takes them from the tickers where there is no other list', () => {
  const pair = { symbol: 'XXBTZUSD', coin: 'BTC', quote: 'USD', streamSymbol: 'BTC/USD' };
  expect(marketsOf(krakenSpot, { instruments: [pair] }, coins)[0]).toMatchObject({
    id: 'kraken-spot:BTC/USD',
    venue: 'kraken',
    symbol: 'BTC/USD',
    restSymbol: 'XXBTZUSD',
  });
  const ticker = { symbol: 'BTC-USDT', coin: 'BTC', quote: 'USDT', last: 1 };
  expect(marketsOf(okxSpot, { spotTickers: [ticker] }, coins).map(({ id }) => id)).toEqual([
    'okx-spot:BTC-USDT',
  ]);
  expect(marketsOf(coinbase, {}, coins)).toEqual([]);
});

it('names every venue once, with its kinds and aliases', () => {
  expect(marketVenues.find(({ id }) => id === 'okx')).toEqual({
    id: 'okx',
    aliases: okx.aliases,
    kinds: ['perp', 'spot'],
  });
  expect(marketVenues.find(({ id }) => id === 'coinbase')?.kinds).toEqual(['spot']);
  expect(new Set(marketVenues.map(({ id }) => id)).size).toBe(marketVenues.length);
});
