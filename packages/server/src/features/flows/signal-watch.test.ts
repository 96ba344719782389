import { MINUTE_MS } from '@crosstape/core';
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

const minuteOf = (ms: number): number => Math.floor(ms / MINUTE_MS) * MINUTE_MS;

/** Figures that give one rule a value, and keep all other rules quiet. */
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
  return watch.update(figures).find(({ id }) => id.split(':')[1]?.replace(/-\d+$/, '') === slug);
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

  it('reports nothing in a quiet market', () => {
    expect(new SignalWatch('BTC').update(flowFigures(sampleInputs()))).toEqual([]);
  });

  describe.each(signalRules.map(({ slug, warm, hot }) => ({ slug, warm, hot })))(
    '$slug',
    ({ slug, warm, hot }) => {
      const signs = slug === 'venue-dispersion' ? [1] : [1, -1];
      /** The smallest step that the figures can show. */
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

      it('is hot only while its value is, and keeps its id and its peak', () => {
        const watch = new SignalWatch('BTC');
        const first = signalOf(watch, slug, 1.1 * hot, NOW_MS);
        const at = (size: number, second: number): unknown => {
          const { severity, current, id, peak } = signalOf(watch, slug, size, NOW_MS + second * 1_000) ?? {};
          return { severity, current, isSame: id === first?.id, isSamePeak: peak === first?.peak };
        };
        const is = (severity: string, current: number): unknown => ({
          severity,
          current: expect.closeTo(current, 1),
          isSame: true,
          isSamePeak: true,
        });
        expect(at(hot - step, 1)).toEqual(is('warm', hot - step));
        expect(at(hot, 2)).toEqual(is('hot', hot));
        expect(at(warm, 3)).toEqual(is('warm', warm));
        expect(at(warm - step, 4)).toEqual(is('info', warm - step));
        expect(at(0.5 * warm, 5)).toEqual(is('info', 0.5 * warm));
      });
    },
  );

  it('claims no more than its current value in title and message', () => {
    const watch = new SignalWatch('BTC');
    const say = (value: number, second: number): unknown => {
      const { title, message, peak, unit } =
        signalOf(watch, 'proxy-premium', value, NOW_MS + second * 1_000) ?? {};
      return [title, message?.match(/[\d.]+ bps \w+/)?.[0], peak, unit];
    };
    expect(say(20, 0)).toEqual(['Strong Coinbase premium', '20.0 bps more', 20, 'bps']);
    expect(say(14.99, 1)).toEqual(['Coinbase premium', '14.9 bps more', 20, 'bps']);
    expect(say(7.99, 2)).toEqual(['Slight Coinbase premium', '7.9 bps more', 20, 'bps']);
    expect(say(-3, 3)).toEqual(['Slight Coinbase discount', '3.0 bps less', 20, 'bps']);
  });

  it('ends, too, when its value is no longer known, and says until then that it is unknown', () => {
    const watch = new SignalWatch('BTC');
    const first = signalOf(watch, 'proxy-premium', 20, NOW_MS);
    const unknown = (afterMs: number): FlowSignal | undefined =>
      watch
        .update({ ...flowFigures(sampleInputs({ spots: [] })), atMs: NOW_MS + afterMs })
        .find(({ id }) => id.includes('proxy-premium'));
    expect(unknown(CALM_MS - 1)).toMatchObject({
      id: first?.id,
      severity: 'info',
      title: 'Coinbase premium unknown',
      current: null,
      peak: 20,
      ts: NOW_MS,
    });
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
  });

  it('has a counter in its id for each turn within a minute, so that the id carries a whole minute', () => {
    const minuteMs = minuteOf(NOW_MS) + MINUTE_MS;
    const before = new SignalWatch('BTC');
    const idOf = (watch: SignalWatch, value: number, second: number): string | undefined =>
      signalOf(watch, slug, value, minuteMs + second * 1_000)?.id;
    const ids = [idOf(before, 10, 1), idOf(before, -10, 2), idOf(before, 10, 3)];
    const after = new SignalWatch('BTC', before.marks);
    ids.push(idOf(after, -10, 4), idOf(after, 10, 61));
    expect(ids).toEqual([
      `BTC:${slug}:${minuteMs}`,
      `BTC:${slug}-2:${minuteMs}`,
      `BTC:${slug}-3:${minuteMs}`,
      `BTC:${slug}-4:${minuteMs}`,
      `BTC:${slug}:${minuteMs + MINUTE_MS}`,
    ]);
  });

  it('begins with its own peak', () => {
    const watch = new SignalWatch('BTC');
    signalOf(watch, slug, 20, NOW_MS);
    expect(signalOf(watch, slug, -9, NOW_MS + 1_000)).toMatchObject({ current: -9, peak: -9 });
  });

  it('stays the first signal short of the other threshold, which does not keep it alive', () => {
    const watch = new SignalWatch('BTC');
    const first = signalOf(watch, slug, 10, NOW_MS);
    expect(signalOf(watch, slug, -7.9, NOW_MS + CALM_MS - 1)).toMatchObject({
      id: first?.id,
      severity: 'info',
      current: -7.9,
      peak: 10,
      ts: NOW_MS,
    });
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
      'Spot prices far apart',
      'BTC trades 30.0 bps higher on OKX than on Coinbase.',
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
      'The flow pressure score is -78, from 5 of 5 components.',
    ]);
    const etf = { flows: snapshot('farside', [etfDays(10, -10, 10, -10, 50)]), isOk: true };
    const [signal] = new SignalWatch('BTC').update(flowFigures(sampleInputs({ etf })));
    expect(signal).toMatchObject({
      title: 'Large ETF inflow',
      message: 'ETFs saw inflows of 50 million USD on their last complete day, 2.2 standard deviations.',
    });
  });

  it('say over how much time the usual net is known until that is 24 hours', () => {
    const figures = flowFigures(
      sampleInputs({ ...seen['micro-flow']?.(6), deviation: { sigmaUsd: 100_000, samples: 90 } }),
    );
    const signal = new SignalWatch('BTC').update(figures).find(({ layer }) => layer === 'micro');
    expect(signal?.message).toContain('6.0 standard deviations of the last 90 minutes.');
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
    const reported = seen['regional-premium']?.(300).korea;
    const korea = reported && { ...reported, books: undefined };
    expect(confidence('regional-premium', 300, { ...(korea && { korea }) })).toBe('medium');
  });

  it('continue under their id after a restart, unless that took longer than a calm while', () => {
    const before = new SignalWatch('BTC');
    const first = signalOf(before, 'proxy-premium', 10, NOW_MS);
    const resumed = (afterMs: number, value: number): string | undefined =>
      signalOf(new SignalWatch('BTC', before.marks), 'proxy-premium', value, NOW_MS + afterMs)?.id;
    expect(resumed(CALM_MS - 1, 7)).toBe(first?.id);
    expect(resumed(CALM_MS, 10)).not.toBe(first?.id);
    expect(resumed(CALM_MS, 7)).toBeUndefined();
  });

  it('of an older version, begun within a minute, continue under a whole minute', () => {
    const mark = {
      slug: 'proxy-premium',
      beganMs: minuteOf(NOW_MS) + 1_234,
      sign: 1,
      warmMs: NOW_MS,
    } as const;
    const signal = signalOf(new SignalWatch('BTC', [mark]), 'proxy-premium', 10, NOW_MS + 1);
    expect(signal).toMatchObject({ id: `BTC:proxy-premium-2:${minuteOf(NOW_MS)}`, peak: 10 });
  });
});
