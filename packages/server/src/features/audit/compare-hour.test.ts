import { type CandleFigure, MINUTE_MS, type Trade } from '@crosstape/core';
import { expect, it } from 'vitest';
import { compareHour } from './compare-hour.ts';
import { minutesOf, tradesFrom } from './testing/recorded-hour.ts';

const HOUR = Date.UTC(2026, 10, 16, 9);
const trades = tradesFrom(HOUR, 60);
const venue = minutesOf(trades);
const proves: readonly CandleFigure[] = ['prices', 'volume', 'buyVolume', 'notional', 'trades'];
const minuteOf = ({ ts }: Trade): number => Math.floor((ts - HOUR) / MINUTE_MS);
const common = { market: 'hyperliquid:BTC', hour: HOUR, venue, proves, gaps: [] };

function audit(recorded: readonly Trade[], rest: Partial<Parameters<typeof compareHour>[0]> = {}) {
  return compareHour({ ...common, ours: minutesOf(recorded), ...rest });
}

/** Minutes of the hour that are named. */
function namedIn({ minutes = [] }: ReturnType<typeof audit>): readonly number[] {
  return minutes.map(({ ts }) => (ts - HOUR) / MINUTE_MS);
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
const inMinutes = (from: number, to: number) => (trade: Trade) =>
  minuteOf(trade) >= from && minuteOf(trade) < to;

it('is equal when every figure of every minute is the same', () => {
  const result = audit(trades);
  expect(result).toMatchObject({ verdict: 'equal', diffPct: 0 });
  expect(result.minutes).toBeUndefined();
  expect(result.ours).toEqual(result.venue);
  expect(result.ours.trades).toBe(trades.length);
});

it.each<[string, readonly Trade[], readonly number[], readonly CandleFigure[]]>([
  ['a lost frame', trades.filter((one) => !inMinutes(12, 13)(one) || one.tid % 2 === 0), [12], ['volume']],
  [
    'a doubled frame',
    trades.flatMap((one) => (inMinutes(30, 31)(one) ? [one, one] : [one])),
    [30],
    ['trades'],
  ],
  [
    'a wrong side',
    trades.map((one) => (inMinutes(5, 7)(one) ? { ...one, side: 'sell' as const } : one)),
    [5, 6],
    ['buyVolume'],
  ],
  [
    'a wrong price',
    trades.map((one) => (inMinutes(44, 45)(one) ? { ...one, price: one.price * 2 } : one)),
    [44],
    ['prices', 'notional'],
  ],
  ['a frozen feed', trades.filter((one) => !inMinutes(20, 26)(one)), range(20, 26), ['volume']],
  ['a shifted clock', trades.map((one) => ({ ...one, ts: one.ts + 61_000 })), range(0, 60), ['volume']],
])('finds %s, and names its minutes', (_, recorded, minutes, figures) => {
  const result = audit(recorded.filter(({ ts }) => ts < HOUR + 60 * MINUTE_MS));
  expect(result.verdict).toBe('differs');
  expect(namedIn(result)).toEqual(minutes);
  for (const one of result.minutes ?? []) {
    if (one.ours && one.venue) expect(one.figures).toEqual(expect.arrayContaining([...figures]));
    expect(one.isReported).toBe(false);
  }
});

it('finds a wrong contract size by the worth, where volumes count contracts on both sides', () => {
  const contracts = (size: number) =>
    minutesOf(trades, size).map(({ volume: _, ...row }) => ({ ...row, volume: 1 }));
  const result = audit(trades, {
    ours: contracts(0.1),
    venue: contracts(0.01),
    proves: ['volume', 'notional'],
  });
  expect(result.verdict).toBe('differs');
  expect(namedIn(result)).toEqual(range(0, 60));
});

it.each([
  ['incomplete', [{ from: HOUR + 20 * MINUTE_MS, to: HOUR + 26 * MINUTE_MS }]],
  // The gap does not explain all of it.
  ['differs', [{ from: HOUR + 20 * MINUTE_MS, to: HOUR + 22 * MINUTE_MS }]],
] as const)('is %s with a reported gap of %j', (verdict, gaps) => {
  const result = audit(
    trades.filter((one) => !inMinutes(20, 26)(one)),
    { gaps },
  );
  expect(result.verdict).toBe(verdict);
  expect(namedIn(result)).toEqual(range(20, 26));
});

/** The tape after an outage: its trades follow the first live ones, at a time that is not before theirs. */
function withOutage(from: number, to: number, recorded = trades): readonly Trade[] {
  const isLate = ({ ts }: Trade): boolean => ts >= from && ts < to;
  const live = recorded.findIndex(({ ts }) => ts >= to);
  const atTs = recorded[live]!.ts;
  const late = recorded.filter(isLate).map((trade) => ({ ...trade, ts: atTs }));
  return [
    ...recorded.slice(0, live).filter((one) => !isLate(one)),
    recorded[live]!,
    ...late,
    ...recorded.slice(live + 1),
  ];
}

const ms = (minute: number, second = 0): number => HOUR + minute * MINUTE_MS + second * 1_000;

it.each([
  ['within a minute', ms(50, 35), ms(50, 55)],
  ['over the end of a minute', ms(50, 40), ms(51, 10)],
  ['up to the end of a minute', ms(50, 20), ms(51)],
  ['of several minutes', ms(20, 15), ms(24, 5)],
])('is equal where what was refilled is %s', (_, from, to) => {
  const recorded = withOutage(from, to);
  expect(audit(recorded).verdict).not.toBe('equal');
  const result = audit(recorded, { refilled: [{ from, to }] });
  expect(result).toMatchObject({ verdict: 'equal', diffPct: 0 });
  expect(result.minutes).toBeUndefined();
});

it('finds what is wrong in refilled minutes, and beside them', () => {
  const [from, to] = [ms(50, 40), ms(51, 10)];
  const refilled = [{ from, to }];
  const lost = withOutage(from, to).filter(({ tid }) => tid !== trades.findLast(({ ts }) => ts < to)!.tid);
  expect(audit(lost, { refilled }).verdict).toBe('differs');
  const dear = trades.map((one) => (one.ts >= from && one.ts < to ? { ...one, price: 2 * one.price } : one));
  expect(audit(withOutage(from, to, dear), { refilled, proves: ['prices'] }).verdict).toBe('differs');
  const beside = withOutage(from, to).filter((one) => !inMinutes(53, 54)(one));
  expect(audit(beside, { refilled })).toMatchObject({ verdict: 'differs', minutes: [{ ts: ms(53) }] });
});

it('is incomplete where refilled trades moved to the next hour or came from the previous one', () => {
  const early = trades.filter(({ ts }) => ts < ms(59, 40));
  expect(audit(early, { refilled: [{ from: ms(59, 40), to: ms(60, 5) }] }).verdict).toBe('incomplete');
  const more = [...trades.slice(0, 2), { ...trades[1]!, tid: 1e6 }, ...trades.slice(2)];
  expect(audit(more, { refilled: [{ from: ms(-1, 40), to: ms(0) }] }).verdict).toBe('incomplete');
  expect(audit(trades, { refilled: [{ from: ms(-1, 40), to: ms(0) }] }).verdict).toBe('equal');
});

it('is incomplete with a gap even if nothing was missed', () => {
  expect(audit(trades, { gaps: [{ from: HOUR, to: HOUR + 1 }] }).verdict).toBe('incomplete');
});

it('is within for a difference of at most 0.1 %, and differs beyond', () => {
  const add = (size: number) => [...trades, { ...(trades.at(-1) as Trade), size, tid: 1e6 }];
  const only = { proves: ['volume'] as const };
  const total = venue.reduce((sum, { volume }) => sum + volume, 0);
  expect(audit(add(Math.floor(total) / 1_000), only)).toMatchObject({ verdict: 'within' });
  expect(audit(add(Math.ceil(total) / 900), only)).toMatchObject({ verdict: 'differs' });
});

it('compares only what the venue proves', () => {
  const wrong = trades.map((one) => ({ ...one, side: 'buy' as const }));
  expect(audit(wrong, { proves: ['volume', 'prices', 'trades'] }).verdict).toBe('equal');
});

it('is unavailable without the candles of the venue, and never equal', () => {
  const { venue: _, ...rest } = common;
  const result = compareHour({ ...rest, ours: minutesOf(trades), reason: 'HTTP 503' });
  expect(result).toMatchObject({ verdict: 'unavailable', reason: 'HTTP 503' });
  expect(result.diffPct).toBeUndefined();
});
