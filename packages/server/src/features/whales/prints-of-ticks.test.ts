import { ManualClock, notionalUsdOf, type Print, type Trade } from '@crosstape/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TickBuffer } from '../tape/tick-buffer.ts';
import { Prints } from './prints.ts';
import { printsOfTicks } from './prints-of-ticks.ts';

const owner = { coin: 'BTC', venue: 'hyperliquid' };

it('finds the same prints on the tape as were made when the trades were released, at any threshold', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          stepMs: fc.nat(3),
          side: fc.constantFrom('buy' as const, 'sell' as const),
          fills: fc.array(
            fc.record({
              price: fc.integer({ min: 1, max: 10_000_000 }),
              size: fc.integer({ min: 1, max: 1_000_000 }),
            }),
            {
              minLength: 1,
              maxLength: 5,
            },
          ),
        }),
        { maxLength: 40 },
      ),
      fc.integer({ min: 0, max: 3_000_000 }),
      (orders, minUsd) => {
        const live: Print[] = [];
        const prints = new Prints({ clock: new ManualClock(0), emit: (print) => live.push(print) });
        const buffer = new TickBuffer();
        let ts = 1_000;
        let tid = 0;
        for (const { stepMs, side, fills } of orders) {
          ts += stepMs;
          fills.forEach((fill, i) => {
            const [price, size] = [fill.price / 100, fill.size / 100_000];
            tid += 1;
            const trade: Trade = {
              ...owner,
              side,
              price,
              size,
              notionalUsd: notionalUsdOf(price, size),
              ts,
              tid,
              sameOrder: i > 0,
            };
            prints.add(trade);
            buffer.add(trade);
          });
        }
        prints.flush();
        expect(printsOfTicks(owner, buffer, minUsd)).toEqual(
          live.filter((print) => print.notionalUsd >= minUsd),
        );
      },
    ),
  );
});
