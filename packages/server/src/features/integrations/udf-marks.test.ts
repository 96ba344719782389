import { MINUTE_MS, type Trade } from '@crosstape/core';
import { expect, it } from 'vitest';
import { LateMinutes } from '../tape/late-minutes.ts';
import { gapText } from './udf-marks.ts';

it('reports no missing trades for a minute with late ones', () => {
  const [late] = new LateMinutes().of({ coin: 'BTC', ts: 90_000, venueTs: 30_000 } as Trade);
  const expected = 'No trade is missing, but trades arrived late and are recorded at their arrival time.';
  expect(gapText(late!)).toBe(expected);
});

it('reports for others how long trades are or may be missing, and why', () => {
  const gap = { from: 0, to: MINUTE_MS, state: 'missing' };
  expect(gapText(gap)).toBe('Trades are missing for 60 s.');
  expect(gapText({ ...gap, state: 'partial', reason: 'no socket' })).toBe(
    'Trades may be missing for 60 s. no socket',
  );
});
