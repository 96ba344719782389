import { expect, it } from 'vitest';
import { indicatorsOf, ownIndicators, ownIndicatorsFrom, sameIndicators } from './cell-indicators.ts';

/** An address after some of its parameters have changed. */
function changed(query: string, params: Readonly<Record<string, string | undefined>>): string {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined) next.delete(name);
    else next.set(name, value);
  }
  return next.toString().replaceAll('%2C', ',');
}
const shown = (query: string, count = 3): (readonly string[])[] =>
  Array.from({ length: count }, (_, place) => indicatorsOf(new URLSearchParams(query), place));

it('opens addresses with the same for all charts, and with none', () => {
  expect(shown('ind=ema20,oi')).toEqual([
    ['ema', 'oi'],
    ['ema', 'oi'],
    ['ema', 'oi'],
  ]);
  expect(shown('n=2', 2)).toEqual([[], []]);
  expect(shown('ind=none', 1)).toEqual([[]]);
});

it('changes those of one chart, also to none', () => {
  const of = (query: string, place: number, next: readonly string[]): string =>
    changed(query, ownIndicators(new URLSearchParams(query), place, next));
  const one = of('ind=oi', 1, ['ema', 'rsi']);
  expect(one).toBe('ind=oi&ind2=ema,rsi');
  expect(shown(one)).toEqual([['oi'], ['ema', 'rsi'], ['oi']]);
  expect(shown(of(one, 0, []))).toEqual([[], ['ema', 'rsi'], ['oi']]);
  // The same as the others again.
  expect(of(one, 1, ['oi'])).toBe('ind=oi');
});

it('gives all charts those of one', () => {
  expect(changed('ind=oi&ind2=ema&ind6=none', sameIndicators(['ema']))).toBe('ind=ema');
  expect(changed('ind=oi&ind2=none', sameIndicators([]))).toBe('');
});

it('forgets those of charts that are no longer shown', () => {
  expect(changed('ind=oi&ind1=rsi&ind2=ema&ind3=atr&ind6=none', ownIndicatorsFrom(2))).toBe(
    'ind=oi&ind1=rsi&ind2=ema',
  );
});
