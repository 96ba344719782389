import { expect, it } from 'vitest';
import { CoinReporter } from './coin-reporter.ts';
import { koreanBook, NOW_MS, sampleInputs, sampleSpots, snapshot } from './figures.fixture.ts';
import type { FlowReport } from './flow-report.ts';

const well = { spot: [], korea: [], proxyTape: [], etf: [], primaryTape: [] };
const names = ['coinbase', 'binance', 'kraken', 'okx', 'bybit'] as const;

/** Every venue asks `priceUsd` at this second; Coinbase's last answer is `coinbaseAgeMs` old. */
function reportAt(reporter: CoinReporter, second: number, coinbaseAgeMs: number): FlowReport {
  const nowMs = NOW_MS + second * 1_000;
  const priceAt = (ageMs: number): number => 100_000 + 100 * Math.floor((nowMs - ageMs - NOW_MS) / 1_000);
  const ages = Object.fromEntries(names.map((name) => [name, name === 'coinbase' ? coinbaseAgeMs : 0]));
  const prices = Object.fromEntries(names.map((name) => [name, priceAt(ages[name] ?? 0)]));
  // The samples are as of one time: seen a second later, they are a second older.
  const spots = sampleSpots(
    prices,
    Object.fromEntries(names.map((name) => [name, (ages[name] ?? 0) - second * 1_000])),
  );
  const { coin: _, deviation: __, korea, ...inputs } = sampleInputs({ spots, nowMs });
  const book = { ...koreanBook('BTC', 1_400 * priceAt(0)), venueTs: nowMs };
  const books = { ...snapshot('upbit', [book]), fetchedAtMs: nowMs };
  return reporter.report({ ...inputs, korea: { ...korea, books } }, () => well);
}

it('compares a venue that is polled with what the others quoted at the time of its answer', () => {
  const reporter = new CoinReporter('BTC', []);
  // While the price rises by 10 bps a second, Coinbase answers every ten seconds.
  for (let second = 0; second <= 25; second += 1) {
    const { figures } = reportAt(reporter, second, (second % 10) * 1_000);
    expect([second, figures.spreads?.freshVenues, figures.proxy?.isSkewed]).toEqual([second, 5, false]);
    expect(Math.abs(figures.proxy?.premiumBps ?? 0)).toBeLessThan(0.01);
    expect(Math.abs((figures.kimchi as { premiumBps: number }).premiumBps)).toBeLessThan(0.01);
  }
});

it('continues without a venue whose answers stay away, and calls it skewed', () => {
  const reporter = new CoinReporter('BTC', []);
  // For as long as the others' prices of that time are kept.
  for (let second = 0; second <= 14; second += 1) {
    expect(reportAt(reporter, second, second * 1_000).figures.spreads?.freshVenues).toBe(5);
  }
  const { figures } = reportAt(reporter, 15, 15_000);
  expect(figures.spreads).toMatchObject({ freshVenues: 4, skewMs: 0 });
  expect(figures.prices[0]).toMatchObject({ venue: 'coinbase', isSkewed: true, isStale: false });
  expect(figures.proxy?.isSkewed).toBe(true);
});
