import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MessagePacker, MessageUnpacker } from './packed-messages.ts';

const plain = fc.oneof(fc.double(), fc.integer(), fc.boolean(), fc.string({ maxLength: 3 }));
const record = fc.dictionary(fc.constantFrom('ts', 'price', 'side', 'sameOrder', 'venueTs'), plain, {
  noNullPrototype: true,
});
const sent = fc.array(fc.tuple(fc.nat(3), record), { maxLength: 30 });

describe('packed messages', () => {
  it('come back as they were, with their topics, in order, batch after batch', () => {
    fc.assert(
      fc.property(fc.array(sent, { maxLength: 5 }), (batches) => {
        const [packer, unpacker] = [new MessagePacker(), new MessageUnpacker()];
        for (const batch of batches) {
          for (const [topic, message] of batch) expect(packer.add(topic, message)).toBe(true);
          unpacker.open(structuredClone({ values: packer.take(), ...packer.takeNew() }));
          const received = batch.map(() => [unpacker.topic(), unpacker.message()] as const);
          expect(received).toStrictEqual(batch);
          const keys = (list: typeof received) => list.map(([, message]) => Object.keys(message));
          expect(keys(received)).toEqual(keys(batch));
        }
      }),
    );
  });

  it('are flat records of plain values: others are refused, and leave nothing behind', () => {
    const [packer, unpacker] = [new MessagePacker(), new MessageUnpacker()];
    for (const value of [null, undefined, { a: 1 }, [1], 1n])
      expect(packer.add(0, { ts: 1, text: 'x', value })).toBe(false);
    expect(packer.take()).toHaveLength(0);
    expect(packer.add(2, { ts: 5, text: 'x' })).toBe(true);
    unpacker.open({ values: packer.take(), ...packer.takeNew() });
    expect([unpacker.topic(), unpacker.message()]).toEqual([2, { ts: 5, text: 'x' }]);
  });

  it('number a bounded set of texts', () => {
    const packer = new MessagePacker();
    const packed = Array.from({ length: 20_010 }, (_, i) => packer.add(0, { ts: i, text: `text ${i}` }));
    expect(packed.filter(Boolean)).toHaveLength(20_000);
    expect(packer.takeNew().texts).toHaveLength(20_000);
    expect(packer.take()).toHaveLength(4 * 20_000);
    expect(packer.add(0, { ts: 1, text: 'text 7' })).toBe(true);
  });
});
