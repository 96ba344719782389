import type { Trade } from '@crosstape/core';
import { expect, it } from 'vitest';
import { LateMinutes } from './late-minutes.ts';

const M = 60_000;
const minutes = new LateMinutes();
const spans = (ts: number, venueTs: number | undefined, coin = 'BTC') =>
  minutes
    .of({ coin, ts, ...(venueTs !== undefined && { venueTs }) } as Trade)
    .map(({ from, to }) => [from, to]);

it('names the minute of a late trade and the one where it stands, once', () => {
  expect(spans(10 * M + 5_300, 8 * M + 200)).toEqual([
    [8 * M, 9 * M],
    [10 * M, 10 * M + 6_000],
  ]);
  expect(spans(10 * M + 5_300, 8 * M + 900)).toEqual([]);
  expect(spans(10 * M + 5_300, 8 * M + 900, 'ETH').length).toBe(2);
  expect(spans(10 * M + 7_000, 9 * M)).toEqual([
    [9 * M, 10 * M],
    [10 * M, 10 * M + 8_000],
  ]);
});

it('counts one that missed its minute by a moment, and one that is in it but more than a second late', () => {
  expect(spans(20 * M, 20 * M - 1)).toEqual([
    [19 * M, 20 * M],
    [20 * M, 20 * M + 1_000],
  ]);
  expect(spans(20 * M + 5_001, 20 * M + 4_000)).toEqual([[20 * M, 20 * M + 6_000]]);
});

it('names both minutes of a trade whose time is ahead of our clock, but none that is hours ahead', () => {
  expect(spans(40 * M, 43 * M + 5_000)).toEqual([
    [43 * M, 44 * M],
    [40 * M, 41 * M],
  ]);
  expect(spans(40 * M, 43 * M + 1_000)).toEqual([]);
  expect(spans(41 * M, 43 * M + 9_000)).toEqual([
    [43 * M, 44 * M],
    [41 * M, 42 * M],
  ]);
  expect(spans(42 * M, 42 * M + 7_000)).toEqual([[42 * M, 43 * M]]);
  expect(spans(44 * M, 200 * M)).toEqual([[44 * M, 45 * M]]);
});

it('leaves those that are on time, or a second late at most', () => {
  expect(spans(50 * M, undefined)).toEqual([]);
  expect(spans(50 * M + 5_000, 50 * M + 4_000)).toEqual([]);
});
