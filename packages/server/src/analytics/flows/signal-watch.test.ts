import { describe, expect, it } from 'vitest';
import {
  koreanBook,
  koreanTicker,
  NOW_MS,
  rate,
  sampleInputs,
  sampleSpots,
  snapshot,
  tape,
  etfDays,
} from './figures.fixture.ts';
import { type FlowFigures, flowFigures, type FlowInputs } from './flow-figures.ts';
import { signalRules } from './signal-rules.ts';
import { CALM_MS, type FlowSignal, SignalWatch } from './signal-watch.ts';

const MINUTE_MS = 60_000;
const minuteOf = (ms: number): number => Math.floor(ms / MINUTE_MS) * MINUTE_MS;

/** Figures in which each rule sees the given value, and all others nothing of note. */
const seen: Readonly<Record<string, (value: number) => Partial<FlowInputs>>> = {
  'venue-dispersion': (bps) => ({ spots: sampleSpots({ okx: 100_000 * (1 + bps / 10_000) }) }),
  'proxy-premium': (bps) => ({ spots: sampleSpots({ coinbase: 100_000 * (1 + bps / 10_000) }) }),
  'regional-premium': (bps) => {
    const price = 140_000_000 * (1 + bps / 10_000);
    return {
      korea: {
        tickers: snapshot('upbit', [koreanTicker('BTC', price)]),
        books: snapshot('upbit', [koreanBook('BTC', price)]),
        rates: [snapshot('dunamu', [rate(1_400)])],
      },
    };
  },
  'micro-flow': (sigmas) => ({ primaryTape: tape(sigmas * 100_000, 1e12) }),
};

function figuresOf(slug: string, value: number, more: Partial<FlowFigures> = {}): FlowFigures {
  const inputs = seen[slug]?.(value) ?? {};
  const figures = { ...flowFigures(sampleInputs(inputs)), ...more };
  if (slug === 'etf-flow') return { ...figures, etf: { ...figures.etf, deviations: value } as never };
  if (slug === 'pressure') return { ...figures, pressure: { ...figures.pressure, score: value } };
  return figures;
}

function signalOf(watch: SignalWatch, slug: string, value: number, atMs: number): FlowSignal | undefined {
  const figures = figuresOf(slug, value, { atMs });
  return watch.update(figures).find(({ id }) => id.split(':')[1] === slug);
}

describe('the table of rules', () => {
  it('has what was decided', () => {
    expect(signalRules.map(({ slug, layer, warm, hot }) => [slug, layer, warm, hot])).toEqual([
      ['venue-dispersion', 'venue', 15, 30],
      ['proxy-premium', 'etf', 8, 15],
      ['regional-premium', 'regional', 200, 400],
      ['etf-flow', 'etf', 1.5, 2.5],
      ['micro-flow', 'micro', 3, 5],
      ['pressure', 'composite', 50, 75],
    ]);
  });

  it('says nothing of a market in which nothing happens', () => {
    expect(new SignalWatch('BTC').update(flowFigures(sampleInputs()))).toEqual([]);
  });

  describe.each(signalRules.map(({ slug, warm, hot }) => ({ slug, warm, hot })))(
    '$slug',
    ({ slug, warm, hot }) => {
      const signs = slug === 'venue-dispersion' ? [1] : [1, -1];
      /** The smallest step that the figures can tell. */
      const step = slug === 'micro-flow' || slug === 'etf-flow' ? 0.001 : 0.01;

      it.each(signs)('begins at its threshold and not below it, sign %d', (sign) => {
        const at = (size: number): string | undefined =>
          signalOf(new SignalWatch('BTC'), slug, sign * size, NOW_MS)?.severity;
        expect([at(warm - step), at(warm), at(hot - step), at(hot)]).toEqual([
          undefined,
          'warm',
          'warm',
          'hot',
        ]);
      });

      it('ends only after two minutes below four fifths of its threshold', () => {
        const watch = new SignalWatch('BTC');
        signalOf(watch, slug, warm, NOW_MS);
        expect(signalOf(watch, slug, 0.81 * warm, NOW_MS + 10 * MINUTE_MS)).toBeUndefined();
        const again = signalOf(watch, slug, warm, NOW_MS + 10 * MINUTE_MS);
        expect(again?.id).toBe(`BTC:${slug}:${minuteOf(NOW_MS + 10 * MINUTE_MS)}`);
        const at = (afterMs: number, size: number): string | undefined =>
          signalOf(watch, slug, size, NOW_MS + 10 * MINUTE_MS + afterMs)?.id;
        expect(at(100_000, 0.81 * warm)).toBe(again?.id);
        expect(at(200_000, 0.79 * warm)).toBe(again?.id);
        expect(at(100_000 + CALM_MS - 1, 0.79 * warm)).toBe(again?.id);
        expect(at(100_000 + CALM_MS, 0.79 * warm)).toBeUndefined();
      });

      it('does not flap: going to and fro around its threshold it is one signal with one id', () => {
        const watch = new SignalWatch('BTC');
        const ids = new Set<string | undefined>();
        for (let second = 0; second < 600; second += 1) {
          const size = second % 100 === 0 ? warm : second % 2 ? 0.99 * warm : 0.3 * warm;
          ids.add(signalOf(watch, slug, size, NOW_MS + second * 1_000)?.id);
        }
        expect([...ids]).toEqual([`BTC:${slug}:${minuteOf(NOW_MS)}`]);
      });

      it('is hot until two minutes below four fifths of that threshold, and goes on as warm under its id', () => {
        const watch = new SignalWatch('BTC');
        const first = signalOf(watch, slug, hot, NOW_MS);
        const at = (afterMs: number): FlowSignal | undefined =>
          signalOf(watch, slug, 0.79 * hot >= warm ? 0.79 * hot : warm, NOW_MS + afterMs);
        expect(at(CALM_MS - 1)?.severity).toBe('hot');
        expect(at(CALM_MS)).toMatchObject({ id: first?.id, severity: 'warm' });
      });
    },
  );

  it('ends, too, when its value is no longer known, and says until then what was last said', () => {
    const watch = new SignalWatch('BTC');
    const first = signalOf(watch, 'proxy-premium', 20, NOW_MS);
    const unknown = (afterMs: number): FlowSignal | undefined =>
      watch
        .update({ ...flowFigures(sampleInputs({ spots: [] })), atMs: NOW_MS + afterMs })
        .find(({ id }) => id.includes('proxy-premium'));
    expect(unknown(CALM_MS - 1)).toEqual(first);
    expect(unknown(CALM_MS)).toBeUndefined();
  });
});

describe('a premium that becomes a discount', () => {
  const slug = 'proxy-premium';

  it('is another signal, though the first did not end before', () => {
    const watch = new SignalWatch('BTC');
    const first = signalOf(watch, slug, 10, NOW_MS);
    const second = signalOf(watch, slug, -10, NOW_MS + MINUTE_MS);
    expect([first?.title, second?.title]).toEqual(['Coinbase premium', 'Coinbase discount']);
    expect(second?.id).toBe(`BTC:${slug}:${minuteOf(NOW_MS + MINUTE_MS)}`);
    expect(watch.marks.map(({ slug: name }) => name)).toEqual([slug]);
    const third = signalOf(watch, slug, 10, NOW_MS + MINUTE_MS + 1_000);
    expect(new Set([first?.id, second?.id, third?.id]).size).toBe(3);
  });

  it('says what it was while there is not enough of a discount, which keeps it not alive', () => {
    const watch = new SignalWatch('BTC');
    const first = signalOf(watch, slug, 10, NOW_MS);
    expect(signalOf(watch, slug, -7.9, NOW_MS + CALM_MS - 1)).toEqual(first);
    expect(signalOf(watch, slug, -7.9, NOW_MS + CALM_MS)).toBeUndefined();
  });

  it('is another one after a restart, too', () => {
    const before = new SignalWatch('BTC');
    const first = signalOf(before, slug, 10, NOW_MS);
    const second = signalOf(new SignalWatch('BTC', before.marks), slug, -10, NOW_MS + MINUTE_MS);
    expect([second?.title, second?.id === first?.id]).toEqual(['Coinbase discount', false]);
  });
});

describe('signals', () => {
  it('say in words what is seen, whichever way it goes', () => {
    const say = (slug: string, value: number): unknown => {
      const { title, message } = signalOf(new SignalWatch('BTC'), slug, value, NOW_MS) ?? {};
      return [title, message];
    };
    expect(say('venue-dispersion', 30)).toEqual([
      'Spot venues far apart',
      'BTC costs 30.0 bps more on okx than on coinbase.',
    ]);
    expect(say('proxy-premium', -15)).toEqual([
      'Strong Coinbase discount',
      'BTC costs 15.0 bps less on Coinbase than on the other spot venues.',
    ]);
    expect(say('regional-premium', 250)).toEqual([
      'Korean premium',
      'BTC costs 2.50 % more in Korea than in the rest of the world.',
    ]);
    expect(say('micro-flow', -6)).toEqual([
      'Extreme taker selling',
      'Takers sold BTC worth 600000 USD net within 5 minutes, 6.0 standard deviations of the last 24 hours.',
    ]);
    expect(say('pressure', -78)).toEqual([
      'Strong selling pressure',
      'The flow pressure score is -78, from 5 of 5 parts.',
    ]);
    const etf = { flows: snapshot('farside', [etfDays(10, -10, 10, -10, 50)]), isOk: true };
    const [signal] = new SignalWatch('BTC').update(flowFigures(sampleInputs({ etf })));
    expect(signal).toMatchObject({
      title: 'Large ETF inflow',
      message: 'The ETFs took in 50 million USD on their last complete day, 2.3 standard deviations.',
    });
  });

  it('come with the strongest first: hot before warm, then by the times of its threshold', () => {
    const inputs = { ...seen['regional-premium']?.(800), ...seen['proxy-premium']?.(14) };
    const slugs = new SignalWatch('BTC')
      .update(flowFigures(sampleInputs(inputs)))
      .map(({ id }) => id.split(':')[1]);
    expect(slugs[0]).toBe('regional-premium');
    expect(slugs).toContain('proxy-premium');
  });

  it('are known the less well the less they are made from', () => {
    const confidence = (slug: string, value: number, more: Partial<FlowInputs>): unknown => {
      const figures = flowFigures({ ...sampleInputs(seen[slug]?.(value)), ...more });
      return new SignalWatch('BTC').update(figures).find(({ id }) => id.includes(slug))?.confidence;
    };
    expect(confidence('micro-flow', 4, {})).toBe('high');
    expect(confidence('micro-flow', 4, { deviation: { sigmaUsd: 100_000, samples: 400 } })).toBe('medium');
    expect(confidence('micro-flow', 4, { deviation: { sigmaUsd: 100_000, samples: 30 } })).toBe('low');
    expect(confidence('proxy-premium', 10, {})).toBe('high');
    expect(confidence('proxy-premium', 10, { proxyTape: undefined })).toBe('medium');
    expect(confidence('regional-premium', 300, {})).toBe('high');
    const told = seen['regional-premium']?.(300).korea;
    const old = [snapshot('dunamu', [rate(1_400, 5 * 86_400_000)])];
    expect(confidence('regional-premium', 300, { korea: { ...told, rates: old } })).toBe('low');
  });

  it('go on under their id after a restart, unless that took longer than a calm while', () => {
    const before = new SignalWatch('BTC');
    const first = signalOf(before, 'proxy-premium', 10, NOW_MS);
    const resumed = (afterMs: number, value: number): string | undefined =>
      signalOf(new SignalWatch('BTC', before.marks), 'proxy-premium', value, NOW_MS + afterMs)?.id;
    expect(resumed(CALM_MS - 1, 7)).toBe(first?.id);
    expect(resumed(CALM_MS, 10)).not.toBe(first?.id);
    expect(resumed(CALM_MS, 7)).toBeUndefined();
  });
});
