import { describe, expect, it } from 'vitest';
import {
  etfDays,
  koreanBook,
  koreanTicker,
  NOW_MS,
  rate,
  sampleInputs,
  sampleSpots,
  snapshot,
  tape,
} from './figures.fixture.ts';
import { flowFigures, type FlowInputs, type KoreanTables } from './flow-figures.ts';
import { signalRules } from './signal-rules.ts';

const none: FlowInputs = {
  coin: 'BTC',
  nowMs: NOW_MS,
  spots: [],
  korea: { rates: [] },
  etf: { flows: undefined, isOk: false },
};
const coverage = (more: Partial<FlowInputs>) => flowFigures(sampleInputs(more)).coverage;
const korea = (ageMs: number, rateAgeMs = 0): KoreanTables => ({
  tickers: snapshot('upbit', [koreanTicker('BTC', 140_000_000)], ageMs),
  books: snapshot('upbit', [koreanBook('BTC', 140_000_000)], ageMs),
  rates: [snapshot('dunamu', [rate(1_400, rateAgeMs)])],
});

describe('the figures of a coin', () => {
  it('name the publisher of the ETF flows, and the start of their sum where that is not the launch', () => {
    const [first] = etfDays(1, 2).days;
    const whole = snapshot('farside', [etfDays(1, 2)]);
    const part = {
      ...snapshot('farside', [{ ...etfDays(1, 2), isSinceLaunch: false }]),
      label: 'operator:file',
    };
    const [ofAll, ofSome] = [whole, part].map(
      (flows) => flowFigures(sampleInputs({ etf: { flows, isOk: true } })).etf,
    );
    expect(ofAll).toMatchObject({ source: 'farside', cumulativeUsdm: 3 });
    expect(ofAll).not.toHaveProperty('cumulativeFromMs');
    expect(ofSome).toMatchObject({ source: 'operator:file', cumulativeFromMs: first?.dayMs });
  });

  it('are made from every part where all is well', () => {
    const { coverage: covered, pressure, proxyConfidence } = flowFigures(sampleInputs());
    expect(covered).toEqual({ globalSpot: 'full', kimchi: 'live', etfProxy: 'live', primaryMicro: 'live' });
    expect(pressure.components.map(({ part }) => part)).toEqual([
      'proxyPremium',
      'kimchiPremium',
      'proxyTape',
      'primaryNet',
      'etfFlow',
    ]);
    expect(proxyConfidence).toBe('high');
  });

  it('conclude nothing from a Korean premium by an old rate of the won', () => {
    const figures = flowFigures(sampleInputs({ korea: korea(0, 5 * 86_400_000) }));
    expect(figures.kimchi).toMatchObject({ premiumBps: 0, usdKrw: { isStale: true } });
    expect(figures.pressure.components.map(({ part }) => part)).not.toContain('kimchiPremium');
    const regional = signalRules.find(({ slug }) => slug === 'regional-premium');
    expect(regional?.value(figures)).toBeUndefined();
    expect(regional?.value(flowFigures(sampleInputs({ korea: korea(0) })))).toBe(0);
  });

  it('say 0, and that nothing is covered, where nothing is known', () => {
    const { pressure, coverage: covered, spreads, kimchi } = flowFigures(none);
    expect(pressure).toEqual({ score: 0, components: [] });
    expect(covered).toEqual({ globalSpot: 'none', kimchi: 'none', etfProxy: 'none', primaryMicro: 'none' });
    expect(spreads).toBeUndefined();
    expect(kimchi).toBeTypeOf('string');
  });

  it('take the share of the net in the volume, and 0 of a quiet market', () => {
    const x = (part: string, more: Partial<FlowInputs>): number | undefined =>
      flowFigures(sampleInputs(more)).pressure.components.find((one) => one.part === part)?.x;
    expect(x('proxyTape', { proxyTape: tape(-250_000, 1_000_000) })).toBe(-0.25);
    expect(x('primaryNet', { primaryTape: tape(0, 0) })).toBe(0);
  });

  it('leave out the trades of a window with an outage, and say so', () => {
    const figures = flowFigures(sampleInputs({ primaryTape: tape(5, 10, { isWhole: false }) }));
    expect(figures.pressure.components.map(({ part }) => part)).not.toContain('primaryNet');
    expect(figures.coverage.primaryMicro).toBe('stale');
  });

  it('have no ETF part of a coin without ETFs, which is covered all the same', () => {
    const figures = flowFigures(sampleInputs({ etf: undefined }));
    expect(figures.pressure.components.map(({ part }) => part)).not.toContain('etfFlow');
    expect(figures.coverage.etfProxy).toBe('live');
  });

  it.each([
    ['every venue is fresh', {}, 'full'],
    ['one is stale', { spots: sampleSpots({}, { okx: 60_001 }) }, 'partial'],
    ['one is missing', { spots: sampleSpots().slice(0, 4) }, 'partial'],
    [
      'all are stale',
      { spots: sampleSpots().map((spot) => ({ ...spot, tickers: { ...spot.tickers, fetchedAtMs: 0 } })) },
      'none',
    ],
  ] as const)('cover the spot venues when %s: %s', (_, more, expected) => {
    expect(coverage(more).globalSpot).toBe(expected);
  });

  it.each([
    ['fresh', korea(0), 'live'],
    ['with a rate of five days ago', korea(0, 5 * 86_400_000), 'stale'],
    ['silent for two minutes', korea(120_000), 'stale'],
    ['silent for longer than a premium is served', korea(600_001), 'none'],
    ['never received', { rates: [] }, 'none'],
  ] as const)('cover Korea %s', (_, tables, expected) => {
    expect(coverage({ korea: tables }).kimchi).toBe(expected);
  });

  it.each([
    ['the ETF page fails', { etf: { flows: snapshot('farside', [etfDays(1, 2)]), isOk: false } }, 'stale'],
    ['the ETF page was never read', { etf: { flows: undefined, isOk: false } }, 'stale'],
    ['the proxy tape is not connected', { proxyTape: undefined }, 'stale'],
    ['the proxy venue is stale', { spots: sampleSpots({}, { coinbase: 60_001 }) }, 'stale'],
  ] as const)('cover the ETF proxy in part when %s', (_, more, expected) => {
    expect(coverage(more).etfProxy).toBe(expected);
  });
});
