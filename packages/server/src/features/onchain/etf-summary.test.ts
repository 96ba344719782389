import { DAY_MS, type EtfDay, type EtfFlows } from '@crosstape/core';
import { describe, expect, it } from 'vitest';
import { summariseEtf } from './etf-summary.ts';

const NOW_MS = Date.UTC(2026, 10, 12, 12);
const TODAY_MS = Date.UTC(2026, 10, 12);

function day(daysAgo: number, flowsUsdm: Readonly<Record<string, number>>): EtfDay {
  const totalUsdm = Object.values(flowsUsdm).reduce((sum, one) => sum + one, 0);
  return { label: `${daysAgo} ago`, dayMs: TODAY_MS - daysAgo * DAY_MS, flowsUsdm, totalUsdm };
}

function flows(days: readonly EtfDay[], isSinceLaunch = false): EtfFlows {
  return { coin: 'BTC', tickers: ['A', 'B', 'C'], days, isSinceLaunch };
}

const full = { A: 1, B: 2 };

describe('a day is complete', () => {
  const partial = (days: readonly EtfDay[]): readonly boolean[] | undefined =>
    summariseEtf(flows(days), NOW_MS)?.days.map(({ isPartial }) => isPartial);

  it('when every recent reporter has a figure, even zero', () => {
    expect(partial([day(3, full), day(2, { A: 0, B: 0 }), day(1, { A: 5 })])).toEqual([false, false, true]);
  });

  it('though a new fund reports for the first time, which is expected from then on', () => {
    expect(partial([day(3, full), day(2, { ...full, C: 0 }), day(1, full)])).toEqual([false, false, true]);
  });

  it('again when a fund has been silent for ten days', () => {
    const days = [day(14, { ...full, C: 1 }), ...Array.from({ length: 12 }, (_, i) => day(13 - i, full))];
    expect(partial(days)).toEqual([false, ...Array.from({ length: 10 }, () => true), false, false]);
  });
});

it('returns the last complete day, not the current one', () => {
  const summary = summariseEtf(flows([day(2, full), day(1, { A: 7, B: 1 }), day(0, { A: 100 })]), NOW_MS);
  expect(summary?.latest.totalUsdm).toBe(8);
});

it('shows 30 calendar days, today among them', () => {
  const days = Array.from({ length: 40 }, (_, i) => day(39 - i, full));
  const summary = summariseEtf(flows(days), NOW_MS);
  expect(summary?.days).toHaveLength(30);
  expect(summary?.days[0]?.dayMs).toBe(TODAY_MS - 29 * DAY_MS);
  expect(summary?.days.at(-1)?.dayMs).toBe(TODAY_MS);
});

it('adds up everything since the launch where the source goes back so far, else what is shown, and says from when', () => {
  const days = Array.from({ length: 40 }, (_, i) => day(39 - i, { A: 0.1, B: 0.2 }));
  expect(summariseEtf(flows(days, true), NOW_MS)).toMatchObject({ cumulativeUsdm: 12 });
  expect(summariseEtf(flows(days, true), NOW_MS)).not.toHaveProperty('cumulativeFromMs');
  expect(summariseEtf(flows(days), NOW_MS)).toMatchObject({
    cumulativeUsdm: 9,
    cumulativeFromMs: TODAY_MS - 29 * DAY_MS,
  });
});

it('has nothing to say without a complete day', () => {
  expect(summariseEtf(flows([]), NOW_MS)).toBeUndefined();
});
