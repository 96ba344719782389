import { describe, expect, it } from 'vitest';
import { chooseExpiries, daysText, expiryColor, labelOf, readable } from './expiries.ts';

describe('expiries', () => {
  const all = [0.8, 1.8, 6.8, 29, 100, 190, 400].map((dteDays, i) => ({ dteDays, expiryLabel: `E${i}` }));

  it('nearest to a week, a month, a quarter and half a year are shown first, each once', () => {
    expect(chooseExpiries(all)).toEqual(['E2', 'E3', 'E4', 'E5']);
    expect(chooseExpiries(all.slice(0, 2))).toEqual(['E1']);
    expect(chooseExpiries([])).toEqual([]);
  });

  it('are labelled as by the venue, and printed for readers', () => {
    expect(labelOf(Date.UTC(2026, 10, 4, 8))).toBe('04NOV26');
    expect(readable('04NOV26')).toBe('04 Nov 26');
    expect(readable('PERPETUAL')).toBe('PERPETUAL');
    expect([daysText(0.8), daysText(12.4)]).toEqual(['19 h', '12 d']);
  });

  it('have a colour by their place among all', () => {
    const labels = all.map(({ expiryLabel }) => expiryLabel);
    expect(expiryColor(labels, 'E0')).toBe('--series-1');
    expect(expiryColor([...labels, 'E7', 'E8', 'E9'], 'E9')).toBe('--series-1');
  });
});
