import { expect, it } from 'vitest';
import type { Bar } from '../../live/topic.ts';
import { sharesOf, sinceRecord, statesOf, type Stretch } from './coverage-states.ts';

function bar(openTs: number, more: Partial<Bar> = {}): Bar {
  return { openTs, closeTs: openTs + 9, complete: true, fromVenue: false, ...more } as Bar;
}

const stretches: readonly Stretch[] = [
  { from: 20, to: 34, state: 'complete' },
  { from: 34, to: 36, state: 'refilled' },
  { from: 36, to: 42, state: 'complete' },
  { from: 42, to: 45, state: 'missing' },
  { from: 45, to: 70, state: 'complete' },
];

it('gives each bar the worst state within it, and asks the bar where nothing is known', () => {
  const bars = [
    bar(0, { fromVenue: true }),
    bar(10, { complete: false }),
    bar(20),
    bar(30),
    bar(40),
    bar(50),
    bar(70),
  ];
  expect(statesOf(bars, stretches)).toEqual([
    'venue',
    'partial',
    'complete',
    'refilled',
    'missing',
    'complete',
    'complete',
  ]);
});

it('sums up the visible time of each state, and asks the bar where nothing is known', () => {
  const bars = [30, 40, 50, 60, 70].map((openTs) => bar(openTs, { complete: openTs !== 70 }));
  expect(sharesOf(bars, stretches)).toEqual([
    { state: 'complete', share: 0.7 },
    { state: 'refilled', share: 0.04 },
    { state: 'partial', share: 0.2 },
    { state: 'missing', share: 0.06 },
  ]);
  expect(sharesOf([], stretches)).toEqual([]);
});

it('counts the time of missing bars, and of the bar in progress what has passed', () => {
  const known: readonly Stretch[] = [
    { from: 0, to: 10, state: 'complete' },
    { from: 10, to: 30, state: 'missing' },
    { from: 30, to: 40, state: 'complete' },
  ];
  expect(sharesOf([bar(0), bar(30, { closeTs: 99 })], known)).toEqual([
    { state: 'complete', share: 0.5 },
    { state: 'missing', share: 0.5 },
  ]);
});

it('does not call missing what the venue has from before the record', () => {
  // Half of the last bar from before the record, too.
  const known: readonly Stretch[] = [
    { from: 10, to: 35, state: 'missing' },
    { from: 35, to: 40, state: 'complete' },
  ];
  const bars = [0, 10, 20].map((openTs) => bar(openTs, { fromVenue: true })).concat(bar(30));
  const since = sinceRecord(bars, known);
  expect(statesOf(bars, since)).toEqual(['venue', 'venue', 'venue', 'complete']);
  expect(sharesOf(bars, since)).toEqual([
    { state: 'complete', share: 0.125 },
    { state: 'venue', share: 0.875 },
  ]);
  // A gap within the record is one, also where the states of the record are only known from it on.
  const recorded = [0, 10, 20, 30].map((openTs) => bar(openTs, { fromVenue: openTs === 0 }));
  expect(statesOf(recorded, sinceRecord(recorded, known))).toEqual([
    'venue',
    'missing',
    'missing',
    'missing',
  ]);
});
