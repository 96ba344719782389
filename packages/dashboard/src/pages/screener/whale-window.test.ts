import { expect, it } from 'vitest';
import { WHALES_MAX, whaleWindow } from './whale-window.ts';

const MINUTE_MS = 60_000;
const NOW_MS = 2_000 * 60 * MINUTE_MS;
const minutesAgo = (minutes: number): number => NOW_MS - minutes * MINUTE_MS;
const printsSince = (minutes: number, count = WHALES_MAX) =>
  Array.from({ length: count }, (_, i) => ({ ts: minutesAgo((minutes * i) / (count - 1)) }));

it('is a day where all its prints were returned', () => {
  expect(whaleWindow(printsSince(300, 999), 0, NOW_MS)).toEqual({ sinceMs: minutesAgo(1_440), text: '24 h' });
  expect(whaleWindow([], undefined, NOW_MS).text).toBe('24 h');
});

it('is shorter where there are more prints than an answer has', () => {
  expect(whaleWindow(printsSince(300), 0, NOW_MS)).toEqual({ sinceMs: minutesAgo(240), text: '4 h' });
  // The oldest time may have more prints.
  expect(whaleWindow(printsSince(240), 0, NOW_MS).text).toBe('1 h');
  expect(whaleWindow(printsSince(7), 0, NOW_MS)).toEqual({ sinceMs: minutesAgo(7) + 1, text: '6 m' });
});

it('does not begin before the record', () => {
  expect(whaleWindow(printsSince(20, 5), minutesAgo(90), NOW_MS).text).toBe('1 h');
  expect(whaleWindow([], minutesAgo(3), NOW_MS)).toEqual({ sinceMs: minutesAgo(3), text: '3 m' });
});
