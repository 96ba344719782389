import { expect, it } from 'vitest';
import { explanationOf } from '../../parts/explanations.ts';
import { marketOf } from './market-choice.ts';
import {
  dayOf,
  figuresTitle,
  fundingVenueOf,
  hourlyRate,
  nextPayment,
  oiChangePct,
  oiVenueOf,
  perpVenuesOf,
  recentSamples,
  totalUsd,
  whyNotDrawn,
} from './market-figures.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const of = (id: string | null) => marketOf('BTC', id);
const recorded = [
  { kind: 'perp' },
  { kind: 'perp' },
  { kind: 'perp' },
  { kind: 'spot' },
  { kind: 'spot' },
] as const;

it('names what the figures are of, with an explanation', () => {
  const ids = [null, 'binance:BTCUSDT', 'coinbase-spot:BTC-USD', 'all:BTC', 'perp:BTC', 'spot:BTC'];
  const titles = ids.map((id) => figuresTitle(of(id), recorded));
  expect(titles).toEqual([
    'BTC perpetual on Hyperliquid',
    'BTC perpetual on Binance',
    'BTC spot on Coinbase',
    'BTC on 5 markets',
    'BTC on 3 perpetuals',
    'BTC on 2 spot pairs',
  ]);
  expect(figuresTitle(of('all:BTC'), undefined)).toBe('All markets of BTC');
  for (const title of [...titles, 'All markets of BTC'])
    expect(explanationOf(title)?.what).toContain('last trade');
});

it('takes funding and open interest from the venue of the market, and none for spot', () => {
  expect(perpVenuesOf(of(null))).toEqual(['hyperliquid']);
  expect(perpVenuesOf(of('okx:BTC-USDT-SWAP'))).toEqual(['okx']);
  expect(perpVenuesOf(of('all:BTC')).length).toBeGreaterThan(5);
  for (const id of ['binance-spot:BTCUSDT', 'coinbase-spot:BTC-USD', 'spot:BTC']) {
    expect(perpVenuesOf(of(id))).toEqual([]);
    expect(whyNotDrawn('oi', of(id))).toBe('not drawn: spot markets have none');
    expect(whyNotDrawn('funding', of(id))).toBe('not drawn: spot markets have none');
    expect(whyNotDrawn('cvd', of(id))).toBeUndefined();
  }
  expect([oiVenueOf(of('gate:BTC_USDT')), fundingVenueOf(of('gate:BTC_USDT'))]).toEqual([undefined, 'gate']);
  expect(whyNotDrawn('oi', of('gate:BTC_USDT'))).toBe('not drawn: Gate reports no contracts');
  expect(whyNotDrawn('funding', of('gate:BTC_USDT'))).toBeUndefined();
  // Those of all venues are summed elsewhere.
  expect([oiVenueOf(of('perp:BTC')), fundingVenueOf(of('perp:BTC'))]).toEqual([undefined, undefined]);
  expect([whyNotDrawn('oi', of('perp:BTC')), whyNotDrawn('funding', of('all:BTC'))]).toEqual([
    undefined,
    undefined,
  ]);
});

it('requests the same samples of a venue all day', () => {
  const nowMs = 20_000 * DAY_MS + 5 * HOUR_MS;
  expect(recentSamples('BTC', 'hyperliquid', nowMs)).toEqual({ coin: 'BTC' });
  const query = { coin: 'BTC', venue: 'okx', interval: '10m', sinceMs: 19_993 * DAY_MS };
  expect(recentSamples('BTC', 'okx', nowMs)).toEqual(query);
  expect(recentSamples('BTC', 'okx', nowMs + 18 * HOUR_MS)).toEqual(query);
});

const funding = (venue: string, rate: number, periodHours: number) => ({ venue, rate, periodHours });

it('sums open interest, and weighs funding per hour by it', () => {
  const held = [
    { venue: 'hyperliquid', oiUsd: 100 },
    { venue: 'binance', oiUsd: 300 },
  ];
  expect([totalUsd(held), totalUsd([]), totalUsd(undefined)]).toEqual([400, undefined, undefined]);
  const rates = [funding('hyperliquid', 0.01, 1), funding('binance', 0.16, 8), funding('mexc', 5, 8)];
  // A venue without open interest has no weight.
  expect(hourlyRate(rates, held)).toBeCloseTo((0.01 * 100 + 0.02 * 300) / 400, 12);
  expect(hourlyRate([funding('gate', 0.16, 8)], undefined)).toBeCloseTo(0.02, 12);
  expect([hourlyRate(undefined, held), hourlyRate(rates, undefined)]).toEqual([undefined, undefined]);
});

it('compares contracts with those of a day before', () => {
  const points = [0, 6, 12, 18, 24, 30].map((hour) => ({ t: hour * HOUR_MS, v: 100 + hour }));
  expect(oiChangePct(points, 159)).toBeCloseTo(50, 12);
  expect(oiChangePct(points.slice(1, 4), 159)).toBeUndefined();
  expect([oiChangePct(points, undefined), oiChangePct(undefined, 1)]).toEqual([undefined, undefined]);
});

it('continues to the next payment once one is over', () => {
  const hourly = { ...funding('hyperliquid', 0, 1), nextFundingTs: 10 * HOUR_MS };
  expect(nextPayment(hourly, 10 * HOUR_MS - 1)).toBe(10 * HOUR_MS);
  expect(nextPayment(hourly, 10 * HOUR_MS)).toBe(11 * HOUR_MS);
  expect(nextPayment(hourly, 10 * HOUR_MS + 15_000)).toBe(11 * HOUR_MS);
  // A rate may be scaled to another period than it is paid for.
  const every4 = {
    ...funding('binance', 0, 8),
    native: { rate: 0, periodHours: 4 },
    nextFundingTs: 8 * HOUR_MS,
  };
  expect(nextPayment(every4, 13 * HOUR_MS)).toBe(16 * HOUR_MS);
  expect([nextPayment(undefined, 0), nextPayment(funding('okx', 0, 8), 0)]).toEqual([undefined, undefined]);
});

it('sums the last 24 full hours, and nothing less', () => {
  const hours = Array.from({ length: 26 }, (_, i) => ({
    ts: i * HOUR_MS,
    open: 100 + i,
    close: 101 + i,
    volume: 2,
    complete: i === 7 ? null : true,
    origin: i === 7 ? ('venue' as const) : ('tape' as const),
    ...(i !== 5 && { notionalUsd: 10 }),
  }));
  // The last one is in progress, and the first one is before the day.
  const day = dayOf(hours, 25.5 * HOUR_MS);
  expect(day).toEqual({ open: 101, coins: 48, notional: 23 * 10 + 2 * 106, isWhole: true });
  const isWhole = (some: object, since = 0) =>
    dayOf(
      hours.map((hour, i) => (i === 3 ? { ...hour, ...some } : hour)),
      25.5 * HOUR_MS,
      [{ since: 0 }, { since }],
    )?.isWhole;
  expect(isWhole({ complete: false })).toBe(false);
  expect(isWhole({}, 3 * HOUR_MS)).toBe(false);
  expect(isWhole({}, HOUR_MS)).toBe(true);
  // Hours from before the record are the venues' own.
  const ofVenues = hours.map((hour) =>
    hour.ts < 3 * HOUR_MS ? { ...hour, origin: 'venue' as const } : hour,
  );
  expect(dayOf(ofVenues, 25.5 * HOUR_MS, [{ since: 0 }, { since: 3 * HOUR_MS }])?.isWhole).toBe(true);
  expect(dayOf(hours.slice(2), 25.5 * HOUR_MS)).toBeUndefined();
  expect([dayOf(undefined, 0), dayOf(hours, undefined)]).toEqual([undefined, undefined]);
});
