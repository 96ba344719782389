import { expect, it } from 'vitest';
import { marketOf } from '../pages/market/market-choice.ts';
import { embedAddress, embedCode, embedSpec, parseEmbed } from './embed-address.ts';

const queryOf = (address: string): URLSearchParams => new URL(address).searchParams;
const market = marketOf('BTC', 'binance:BTCUSDT');

it('restores what an address was made of, for candles and for built bars', () => {
  const choice = {
    market: market.id,
    indicators: ['cvd', 'ema_50_c4', 'avwap_c1'],
    anchorTs: 1_790_000_000_000,
    theme: 'light',
  } as const;
  const candles = { market: market.id, interval: '4h', limit: 1_000 } as const;
  const range = { market: market.id, kind: 'range', params: { rangeTicks: 120 }, days: 2 } as const;
  const seconds = { market: market.id, kind: 'time', params: { intervalMs: 5_000 }, days: 0.25 } as const;
  for (const spec of [candles, range, seconds]) {
    const query = queryOf(embedAddress('https://tape.example', choice, spec));
    expect(parseEmbed(query)).toEqual(choice);
    expect(embedSpec(market, query)).toEqual(spec);
  }
});

it.each([
  ['market=BTC', /^market must be an id/],
  ['interval=7m', /^interval must be one of 1s/],
  ['kind=renko', /^kind must be one of time/],
  ['indicators=cvd,nope', /^indicators must be one of vwap/],
  ['indicators=ema_0', /Settings follow: ema_50\.$/],
  ['anchor=monday', /^anchor must be a time/],
  ['theme=blue', /^theme must be one of dark, light/],
  ['coin=BTC', /^Unknown parameter coin/],
])('says what is wrong with %s', (search, message) => {
  expect(parseEmbed(new URLSearchParams(search))).toEqual({
    error: expect.stringMatching(message) as unknown,
  });
});

it('names the missing size of bars that have no default', () => {
  expect(embedSpec(market, new URLSearchParams('kind=volume'))).toEqual({
    error: 'Volume bars need a size: give volume.',
  });
});

it('escapes the address in the code of a frame', () => {
  expect(embedCode('https://tape.example/embed/chart?market=a:B&interval=1h', 'B chart')).toContain(
    'src="https://tape.example/embed/chart?market=a:B&amp;interval=1h" title="B chart"',
  );
});
