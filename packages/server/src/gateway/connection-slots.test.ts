import { ManualClock } from '@crosstape/core';
import { expect, it } from 'vitest';
import { ConnectionSlots } from './connection-slots.ts';

const caller = (i: number): string => `2001:db8:1:${(i % 200).toString(16)}::/64`;

it('leaves half of the sockets to other networks', () => {
  const slots = new ConnectionSlots(new ManualClock(0), 'enforce');
  for (let i = 0; i < 10_000; i += 1) expect(slots.enter(caller(i))).toBe(true);
  expect(slots.enter('2001:db8:1:ffff::/64')).toBe(false);
  expect(slots.enter('192.0.2.1')).toBe(true);
  slots.leave(caller(0), undefined);
  expect(slots.enter('2001:db8:1:ffff::/64')).toBe(true);
});
