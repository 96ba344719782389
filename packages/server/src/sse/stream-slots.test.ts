import { expect, test } from 'vitest';
import { StreamSlots, STREAMS_MAX, STREAMS_PER_CALLER } from './stream-slots.ts';

const refusal = (code: string): unknown => expect.objectContaining({ code });

test('one caller can have many streams, but not all', () => {
  const seats = new StreamSlots();
  for (let i = 0; i < STREAMS_PER_CALLER; i += 1) seats.take('one');
  expect(() => seats.take('one')).toThrow(refusal('rate_limited'));
  seats.take('another');
  seats.giveBack('one');
  seats.take('one');
  expect(seats.open).toBe(STREAMS_PER_CALLER + 1);
});

test('all callers together have a bounded number of streams', () => {
  const seats = new StreamSlots();
  for (let i = 0; i < STREAMS_MAX; i += 1) seats.take(`caller ${i}`);
  expect(() => seats.take('late')).toThrow(refusal('overloaded'));
  seats.giveBack('caller 5');
  seats.take('late');
});

test('closing waits until every stream is given back, and gives out none', async () => {
  const seats = new StreamSlots();
  seats.take('one');
  seats.take('one');
  const closed = seats.close();
  expect(() => seats.take('two')).toThrow(refusal('overloaded'));
  seats.giveBack('one');
  expect(await Promise.race([closed, Promise.resolve('open')])).toBe('open');
  seats.giveBack('one');
  await closed;
});

test('closing with no stream open is done at once', async () => {
  await new StreamSlots().close();
});
