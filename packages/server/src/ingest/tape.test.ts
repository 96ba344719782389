import type { Trade, VenueTrade } from '@crosstape/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Tape } from './tape.ts';

function collect(): { tape: Tape; released: Trade[] } {
  const released: Trade[] = [];
  return { tape: new Tape({ venue: 'hyperliquid', release: (trade) => released.push(trade) }), released };
}

function trade(part: Partial<VenueTrade>): VenueTrade {
  return { coin: 'BTC', side: 'buy', price: 100, size: 0.1, venueTs: 1_000, tid: 1, ...part };
}

it('releases each trade once, however often and from however many sockets it comes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ coin: fc.constantFrom('BTC', 'ETH'), step: fc.nat(2) }), {
        minLength: 1,
        maxLength: 60,
      }),
      fc.array(fc.nat(), { maxLength: 40 }),
      (rows, splits) => {
        let venueTs = 1_000;
        const all = rows.map(({ coin, step }, i) => {
          venueTs += step;
          return trade({ coin, venueTs, tid: i + 1 });
        });
        const { tape, released } = collect();
        // The second socket repeats an arbitrary earlier stretch after each trade of the first.
        all.forEach((one, i) => {
          tape.add([one], false);
          const from = (splits[i] ?? 0) % (i + 1);
          tape.add(all.slice(from, i + 1), false);
        });
        expect(released.map(({ tid }) => tid)).toEqual(all.map(({ tid }) => tid));
        expect(released.every((one, i) => one.ts === all[i]?.venueTs && one.venueTs === undefined)).toBe(
          true,
        );
      },
    ),
  );
});

it('never lets tape time go back, and keeps the venue time of a trade that came late', () => {
  const { tape, released } = collect();
  tape.add(
    [trade({ venueTs: 1_000, tid: 1 }), trade({ venueTs: 990, tid: 2 }), trade({ venueTs: 1_001, tid: 3 })],
    false,
  );
  expect(released.map(({ ts, venueTs }) => [ts, venueTs])).toEqual([
    [1_000, undefined],
    [1_000, 990],
    [1_001, undefined],
  ]);
});

it('puts a back-fill that comes newest first into the order of time', () => {
  const { tape, released } = collect();
  tape.add(
    [trade({ venueTs: 3, tid: 3 }), trade({ venueTs: 2, tid: 2 }), trade({ venueTs: 1, tid: 1 })],
    true,
  );
  expect(released.map(({ tid }) => tid)).toEqual([1, 2, 3]);
  expect(released.every(({ venueTs }) => venueTs === undefined)).toBe(true);
});

it('tells trades with tid 0 apart by what was traded', () => {
  const { tape, released } = collect();
  tape.add([trade({ tid: 0, size: 1 }), trade({ tid: 0, size: 2 }), trade({ tid: 0, size: 1 })], false);
  expect(released.map(({ size }) => size)).toEqual([1, 2]);
});

it('marks neighbouring fills of one taker order, and nothing else', () => {
  const { tape, released } = collect();
  const a = { taker: '0xa' };
  tape.add(
    [
      trade({ ...a, tid: 1 }),
      trade({ ...a, tid: 2 }),
      trade({ ...a, tid: 3, side: 'sell' }),
      trade({ ...a, tid: 4, side: 'sell', venueTs: 1_001 }),
      trade({ taker: '0xb', tid: 5, side: 'sell', venueTs: 1_001 }),
      trade({ tid: 6, venueTs: 1_001 }),
      trade({ tid: 7, venueTs: 1_001 }),
      trade({ ...a, coin: 'ETH', tid: 8 }),
    ],
    false,
  );
  expect(released.map(({ sameOrder }) => sameOrder)).toEqual([
    false,
    true,
    false,
    false,
    false,
    false,
    false,
    false,
  ]);
});

it('still knows a trade of a burst larger than either half of its memory', () => {
  const { tape, released } = collect();
  const burst = Array.from({ length: 12_000 }, (_, i) => trade({ tid: i + 1 }));
  tape.add(burst, false);
  tape.add(burst, false);
  expect(released).toHaveLength(12_000);
  expect(tape.repeats).toBe(12_000);
});
