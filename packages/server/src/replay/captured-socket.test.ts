import { expect, it } from 'vitest';
import { answeredTopics, type CapturedSocket, pickSocket } from './captured-socket.ts';

const socket = (openedMs: number | undefined, closedMs?: number): CapturedSocket => ({
  venue: 'fake',
  path: '/ws',
  openedMs,
  refusedStatus: undefined,
  close: closedMs === undefined ? undefined : { t: closedMs, by: 'venue', code: 1000, reason: '' },
  frames: [],
  confirmations: new Map(),
  hasBooks: false,
  pong: undefined,
  sent: new Map(),
  unanswered: [],
  topics: new Set(),
  pings: new Set(),
});

const over = socket(0, 50);
const first = socket(100, 1_000);
const second = socket(120);
const later = socket(500);
const refused = socket(undefined);
const all = [refused, over, first, second, later];

it.each([
  ['one that is open and free', 110, [], first],
  ['the nearest of those', 130, [], second],
  ['another one when it is taken', 130, [second], first],
  ['the next one when all that are open are taken', 130, [first, second], later],
  ['the next one before any is open', 60, [], first],
  ['one that another client has when there is no other', 130, [first, second, later], second],
] as const)('gives a client %s', (_, atMs, taken, expected) => {
  const set = new Set<CapturedSocket>(taken);
  expect(pickSocket(all, atMs, (one) => set.has(one))).toBe(expected);
});

it('gives one that is over rather than none, and none that was never open', () => {
  expect(pickSocket([refused, over], 900, () => false)).toBe(over);
  expect(pickSocket([refused], 0, () => false)).toBeUndefined();
});

it('takes an answer without topics for that to the oldest subscription, and one with the first for all of it', () => {
  const one = { ...socket(0), unanswered: [['A', 'B'], ['C', 'D'], ['E']] };
  expect(answeredTopics(one, ['C'])).toEqual(['C', 'D']);
  expect(answeredTopics(one, [])).toEqual(['A', 'B']);
  expect(answeredTopics(one, [])).toEqual(['E']);
  expect(answeredTopics(one, [])).toEqual([]);
});
