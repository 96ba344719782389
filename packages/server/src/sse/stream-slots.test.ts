import { expect, test } from 'vitest';
import { StreamSlots, STREAMS_MAX, STREAMS_PER_CALLER, STREAMS_PER_NETWORK } from './stream-slots.ts';

const refusal = (code: string): unknown => expect.objectContaining({ code });

test('one caller can have many streams, but not all', () => {
  const slots = new StreamSlots();
  for (let i = 0; i < STREAMS_PER_CALLER; i += 1) slots.take('one');
  expect(() => slots.take('one')).toThrow(refusal('rate_limited'));
  slots.take('another');
  slots.giveBack('one');
  slots.take('one');
  expect(slots.open).toBe(STREAMS_PER_CALLER + 1);
});

test('all callers together have a bounded number of streams', () => {
  const slots = new StreamSlots();
  for (let i = 0; i < STREAMS_MAX; i += 1) slots.take(`caller ${i}`);
  expect(() => slots.take('late')).toThrow(refusal('overloaded'));
  slots.giveBack('caller 5');
  slots.take('late');
});

test('one network can have half of the streams', () => {
  const slots = new StreamSlots();
  const caller = (i: number): string => `2001:db8:1:${(i % 250).toString(16)}::/64`;
  for (let i = 0; i < STREAMS_PER_NETWORK; i += 1) slots.take(caller(i));
  expect(() => slots.take('2001:db8:1:ffff::/64')).toThrow(refusal('rate_limited'));
  slots.take('2001:db8:2:0::/64');
  slots.giveBack(caller(0));
  slots.take('2001:db8:1:ffff::/64');
});

test('closing waits until every stream is given back, and gives out none', async () => {
  const slots = new StreamSlots();
  slots.take('one');
  slots.take('one');
  const closed = slots.close();
  expect(() => slots.take('two')).toThrow(refusal('overloaded'));
  slots.giveBack('one');
  expect(await Promise.race([closed, Promise.resolve('open')])).toBe('open');
  slots.giveBack('one');
  await closed;
});

test('closing with no stream open is done at once', async () => {
  await new StreamSlots().close();
});
