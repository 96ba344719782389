import { DAY_MS } from '@crosstape/core';
import { describe, expect, it } from 'vitest';
import { Malformed } from '../venue.ts';
import { readFlowTable } from './flow-table.ts';

const LAUNCH_MS = Date.UTC(2024, 0, 11);
const MONTHS = ['Jan', 'Feb', 'Mar'];

const labelOf = (i: number): string => {
  const day = new Date(LAUNCH_MS + i * DAY_MS);
  return `${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]} ${day.getUTCFullYear()}`;
};

/** This many days since the launch, all alike except for the given ones. */
function read(changed: Readonly<Record<number, readonly string[]>>, { days = 30, total = 'Total' } = {}) {
  const rows = Array.from({ length: days }, (_, i) => [
    labelOf(i),
    ...(changed[i] ?? ['1.0', '2.0', '-', '3.0']),
  ]);
  const table = [['Date', 'IBIT', 'FBTC', 'GBTC', total], ...rows];
  return readFlowTable([table], 'bitcoin', LAUNCH_MS + days * DAY_MS);
}

describe('a table of flows', () => {
  it('reaches back to the launch while no day is refused', () => {
    const { flows, refused } = read({});
    expect(flows).toMatchObject({ isSinceLaunch: true });
    expect(flows).not.toHaveProperty('refusedDays');
    expect(refused).toEqual([]);
  });

  it('names malformed days, and still goes back to the launch', () => {
    const { flows, refused } = read({ 5: ['1.0', '2.0', '-', '9.0'], 9: ['1.0', 'n/a', '-', '1.0'] });
    expect(flows).toMatchObject({ isSinceLaunch: true, refusedDays: ['16 Jan 2024', '20 Jan 2024'] });
    expect(flows.days).toHaveLength(28);
    expect(refused).toHaveLength(2);
    const isSinceLaunch = true;
    expect(read({ 0: ['1.0', 'n/a', '-', '1.0'] }).flows).toMatchObject({
      isSinceLaunch,
      refusedDays: ['11 Jan 2024'],
    });
  });

  it('says so where it begins later', () => {
    const table = [
      ['Date', 'IBIT', 'FBTC', 'GBTC', 'Total'],
      ['12 Jan 2024', '1.0', '2.0', '-', '3.0'],
    ];
    expect(readFlowTable([table], 'bitcoin', LAUNCH_MS + DAY_MS).flows.isSinceLaunch).toBe(false);
  });

  it.each([
    ['three figures', ['1.0', '2.0', '3.0', '6.2'], ['1.0', '2.0', '3.0', '6.3']],
    ['one figure', ['1.0', '-', '-', '1.1'], ['1.0', '-', '-', '1.2']],
  ])(
    'lets the total of %s be half a tenth off for each cell that was rounded, and no more',
    (_, near, far) => {
      expect(read({ 5: near }).flows).not.toHaveProperty('refusedDays');
      expect(read({ 5: far }).flows).toHaveProperty('refusedDays', ['16 Jan 2024']);
    },
  );

  it('takes a last column without a name for the total when most rows prove it', () => {
    const near = ['1.0', '2.0', '3.0', '6.2'];
    const most = Object.fromEntries(Array.from({ length: 16 }, (_, i) => [i, near]));
    const fewer = Object.fromEntries(Array.from({ length: 14 }, (_, i) => [i, near]));
    expect(read(fewer, { total: '' }).flows.days).toHaveLength(30);
    expect(() => read(most, { total: '' })).toThrow(Malformed);
    expect(read(most).flows.days).toHaveLength(30);
  });
});

describe('rows of real pages', () => {
  it('take a date alone for a day that is not reported yet', () => {
    const { flows, refused } = read({ 28: ['', '', '', ''], 29: [] });
    expect(refused).toEqual([]);
    expect(flows.days).toHaveLength(28);
    expect(flows).not.toHaveProperty('refusedDays');
  });

  it('read figures with a footnote, and note that there are some', () => {
    const { flows, refused, notes } = read({ 5: ['1.0*', '(2.0)†', '-', '(1.0*)'] });
    expect(refused).toEqual([]);
    expect(flows.days[5]).toMatchObject({ flowsUsdm: { IBIT: 1, FBTC: -2 }, totalUsdm: -1 });
    expect(notes).toEqual(['Figures with a footnote: 3, the last is 16 Jan 2024 Total (1.0*).']);
    expect(read({}).notes).toEqual([]);
  });
});
