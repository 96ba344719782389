import { describe, expect, it } from 'vitest';
import { barKinds, beginningOf, chartHref, specOf, specText, summaryOf } from './build-form.ts';

const form = { coin: 'BTC', kind: 'range', params: { rangeTicks: '50' }, days: '1', tick: '' };

describe('the form of a build', () => {
  it.each(barKinds)('begins with something that can be built of $name bars', ({ name, params }) => {
    const begun = Object.fromEntries(params.map((param) => [param.name, beginningOf(param)]));
    expect(specOf({ ...form, kind: name, params: begun })).toHaveProperty('spec.kind', name);
  });

  it('asks for what was typed, defaults included, and for a tick only when there is one', () => {
    expect(specOf(form)).toEqual({
      spec: { coin: 'BTC', kind: 'range', params: { rangeTicks: 50 }, days: 1 },
    });
    expect(specOf({ ...form, kind: 'pnf', params: { boxTicks: '4' }, tick: '0.5' })).toEqual({
      spec: { coin: 'BTC', kind: 'pnf', params: { boxTicks: 4, reversal: 3 }, days: 1, tick: 0.5 },
    });
  });

  it.each([
    [{ params: { rangeTicks: 'many' } }, /^Range must be a whole number/],
    [{ params: {} }, /^Range is required/],
    [{ days: '8' }, /^Days must be above 0 and at most 7/],
    [{ days: '' }, /^Days must be/],
    [{ tick: '-1' }, /^Tick size must be/],
    [{ kind: 'nothing' }, /Unknown bar type nothing/],
  ])('says what is wrong with %j', (change, words) => {
    expect(specOf({ ...form, ...change })).toHaveProperty('error', expect.stringMatching(words));
  });

  it('describes no kind by names of parameters', () => {
    const names = barKinds
      .flatMap(({ params }) => params.map(({ name }) => name))
      .filter((name) => /[A-Z]/.test(name));
    for (const kind of barKinds) for (const name of names) expect(summaryOf(kind)).not.toContain(name);
  });

  it('names a build, and where the market page shows the like', () => {
    const spec = { coin: 'BTC', kind: 'volume', params: { volume: 5, unit: 'usd' }, days: 2 } as const;
    expect(specText(spec)).toBe('Volume per bar 5 · Unit of size usd · 2 days');
    expect(chartHref(spec)).toBe('/m/BTC?kind=volume&volume=5&days=2');
    expect(chartHref({ ...spec, params: { volume: 5, unit: 'base' } })).toBeUndefined();
  });
});
