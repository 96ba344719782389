import { expect, it } from 'vitest';
import { histories } from './history.ts';
import { openInterest } from './open-interest.ts';
import { positioning } from './positioning.ts';

/** What the service spends at once of a minute's allowance, where a source says nothing else. */
const BURST_SHARE = 0.25;

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
  const asked = ['BTCUSDT 1h global', 'GONEUSDT 1h top', '1000PEPEUSDT 15m top', 'BTCUSDT 1d top', 'BTCUSDT'];
  const keys = Object.fromEntries(positioning.map((one) => [one.name, one.keys(known, asked)]));
  expect(keys).toMatchObject({
    'globalLongShortAccountRatio-1h': ['BTCUSDT 1h global'],
    'topLongShortPositionRatio-15m': ['1000PEPEUSDT 15m top'],
  });
  expect(Object.values(keys).flat()).toHaveLength(2);
});

it('has two views of positioning: all by account, the top by position', () => {
  const [global, top] = positioning.filter(({ name }) => name.endsWith('-4h'));
  expect(global?.request('BTCUSDT 4h global').path).toBe(
    '/futures/data/globalLongShortAccountRatio?symbol=BTCUSDT&period=4h&limit=1',
  );
  expect(top?.request('BTCUSDT 4h top').path).toBe(
    '/futures/data/topLongShortPositionRatio?symbol=BTCUSDT&period=4h&limit=1',
  );
});

it('keeps the five-minute limit of `/futures/data`, whatever the callers ask for, together with the histories', () => {
  const past = histories.filter(({ request }) =>
    request({ market: { symbol: 'BTCUSDT' }, fromMs: 0, toMs: 1 }).path.startsWith('/futures/data/'),
  );
  expect(past).toHaveLength(3);
  const budgets = [
    ...positioning,
    ...past.map(({ perMinute = 0 }) => ({ perMinute, atOnce: BURST_SHARE * perMinute })),
  ];
  const spent = budgets.map(({ perMinute = 0, atOnce = 0 }) => atOnce + 5 * (perMinute - atOnce));
  expect(spent.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(1_000);
});

it('polls as many coins as one may ask for as often as their ratios are to be renewed', () => {
  for (const { perMinute = 0, atOnce = 0, everyMs } of positioning)
    expect((perMinute - atOnce) * everyMs).toBeGreaterThan(atOnce * 60_000);
});
