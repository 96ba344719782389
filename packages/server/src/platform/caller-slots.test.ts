import { ManualClock } from '@crosstape/core';
import { beforeEach, expect, it } from 'vitest';
import { CallerSlots } from './caller-slots.ts';

let clock: ManualClock;
let slots: CallerSlots;
beforeEach(() => {
  clock = new ManualClock(0);
  slots = new CallerSlots({ clock, slotsMax: 4, perCallerMax: 2, waitMs: 60_000, waitingPerCallerMax: 3 });
});

async function taken(caller: string): Promise<() => void> {
  return (await slots.take(caller)) ?? expect.fail('no turn');
}

/** Waits for a slot; lists the callers in the order of their slots. */
function wait(callers: readonly string[]): { readonly order: string[]; readonly ends: (() => void)[] } {
  const order: string[] = [];
  const ends: (() => void)[] = [];
  const waitFor = async (caller: string): Promise<void> => {
    const end = await slots.take(caller);
    order.push(end ? caller : `${caller}: none`);
    if (end) ends.push(end);
  };
  for (const caller of callers) void waitFor(caller);
  return { order, ends };
}

const settled = (): Promise<void> => new Promise(setImmediate);

it('leaves slots to others when a caller has its share, and gives it the next one of its own', async () => {
  const [first] = [await taken('hog'), await taken('hog')];
  const { order } = wait(['hog', 'hog', 'other']);
  await settled();
  expect(order).toEqual(['other']);
  const another = await taken('another');
  another();
  await settled();
  expect(order).toEqual(['other']);
  first();
  first();
  await settled();
  expect(order).toEqual(['other', 'hog']);
});

it('gives slots that become free to callers one after the other', async () => {
  const held = [await taken('a'), await taken('a'), await taken('b'), await taken('b')];
  const { order, ends } = wait(['c', 'c', 'd', 'a']);
  held[2]?.();
  held[3]?.();
  await settled();
  expect(order).toEqual(['c', 'd']);
  ends[0]?.();
  await settled();
  // Caller `a` has its share.
  expect(order).toEqual(['c', 'd', 'c']);
  held[0]?.();
  await settled();
  expect(order).toEqual(['c', 'd', 'c', 'a']);
});

it('gives none to one that waits for too long, or when too many of a caller wait', async () => {
  const held = [await taken('a'), await taken('a')];
  const { order } = wait(['a', 'a', 'a', 'a']);
  await settled();
  expect(order).toEqual(['a: none']);
  clock.advance(60_000);
  await settled();
  expect(order).toEqual(['a: none', 'a: none', 'a: none', 'a: none']);
  held[0]?.();
  await taken('a');
});

it('leaves slots to others when a network has half of them', async () => {
  const first = await taken('2001:db8:1:1::/64');
  await taken('2001:db8:1:2::/64');
  const { order } = wait(['2001:db8:1:3::/64', '192.0.2.1']);
  await settled();
  expect(order).toEqual(['192.0.2.1']);
  first();
  await settled();
  expect(order).toEqual(['192.0.2.1', '2001:db8:1:3::/64']);
});
