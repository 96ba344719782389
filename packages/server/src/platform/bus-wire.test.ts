import { expect, it } from 'vitest';
import { shardsOf } from './bus-wire.ts';
import { hashSlot, SLOTS } from './hash-slot.ts';

it('knows the slot of a tag as a cluster does', () => {
  // The check value of CRC16/XMODEM, and what `CLUSTER KEYSLOT` says.
  expect(hashSlot('123456789')).toBe(0x31c3);
  expect(hashSlot('foo')).toBe(12_182);
});

it.each(['crosstape:live', 'crosstape:sim/1', 'crosstape:sim/42'])(
  'shares out the shards of %s evenly among the masters of a cluster',
  (prefix) => {
    const slots = shardsOf(prefix).map(({ log }) => hashSlot(/\{(.+)\}/.exec(log)?.[1] ?? ''));
    const perMaster = (masters: number): readonly number[] =>
      Array.from(
        { length: masters },
        (_, i) => slots.filter((slot) => Math.floor((slot * masters) / SLOTS) === i).length,
      );
    expect(perMaster(2)).toEqual([4, 4]);
    expect(perMaster(4)).toEqual([2, 2, 2, 2]);
    expect(perMaster(8)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
    expect(Math.max(...perMaster(3))).toBe(3);
    expect(new Set(slots).size).toBe(8);
  },
);
