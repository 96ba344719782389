import { type FailingSource, type FlowPoint, MINUTE_MS } from '@crosstape/core';
import { describe, expect, it } from 'vitest';
import { CoinReporter } from './coin-reporter.ts';
import { NOW_MS, rate, sampleInputs, sampleSpots, snapshot, tape } from './figures.fixture.ts';
import type { FlowInputs } from './flow-figures.ts';
import { FlowMinutes, namesBehind } from './flow-minutes.ts';
import type { FlowReport } from './flow-report.ts';
import { type FlowFailures, joinedSources } from './flow-sources.ts';

const start = Math.floor(NOW_MS / MINUTE_MS) * MINUTE_MS;
const well: FlowFailures = { spot: [], korea: [], proxyTape: [], etf: [], primaryTape: [] };
const failing = (source: string, more: Partial<FailingSource> = {}): FailingSource => ({
  source,
  status: 'down',
  ageMs: null,
  error: 'No answer.',
  ...more,
});

function recorder(): { points: FlowPoint[]; minutes: FlowMinutes } {
  const points: FlowPoint[] = [];
  return {
    points,
    minutes: new FlowMinutes({ primaryVenue: 'hyperliquid', emit: (point) => points.push(point) }),
  };
}

/** All inputs are fresh at any time. */
function reportAt(
  atMs: number,
  more: Partial<FlowInputs> = {},
  failures: FlowFailures = well,
  reporter = new CoinReporter('BTC', []),
): FlowReport {
  return { ...reporter.report(sampleInputs(more), () => failures), atMs };
}

describe('the minutes of the flows', () => {
  it('are reported when they are over, as of their end', () => {
    const { points, minutes } = recorder();
    minutes.add(reportAt(start + 1_000, { primaryTape: tape(1, 10) }));
    minutes.add(reportAt(start + 59_000, { primaryTape: tape(2, 10) }));
    expect(points).toEqual([]);
    minutes.add(reportAt(start + MINUTE_MS));
    expect(points).toHaveLength(1);
    expect(points[0]).toMatchObject({
      coin: 'BTC',
      t: start,
      values: {
        proxyPremiumBps: 0,
        kimchiPremiumBps: 0,
        etfLatestTotalUsdm: 0,
        proxyTapeDeltaUsd5m: 0,
        primaryMicroNetUsd5m: 2,
        venueSpreadDispersionBps: 0,
        sourcePartial: 0,
      },
      origins: {
        spot: 'coinbase+binance+kraken+okx+bybit',
        korea: 'upbit+dunamu',
        etf: 'farside',
        proxyTape: 'coinbase',
        primaryTape: 'hyperliquid',
      },
      partial: false,
      stale: false,
      sources: [],
    });
    expect(points[0]?.values.flowPressureScore).toBeGreaterThan(0);
  });

  it('without a connected feed have no point', () => {
    const { points, minutes } = recorder();
    for (const minute of [0, 1, 7, 8]) minutes.add(reportAt(start + minute * MINUTE_MS));
    expect(points.map(({ t }) => (t - start) / MINUTE_MS)).toEqual([0, 1, 7]);
  });

  it('leave out what could not be made', () => {
    const { points, minutes } = recorder();
    const missing = {
      spots: sampleSpots({}, { coinbase: 90_000 }),
      korea: { rates: [] },
      etf: undefined,
      primaryTape: tape(1, 1, { isWhole: false }),
    };
    minutes.add(reportAt(start, missing));
    minutes.add(reportAt(start + MINUTE_MS));
    expect(Object.keys(points[0]?.values ?? {}).toSorted()).toEqual([
      'flowPressureScore',
      'proxyTapeDeltaUsd5m',
      'sourcePartial',
      'venueSpreadDispersionBps',
    ]);
    expect(points[0]).toMatchObject({ stale: true, coverage: { globalSpot: 'partial', kimchi: 'none' } });
  });

  it('leave out a Korean premium by an old rate of the won', () => {
    const { points, minutes } = recorder();
    const { korea } = sampleInputs();
    const rates = [snapshot('dunamu', [rate(1_400, 5 * 86_400_000)])];
    minutes.add(reportAt(start, { korea: { ...korea, rates } }));
    minutes.add(reportAt(start + MINUTE_MS));
    expect(points[0]?.values).not.toHaveProperty('kimchiPremiumBps');
    expect(points[0]).toMatchObject({ stale: true, coverage: { kimchi: 'stale' } });
  });

  it('are partial when a source failed at any time of them, even if it is well again at their end', () => {
    const { points, minutes } = recorder();
    minutes.add(reportAt(start));
    minutes.add(reportAt(start + 10_000, {}, { ...well, korea: [failing('upbit:tickers')] }));
    minutes.add(reportAt(start + 50_000));
    minutes.add(reportAt(start + MINUTE_MS));
    minutes.add(reportAt(start + 2 * MINUTE_MS));
    expect(
      points.map(({ partial, values, sources }) => [partial, values.sourcePartial, sources.length]),
    ).toEqual([
      [true, 1, 1],
      [false, 0, 0],
    ]);
  });

  it('keep which signals are on, from which the next process continues', () => {
    const { points, minutes } = recorder();
    const inputs = { spots: sampleSpots({ coinbase: 100_100 }) };
    const before = new CoinReporter('BTC', []);
    const first = reportAt(NOW_MS, inputs, well, before);
    minutes.add(first);
    minutes.add(reportAt(NOW_MS + MINUTE_MS));
    const [point] = points;
    const after = new CoinReporter('BTC', [point as FlowPoint]);
    const later = after.report({ ...sampleInputs(inputs), nowMs: NOW_MS + 30_000 }, () => well);
    expect(later.signals.map(({ id }) => id)).toEqual(first.signals.map(({ id }) => id));
    expect(first.signals[0]?.id).toBe(`BTC:proxy-premium:${start}`);
  });

  it('of the past say what is usual', () => {
    const past = Array.from({ length: 100 }, (_, i): FlowPoint => {
      const { minutes, points } = recorder();
      minutes.add(reportAt(start + i * MINUTE_MS, { primaryTape: tape(i % 2 ? 500 : -500, 1_000) }));
      minutes.add(reportAt(start + (i + 1) * MINUTE_MS));
      return points[0] as FlowPoint;
    });
    const { deviation: _, ...inputs } = sampleInputs();
    const { figures } = new CoinReporter('BTC', past).report(inputs, () => well);
    expect(figures.deviation).toEqual({ sigmaUsd: 500, samples: 100 });
  });
});

describe('where a metric comes from', () => {
  it('is reported name by name, each once', () => {
    const origins = { spot: 'coinbase+okx', korea: 'upbit+dunamu', proxyTape: 'coinbase', etf: 'farside' };
    expect(namesBehind('flowPressureScore', origins)).toEqual([
      'coinbase',
      'okx',
      'upbit',
      'dunamu',
      'farside',
    ]);
    expect(namesBehind('etfLatestTotalUsdm', origins)).toEqual(['farside']);
    expect(namesBehind('primaryMicroNetUsd5m', origins)).toEqual([]);
  });
});

describe('failing sources', () => {
  it('are reported once, with the affected coins where not all are', () => {
    const stale = (source: string, coin: string): FailingSource =>
      failing(source, { status: 'stale', coins: [coin] });
    expect(
      joinedSources([
        [stale('okx-spot', 'BTC'), failing('bybit-spot:tickers')],
        [stale('okx-spot', 'ETH'), stale('bybit-spot', 'ETH'), failing('bybit-spot:tickers')],
      ]),
    ).toEqual([failing('bybit-spot:tickers'), { ...stale('okx-spot', 'BTC'), coins: ['BTC', 'ETH'] }]);
  });
});
